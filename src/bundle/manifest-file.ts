/** The manifest of a bundle on disk. One that is not exactly as it was written is read as YAML, to say what is wrong. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import {
  BUNDLES,
  bundleIdProblem,
  isCover,
  MOST_FILES,
  manifestPath,
  pathProblem,
} from "../core/bundle-path.ts";
import { closest } from "../core/closest.ts";
import type { Complaint } from "../core/directive.ts";
import { differentLine, type Manifest, manifestText, readManifestText } from "../core/manifest.ts";
import { Problem } from "../core/problem.ts";
import { isSignature, isSigner } from "../core/signer.ts";
import { oneLine } from "../core/text.ts";
import { checkYaml } from "../yaml/check.ts";
import { complaintText } from "../yaml/complaint.ts";
import { parseYaml, type Yaml } from "../yaml/parse.ts";
import { textInside } from "./read-inside.ts";

/** Room for as many files as a bundle may have. */
const MOST_BYTES = 16 << 20;
/** A reader of all YAML is slow; what is larger than this and not ours is not looked through. */
const MOST_YAML = 2 << 20;

const text = z.string().check(z.maxLength(1_000));
const Schema = z.object({
  v: z.literal(1),
  id: text.check(z.refine((id) => bundleIdProblem(id) === undefined, "no id of a bundle")),
  version: text,
  description: text,
  created: text,
  paths: z.array(z.string().check(z.refine(isCover, "no path that a bundle may cover"))),
  files: z
    .array(
      z.object({
        path: z.string(),
        bytes: z.int().check(z.nonnegative()),
        sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/, "expected a SHA-256, 64 hexadecimal digits")),
      }),
    )
    .check(z.maxLength(MOST_FILES)),
  signer: z.optional(z.string().check(z.refine(isSigner, "expected a signer, such as ed25519:…"))),
  signature: z.optional(z.string().check(z.refine(isSignature, "expected a signature of 86 characters"))),
});

export interface ManifestRead {
  readonly manifest: Manifest;
  /** The first line that is not as we write it, if one is not. */
  readonly rewrittenAt?: number;
}

export async function readManifest(root: string, id: string): Promise<ManifestRead> {
  requireBundleId(id);
  const file = manifestPath(id);
  const read = await textInside(root, file, MOST_BYTES);
  if ("missing" in read) throw notFound(root, id);
  if ("refused" in read) throw invalid(file, `${file}: ${read.refused}`);
  const exact = readManifestText(read.text);
  const found = exact ? { manifest: exact } : readLoosely(file, read.text);
  // A manifest that was copied to another place would vouch for the wrong thing.
  if (found.manifest.id !== id)
    throw invalid(file, `${file}: it is the manifest of ${oneLine(found.manifest.id, 60)}, not of ${id}`);
  return found;
}

function readLoosely(file: string, source: string): ManifestRead {
  if (source.length > MOST_YAML)
    throw invalid(file, `${file}: it is not as Selvage writes it, and too long to say where`);
  const yaml = parseYaml({ file, text: source });
  if ("complaints" in yaml) throw invalid(file, complaintText(yaml.complaints));
  const checked = checkYaml(yaml, Schema);
  if ("complaints" in checked) throw invalid(file, complaintText(checked.complaints));
  const complaints = pathComplaints(yaml, checked.value);
  if (complaints.length > 0) throw invalid(file, complaintText(complaints));
  const { v: _, files, ...rest } = checked.value;
  const manifest = { ...rest, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
  return { manifest, rewrittenAt: differentLine(source, manifestText(manifest)) };
}

/** Each once, and none that a bundle may not cover. */
function pathComplaints(yaml: Yaml, { id, files }: Pick<Manifest, "id" | "files">): Complaint[] {
  const seen = new Set<string>();
  return files.flatMap(({ path }, index) => {
    const why = seen.has(path) ? "it stands twice" : pathProblem(path, id);
    seen.add(path);
    if (why === undefined) return [];
    const message = `files[${index}].path: ${JSON.stringify(oneLine(path, 80))}: ${why}`;
    return [{ file: yaml.file, ...yaml.placeOf(["files", index, "path"], "value"), message }];
  });
}

export function requireBundleId(id: string): void {
  const why = bundleIdProblem(id);
  if (why) throw new Problem("E_BAD_ID", { what: `"${oneLine(id, 60)}" is no id of a bundle.`, why });
}

function invalid(file: string, why: string): Problem {
  return new Problem("E_BUNDLE_INVALID", {
    what: `The manifest ${file} does not validate.`,
    why,
    next: [{ cmd: "selvage explain E_BUNDLE_INVALID", why: "what can be done" }],
  });
}

function notFound(root: string, id: string): Problem {
  const near = closest(id, namesIn(join(root, BUNDLES)));
  return new Problem("E_BUNDLE_NOT_FOUND", {
    what: `There is no bundle ${id}.`,
    why: `${manifestPath(id)} does not exist.${near.length > 0 ? ` Close to it: ${near.join(", ")}.` : ""}`,
    next: [
      ...near.slice(0, 1).map((name) => ({ cmd: `selvage bundle inspect ${name}`, why: "the closest" })),
      { cmd: `selvage bundle create ${id}`, why: "makes it, of everything in .ai/" },
    ],
  });
}

/** A help for people: a folder that is not there has none. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => bundleIdProblem(name) === undefined);
  } catch {
    return [];
  }
}
