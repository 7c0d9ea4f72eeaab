/** Takes stock of a project for the person who is asked to trust it. Files are read as text, and nothing is honoured. */
import { basename } from "node:path";
import { oneLine } from "../core/text.ts";
import {
  type AskedVariable,
  type CoveredFile,
  type CoveredKind,
  type TrustSurvey,
  UNHASHED,
} from "../core/trust-survey.ts";
import { type FileMeaning, meaningOf } from "./trust-meaning.ts";
import { textAt } from "./trusted-files.ts";

type Hashes = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface Stock {
  /** As they are. */
  readonly now: Hashes;
  /** As they were at the last yes; undefined when there was none. */
  readonly before?: { readonly files: Hashes; readonly at: string } | undefined;
}

export function surveyTrust(root: string, { now, before }: Stock, environment: Environment): TrustSurvey {
  const paths = [...new Set([...Object.keys(now), ...Object.keys(before?.files ?? {})])].sort();
  const read = paths.map((path) => {
    const kind = kindOf(path);
    const meaning: FileMeaning = Object.hasOwn(now, path)
      ? meaningOf(kind, path, textAt(root, path))
      : { means: [], asks: [] };
    return { path, kind, meaning };
  });
  const files = read.map(({ path, kind, meaning }): CoveredFile => {
    const change = changeOf(now[path], before?.files, path);
    const hash = now[path] ?? null;
    const means = hash === UNHASHED ? [TOO_LARGE] : meaning.means.map((line) => oneLine(line, 300));
    return { path, kind, change, hash, means };
  });
  const variables = read.flatMap(({ path, meaning }) =>
    meaning.asks.map(({ name, use }): AskedVariable => {
      const isSet = (environment[name] ?? "") !== "";
      return { name: oneLine(name, 100), isSet, use: oneLine(use, 200), path };
    }),
  );
  return { trustedAt: before?.at ?? null, files, variables };
}

const TOO_LARGE = "too large: with it the project cannot be trusted";

function changeOf(hash: string | undefined, before: Hashes | undefined, path: string): CoveredFile["change"] {
  const then = before && Object.hasOwn(before, path) ? before[path] : undefined;
  if (hash === undefined) return "gone";
  if (then === undefined) return "new";
  return then === hash ? undefined : "changed";
}

const BY_NAME: Readonly<Record<string, CoveredKind>> = {
  ".ai/settings.json": "settings",
  ".mcp.json": "mcp",
  ".ai/config/hooks.yaml": "hooks",
  ".ai/config/providers.yaml": "providers",
};

function kindOf(path: string): CoveredKind {
  const named = Object.hasOwn(BY_NAME, path) ? BY_NAME[path] : undefined;
  if (named) return named;
  if (path.startsWith(".ai/config")) return "config";
  if (path.startsWith(".ai/directives/")) return "directive";
  const isTool = path.startsWith(".ai/tools/") && /^[^._][^.]*\.(?:yaml|ts|js|mjs)$/.test(basename(path));
  return isTool ? "tool" : "code";
}
