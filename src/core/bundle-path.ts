/** Which paths a bundle may cover: files inside the project, never the manifest itself or what Selvage keeps of threads. */
import { idProblem } from "./id.ts";

export const BUNDLES = ".ai/bundles";
export const MOST_FILES = 20_000;
const LONGEST_PATH = 1_024;

export function manifestPath(id: string): string {
  return `${BUNDLES}/${id}/manifest.yaml`;
}

export function bundleIdProblem(id: string): string | undefined {
  return id.includes("/") ? "it has a slash" : idProblem(id);
}

/** Why no bundle may cover this path; undefined when one may. Of a folder as well as of a file. */
export function coverProblem(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.length > LONGEST_PATH) return `it is longer than ${LONGEST_PATH} characters`;
  if (/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/u.test(path)) return "it has characters that cannot be shown";
  if (path.includes("\\")) return "it has a backslash, which is another path elsewhere";
  if (path.startsWith("/")) return "it is absolute; paths start at the project's folder";
  const parts = path.split("/");
  if (parts.includes("..")) return "it leads out of the project";
  if (parts.some((part) => part === "" || part === "."))
    return "it has an empty part or a dot between slashes";
  // Case is ignored, since many file systems ignore it.
  if (/^\.ai\/threads(?:\/|$)/i.test(path)) return "it belongs to Selvage itself";
  return undefined;
}

/** The same for what is listed in the manifest of the bundle `id`. */
export function pathProblem(path: string, id: string): string | undefined {
  const isItself = path.toLowerCase() === manifestPath(id).toLowerCase();
  return coverProblem(path) ?? (isItself ? "a manifest cannot name itself" : undefined);
}

/** A path, or the project's own folder. */
export function isCover(path: string): boolean {
  return path === "." || coverProblem(path) === undefined;
}
