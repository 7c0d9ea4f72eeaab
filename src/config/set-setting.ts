/**
 * `config set`: one value into the YAML of the user or of a project. Nothing is written that would not validate, or
 * would widen what a project may only narrow.
 */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { requireSetting, type SettingChange, type SettingWish } from "../core/configuration.ts";
import { unwritable, writing } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";
import type { Settings } from "../core/settings.ts";
import { oneLine } from "../core/text.ts";
import { makeFolder } from "../disk/folder.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { complaintText } from "../yaml/complaint.ts";
import { editYaml } from "../yaml/edit.ts";
import { readText } from "../yaml/file.ts";
import { parseYaml } from "../yaml/parse.ts";
import { type ConfigPlaces, configLayers } from "./layers.ts";
import { otherPathsOf } from "./setting-names.ts";
import { filesOf, type SettingsLook, settingsOf } from "./settings.ts";
import { fileOf, parseSettings } from "./settings-file.ts";

/** A project must be trusted: what else stands in it counts too. */
export function setSetting(
  root: string | undefined,
  wish: SettingWish,
  places: ConfigPlaces = {},
): SettingChange {
  requireSetting(wish.key);
  const layers = configLayers(root, places);
  const layer = layers.find((each) => each.layer === wish.layer);
  const name = fileOf(wish.key);
  if (!layer || !name) throw new Error(`no file for ${wish.key}`);
  const path = join(layer.folder, name);
  const file = layer.shown(path);
  const sources = layers.flatMap(filesOf);
  const before = settingsOf(sources);
  const text = textOf(path);
  // What our own parser refuses, such as nesting without end, the editing library must not see.
  if ("complaints" in parseYaml({ file, text })) throw byHand(file, before);
  const tries = candidates(wish.text).map((value) => {
    const edited = editYaml(text, { path: wish.key.split("."), value, gone: otherPathsOf(wish.key) });
    if (edited === undefined) throw byHand(file, before);
    const says = parseSettings(name, { file, text: edited });
    const after = settingsOf(sources.map((source) => (source.file === file ? { ...source, says } : source)));
    return { edited, says, after };
  });
  const fitting = tries.find(({ after }) => complaintsIn(after, file).length === 0);
  if (!fitting) throw refused(wish, file, (tries.find(({ says }) => "said" in says) ?? tries[0])?.after);
  write(path, fitting.edited, layer.layer === "project" ? root : undefined);
  return {
    ...{
      key: wish.key,
      file,
      before: at(before.settings, wish.key),
      after: at(fitting.after.settings, wish.key),
    },
    wrong: fitting.after.wrong.filter((found) => complaintsIn(before, found.file).length === 0),
  };
}

function textOf(path: string): string {
  const read = readText(path);
  if ("refused" in read) throw unwritable(path, read.refused);
  return "text" in read ? read.text : "";
}

/** `2.00` is a number to YAML and an amount to us: the first that fits is meant. */
function candidates(text: string): unknown[] {
  const yaml = parseYaml({ file: "VALUE", text });
  return "complaints" in yaml || yaml.value === null ? [text] : [yaml.value, text];
}

function complaintsIn({ wrong }: SettingsLook, file: string) {
  return wrong.filter((found) => found.file === file).flatMap(({ complaints }) => complaints);
}

/** Through a link, as people keep their settings elsewhere; but a project's only inside of the project. */
function write(path: string, text: string, root: string | undefined): void {
  writing(path, () => {
    makeFolder(dirname(path));
    const there = statSync(path, { throwIfNoEntry: false });
    const real = there ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
    if (root !== undefined && !real.startsWith(realpathSync(root) + sep)) {
      throw new Error("it is a link that leaves the project");
    }
    replaceFile(real, text, there ? { mode: there.mode & 0o777 } : {});
  });
}

function at(settings: Settings, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], settings);
}

function refused({ key, text }: SettingWish, file: string, after: SettingsLook | undefined): Problem {
  const complaints = after ? complaintsIn(after, file) : [];
  const [first] = complaints;
  const isOurs = complaints.length === 1 && first?.message.startsWith(`${key}: `) === true;
  return new Problem("E_CONFIG_INVALID", {
    what: `${key} was not set to ${oneLine(text, 40)}.`,
    why: isOurs ? first.message : `With it, ${file} would not validate:\n${complaintText(complaints)}`,
    next: [{ cmd: "selvage config show --origin", why: "what holds now, and who says so" }],
  });
}

function byHand(file: string, before: SettingsLook): Problem {
  const complaints = complaintsIn(before, file);
  return new Problem("E_CONFIG_INVALID", {
    what: `${file} was not changed.`,
    why:
      complaints.length > 0
        ? complaintText(complaints)
        : "It is written in a way that only a person can change.",
    next: [{ cmd: "selvage config check", why: "everything that is wrong" }],
  });
}
