/** What a project gets that installs the package: our own files, and the packages without which these do not run. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Installed {
  readonly packages: readonly { readonly name: string; readonly bytes: number }[];
  readonly bytes: number;
}

/** Counted, not installed: what the lockfile says about packages that are there anyway. */
export function installed(root: string): Installed {
  const { name, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // The same as `npm pack`: what is listed, but for what is listed with a `!`, and these in any case.
  const ours = ["package.json", "README.md", "LICENSE", ...files.filter((file: string) => file[0] !== "!")];
  const left = files.filter((file: string) => file[0] === "!").map((file: string) => file.slice(1));
  const own =
    [...new Set(ours)].reduce((sum, file) => sum + bytesOf(join(root, file)), 0) -
    left.reduce((sum: number, file: string) => sum + bytesOf(join(root, file)), 0);
  const packages = [{ name, bytes: own }, ...neededPackages(root)];
  return { packages, bytes: packages.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function neededPackages(root: string): { name: string; bytes: number }[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = Object.entries<Record<string, unknown>>(packages).filter(
    ([path, { dev, optional, devOptional, peer }]) =>
      path !== "" && !dev && !optional && !devOptional && !peer,
  );
  return found.map(([path]) => ({
    name: path.replace(/^.*node_modules\//, ""),
    bytes: bytesOf(join(root, path)),
  }));
}

/** Packages inside of a package are listed by themselves. */
function bytesOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  const names = readdirSync(path).filter((name) => name !== "node_modules");
  return names.reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
