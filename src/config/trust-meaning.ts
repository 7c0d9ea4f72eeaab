/** What a file of a project would do, in words, as far as its text tells. It may be anything, so nothing is expected of it. */
import { basename, extname } from "node:path";
import type { CoveredKind } from "../core/trust-survey.ts";
import { parseYaml } from "../yaml/parse.ts";
import { headOf } from "./directive-head.ts";
import { isMapping, type Mapping } from "./mapping.ts";

export interface FileMeaning {
  readonly means: readonly string[];
  readonly asks: readonly { readonly name: string; readonly use: string }[];
}

/** Nobody reads more. */
const MOST_LINES = 50;

export function meaningOf(kind: CoveredKind, path: string, text: string): FileMeaning {
  const { means, asks } = READERS[kind](text, path);
  return { means: means.slice(0, MOST_LINES), asks: asks.slice(0, MOST_LINES) };
}

const said = (...means: string[]): FileMeaning => ({ means, asks: [] });
const UNREAD = "cannot be read as it is; it is not run until it can";

const READERS: Readonly<Record<CoveredKind, (text: string, path: string) => FileMeaning>> = {
  tool: toolMeaning,
  hooks: (text) => hooksMeaning(mappingIn(text)),
  providers: providersMeaning,
  config: () => said("settings of the project"),
  settings: () => said("settings of the project"),
  mcp: mcpMeaning,
  directive: directiveMeaning,
  code: () => said("code that a tool, a hook or a server runs"),
};

function toolMeaning(text: string, path: string): FileMeaning {
  const name = basename(path, extname(path));
  if (!path.endsWith(".yaml")) return said("a module: its code runs as you, in a process of its own");
  const value = mappingIn(text);
  if (!value) return said(UNREAD);
  const asks = listOf(value["env"]).map((variable) => ({ name: variable, use: `given to the tool ${name}` }));
  const probe =
    value["probe"] === undefined ? [] : [`and to see what became of it: ${commandText(value["probe"])}`];
  return { means: [`runs ${commandText(value["command"])}`, ...probe], asks };
}

function hooksMeaning(value: Mapping | undefined): FileMeaning {
  if (!value) return said(UNREAD);
  const hooks = Array.isArray(value["hooks"]) ? value["hooks"].filter(isMapping) : [];
  return said(
    ...hooks.map(({ id, event, command, directive }) => {
      const act = directive === undefined ? commandText(command) : `the directive ${textOf(directive)}`;
      return `${textOf(event)}: ${textOf(id)} runs ${act}`;
    }),
  );
}

/** A trusted project may name any variable as a key, so each is told with where it would go. */
function providersMeaning(text: string): FileMeaning {
  const value = mappingIn(text);
  if (!value) return said(UNREAD);
  const entries = Object.entries(value).flatMap(([id, entry]) => (isMapping(entry) ? [{ id, entry }] : []));
  const address = (entry: Mapping) =>
    entry["base_url"] === undefined ? "its usual address" : textOf(entry["base_url"]);
  return {
    means: entries.map(({ id, entry }) => `${id}: what threads say goes to ${address(entry)}`),
    asks: entries.flatMap(({ id, entry }) =>
      listOf(entry["key_env"]).map((name) => ({ name, use: `key of ${id}, sent to ${address(entry)}` })),
    ),
  };
}

function mcpMeaning(text: string): FileMeaning {
  const servers = mappingIn(text)?.["mcpServers"];
  if (!isMapping(servers)) return said(UNREAD);
  const entries = Object.entries(servers).flatMap(([id, entry]) => (isMapping(entry) ? [{ id, entry }] : []));
  return {
    means: entries.map(({ id, entry }) => {
      if (entry["url"] !== undefined) return `${id}: a server at ${textOf(entry["url"])}`;
      return `${id}: a server, started with ${commandText([entry["command"], ...listOf(entry["args"])])}`;
    }),
    asks: entries.flatMap(({ id, entry }) =>
      isMapping(entry["env"])
        ? Object.keys(entry["env"]).map((name) => ({ name, use: `given to the server ${id}` }))
        : [],
    ),
  };
}

/** Only its head: that is all of it that a yes is about. */
function directiveMeaning(text: string): FileMeaning {
  const [yaml = "", ...fences] = headOf(text);
  if (fences.length > 0 && yaml === "") return said("a head in XML: model, rights, hooks");
  const value = mappingIn(yaml);
  if (!value) return said(yaml === "" ? "has no head" : UNREAD);
  const { model, permissions, delegates } = value;
  const parts = [
    ...(model === undefined
      ? []
      : [`model ${isMapping(model) ? textOf(model["id"] ?? model["tier"]) : textOf(model)}`]),
    ...(permissions === undefined ? [] : [`rights ${listOf(permissions).join(", ") || "none"}`]),
    ...(delegates === undefined ? [] : [`hands on ${listOf(delegates).join(", ") || "nothing"}`]),
  ];
  const hooks = hooksMeaning(value).means;
  return said(...(parts.length > 0 ? [parts.join("; ")] : []), ...hooks);
}

function mappingIn(text: string): Mapping | undefined {
  const yaml = parseYaml({ file: "", text });
  return "value" in yaml && isMapping(yaml.value) ? yaml.value : undefined;
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return [value].flat().map(textOf);
}

function commandText(value: unknown): string {
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? value.map((word) => JSON.stringify(word) ?? "").join(" ") : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
