/** Single items: finding the file that a name means, signing it, and holding it against its signature. */
import { createHash } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { coverProblem, manifestPath } from "../core/bundle-path.ts";
import { signatureFindings } from "../core/bundle-report.ts";
import type { ItemReport, ToSign } from "../core/bundles.ts";
import { writing } from "../core/disk-error.ts";
import { idProblem } from "../core/id.ts";
import { Problem } from "../core/problem.ts";
import {
  readSigned,
  type SignedText,
  signedMessage,
  takesSignature,
  toBeSigned,
  withSignature,
} from "../core/signed-line.ts";
import { type Acquaintance, standingOf } from "../core/signer.ts";
import { oneLine } from "../core/text.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { isSignedBy, type SigningKey } from "./ed25519.ts";
import { type TextRead, textInside } from "./read-inside.ts";

const MOST_BYTES = 1 << 20;

/** What stands before the colon, and where its files may be. */
const KINDS: Readonly<Record<string, (name: string) => readonly string[]>> = {
  directive: (name) => [`.ai/directives/${name}.md`],
  knowledge: (name) => [`.ai/knowledge/${name}.md`],
  skill: (name) => [`.ai/skills/${name}/SKILL.md`],
  tool: (name) => ["yaml", "ts", "js", "mjs"].map((ending) => `.ai/tools/${name}.${ending}`),
  bundle: (name) => [manifestPath(name)],
};

/** The path of an item from `root`: by name where a kind stands before a colon, else by path as seen from `folder`. */
export function resolveItem(root: string, folder: string, item: string): string {
  const [, kind = "", name = ""] = /^([a-z]+):(.*)$/s.exec(item) ?? [];
  const path = Object.hasOwn(KINDS, kind) ? named(root, kind, name) : pathFrom(root, folder, item);
  const why = path === "" ? "it is the project's own folder" : coverProblem(path);
  if (why !== undefined) throw refusedItem(item, why);
  return path;
}

/** What a person asks a bundle to cover. */
export function coverFrom(root: string, folder: string, path: string): string {
  const cover = pathFrom(root, folder, path) || ".";
  const why = cover === "." ? undefined : coverProblem(cover);
  if (why === undefined) return cover;
  throw new Problem("E_BUNDLE_INVALID", {
    what: "The bundle was not made.",
    why: `${oneLine(path, 80)}: ${why}`,
    next: [{ cmd: "selvage bundle create ID PATH…", why: "name files and folders of this project" }],
  });
}

function named(root: string, kind: string, name: string): string {
  const why = idProblem(name);
  if (why !== undefined) throw refusedItem(`${kind}:${name}`, `no name of a ${kind}: ${why}`);
  const places = KINDS[kind]?.(name) ?? [];
  const found = places.filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined);
  if (found.length > 1)
    throw refusedItem(`${kind}:${name}`, `it may be ${found.join(" or ")}: name the path`);
  const [only] = found;
  if (only === undefined) throw noItem(`${kind}:${name}`, `Looked for: ${places.join(", ")}.`);
  return only;
}

/** However one came here: the folder may be a link to where the project is. */
function pathFrom(root: string, folder: string, path: string): string {
  const place = resolve(folder, path);
  const way = relative(root, place);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || way.startsWith(sep);
  return (isOutside ? relative(root, realPlace(place)) : way).split(sep).join("/");
}

function realPlace(place: string): string {
  try {
    return join(realpathSync(dirname(place)), basename(place));
  } catch {
    return place; // not there: it leads out as it is written
  }
}

/** Two steps, so that of several items none is signed if one may not be. */
export async function readToSign(
  root: string,
  { path, sha256: expected }: ToSign,
): Promise<TextRead & { readonly path: string }> {
  const item = { path, ...(await readItem(root, path)) };
  const now = sha256(toBeSigned(path, item.text));
  if (expected !== undefined && expected !== now)
    throw refusedItem(path, `its sha256 is ${now}, not the one that was to be signed`);
  return item;
}

export async function signItem(
  root: string,
  { path, text, mode }: TextRead & { readonly path: string },
  { key, now }: { readonly key: SigningKey; readonly now: number },
): Promise<void> {
  const content = toBeSigned(path, text);
  const line = { at: new Date(now).toISOString(), sha256: sha256(content), signer: key.signer };
  const signature = key.sign(signedMessage(path, line));
  const again = await readItem(root, path);
  // What is written are the bytes that were read: somebody's change in between would be lost.
  if (again.text !== text) throw refusedItem(path, "it changed while it was signed; sign it again");
  const signed = withSignature(path, content, { ...line, signature });
  writing(path, () => replaceFile(join(root, path), signed, { mode }));
}

export interface CheckContext {
  readonly people: Acquaintance;
  readonly wanted?: string | undefined;
}

export async function checkItem(root: string, path: string, context: CheckContext): Promise<ItemReport> {
  const { text } = await readItem(root, path);
  const signed = readSigned(path, text);
  const { line, damaged } = signed;
  if (!line) {
    const what =
      damaged === undefined
        ? "nobody signed it"
        : `line ${damaged} looks like a signature, but is not a whole one on the last line`;
    const code = damaged === undefined ? "signature_missing" : "signature_invalid";
    const findings = [{ code, path, what }] as const;
    const nobody = { signer: null, signedAt: null, standing: null };
    return { path, ok: false, signature: damaged === undefined ? "none" : "invalid", ...nobody, findings };
  }
  const { signer, at: signedAt } = line;
  const standing = standingOf(signer, context.people, context.wanted);
  const { signature, findings } = judged(path, signed, line);
  const others = signatureFindings("valid", signer, standing).map((each) => ({ ...each, path }));
  const all = [...findings, ...others];
  return { path, ok: all.length === 0, signature, signer, signedAt, standing, findings: all };
}

function judged(path: string, { content }: SignedText, line: NonNullable<SignedText["line"]>) {
  if (sha256(content) !== line.sha256) {
    const isLineEnds = lineEnds(content).some((other) => sha256(other) === line.sha256);
    const what = `it changed since ${line.at}${isLineEnds ? ": only its line ends did" : ""}`;
    return { signature: "invalid", findings: [{ code: "file_changed", path, what }] } as const;
  }
  if (isSignedBy(line.signer, signedMessage(path, line), line.signature))
    return { signature: "valid", findings: [] } as const;
  const what = `it has no valid signature of ${line.signer}: it was signed as another file, or the signature was changed`;
  return { signature: "invalid", findings: [{ code: "signature_invalid", path, what }] } as const;
}

/** As other systems would have written it. */
function lineEnds(content: string): string[] {
  const plain = content.replaceAll("\r\n", "\n");
  return [plain, plain.replaceAll("\n", "\r\n")];
}

async function readItem(root: string, path: string): Promise<TextRead> {
  const isFit = takesSignature(path);
  const read = await textInside(root, path, isFit ? MOST_BYTES : 0);
  if ("missing" in read) throw noItem(path, "There is no such file.");
  if (!isFit) throw refusedItem(path, "no comment can stand in it, so no signature can");
  if ("refused" in read) throw refusedItem(path, read.refused);
  return read;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function noItem(item: string, why: string): Problem {
  return new Problem("E_ITEM_NOT_FOUND", {
    what: `There is no item ${oneLine(item, 80)}.`,
    why: `${why} An item is a path, or directive:NAME, tool:NAME, knowledge:NAME, skill:NAME, bundle:ID.`,
    next: [{ cmd: "selvage verify", why: "without an item: every journal of this project" }],
  });
}

function refusedItem(item: string, why: string): Problem {
  return new Problem("E_ITEM_REFUSED", {
    what: `${oneLine(item, 80)} cannot be signed or checked.`,
    why: `${why}.`,
    next: [
      { cmd: "selvage bundle create ID PATH…", why: "signs any file of the project, without changing it" },
    ],
  });
}
