/**
 * The manifest of a bundle (§17): which bytes stand at which paths, and who says so.
 *   M1. A manifest has one text. What is signed is that text up to the signature, so no two manifests share one.
 *   M2. It names each file once, in order, and only files that a bundle may cover.
 */
import { bundleIdProblem, isCover, MOST_FILES, pathProblem } from "./bundle-path.ts";
import { isSignature, isSigner } from "./signer.ts";

export interface BundleFile {
  /** From the project's folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** What was asked for, files and folders: what has come to lie there since is not covered. */
  readonly paths: readonly string[];
  /** In the order of their paths. */
  readonly files: readonly BundleFile[];
  readonly signer?: string | undefined;
  readonly signature?: string | undefined;
}

const HEADER =
  "# Made by `selvage bundle create`, checked by `selvage bundle verify`. Any change by hand is found.";

/** All that is signed (M1). */
export function manifestBody({ id, version, description, created, paths, files, signer }: Manifest): string {
  const listed = files.map(
    ({ path, bytes, sha256 }) =>
      `  - { path: ${quoted(path)}, bytes: ${bytes}, sha256: ${quoted(sha256)} }\n`,
  );
  return [
    `${HEADER}\nv: 1\nid: ${quoted(id)}\nversion: ${quoted(version)}\n`,
    `description: ${quoted(description)}\ncreated: ${quoted(created)}\n`,
    `paths: [${paths.map(quoted).join(", ")}]\n`,
    `files:${listed.length === 0 ? " []" : ""}\n`,
    ...listed,
    ...(signer === undefined ? [] : [`signer: ${quoted(signer)}\n`]),
  ].join("");
}

export function manifestText(manifest: Manifest): string {
  const { signature } = manifest;
  return manifestBody(manifest) + (signature === undefined ? "" : `signature: ${quoted(signature)}\n`);
}

const FILE = /^ {2}- \{ path: (".*"), bytes: (\d{1,15}), sha256: "([0-9a-f]{64})" \}$/;
const FIELD = /^([a-z0-9]+): (.*)$/;

/**
 * A manifest exactly as it is written; undefined for every other text, whatever it means (M1). Line by line, since a
 * reader of all YAML needs seconds for what ten thousand files need.
 */
export function readManifestText(text: string): Manifest | undefined {
  const lines = text.split("\n");
  const files = lines.flatMap((line) => {
    const [, path = "", bytes, sha256 = ""] = FILE.exec(line) ?? [];
    return bytes === undefined ? [] : [{ path: unquoted(path), bytes: Number(bytes), sha256 }];
  });
  const fields = new Map(
    lines.flatMap((line): [string, unknown][] => {
      const [, key, value = ""] = FIELD.exec(line) ?? [];
      return key === undefined || key === "v" ? [] : [[key, unquoted(value)]];
    }),
  );
  const manifest = { ...Object.fromEntries(fields), files };
  return isManifest(manifest) && manifestText(manifest) === text ? manifest : undefined;
}

function isManifest(value: unknown): value is Manifest {
  const { id, version, description, created, paths, files, signer, signature } = value as Partial<
    Record<keyof Manifest, unknown>
  >;
  const words = [id, version, description, created];
  if (!words.every((word) => typeof word === "string") || !isTextList(paths)) return false;
  const listed = files as readonly BundleFile[];
  if (!isInOrder(listed) || listed.length > MOST_FILES || bundleIdProblem(id as string)) return false;
  const isFit = ({ path, bytes }: BundleFile) =>
    Number.isSafeInteger(bytes) && pathProblem(path, id as string) === undefined;
  return listed.every(isFit) && paths.every((path) => isCover(path)) && isSigned(signer, signature);
}

/** In the order of their paths, each once. */
function isInOrder(files: readonly { readonly path: unknown }[]): boolean {
  return files.every(({ path }, index) => {
    const next = files[index + 1]?.path;
    return typeof path === "string" && (next === undefined || path < (next as string));
  });
}

/** By nobody, or by somebody: half of it is neither. */
function isSigned(signer: unknown, signature: unknown): boolean {
  if (signer === undefined) return signature === undefined;
  return isText(signer) && isSigner(signer) && isText(signature) && isSignature(signature);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** JSON's way of quoting is one of YAML's. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function unquoted(text: string): never {
  try {
    return JSON.parse(text) as never;
  } catch {
    // Not as we write it: then it is not our text, and comparing will tell.
    return undefined as never;
  }
}

/** The first line in which two texts differ, counted from 1. */
export function differentLine(left: string, right: string): number {
  const others = right.split("\n");
  const at = left.split("\n").findIndex((line, index) => line !== others[index]);
  return (at < 0 ? others.length : at) + 1;
}
