/** Where configuration lies, lowest first: the machine's, the user's, the project's. */
import { isAbsolute, join, relative } from "node:path";
import { configHome } from "./user-folders.ts";

export type LayerName = "system" | "user" | "project";

export interface ConfigLayer {
  readonly layer: LayerName;
  /** The YAML files lie here. */
  readonly folder: string;
  /** The same settings in the form that other agents use. */
  readonly settingsJson: string;
  /** A path as people read it: inside the project without the root. */
  readonly shown: (path: string) => string;
}

export interface ConfigPlaces {
  readonly userFolder?: string | undefined;
  readonly systemFolder?: string | undefined;
}

const SYSTEM_FOLDER = "/etc/selvage";

/** Without a root: no project, or one that is not trusted, whose files are not honoured (F7). */
export function configLayers(root: string | undefined, places: ConfigPlaces = {}): readonly ConfigLayer[] {
  const outside = (layer: LayerName, folder: string): ConfigLayer => ({
    layer,
    folder,
    settingsJson: join(folder, "settings.json"),
    shown: (path) => path,
  });
  const below = [
    outside("system", places.systemFolder ?? SYSTEM_FOLDER),
    outside("user", places.userFolder ?? configHome()),
  ];
  if (root === undefined) return below;
  const project: ConfigLayer = {
    layer: "project",
    folder: join(root, ".ai/config"),
    settingsJson: join(root, ".ai/settings.json"),
    shown: (path) => inside(root, path),
  };
  return [...below, project];
}

function inside(root: string, path: string): string {
  const short = relative(root, path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}
