/** What one wire protocol is made of; `remote.ts` puts it on HTTP. */
import type { ModelEvent, ModelRequest } from "../core/model.ts";
import type { ProviderEntry } from "../core/provider.ts";
import type { StreamReader } from "./stream-reader.ts";
import type { WrittenLog } from "./written-log.ts";

export interface Protocol {
  /** Below the provider's address. */
  readonly path: string;
  headers(key: string | undefined): Readonly<Record<string, string>>;
  /** `head`, `log.bytes` and `log.tail` in this order are the body: the messages stand last. */
  body(request: ModelRequest, modelName: string): { readonly head: string; readonly log: WrittenLog };
  reader(on: (event: ModelEvent) => void): StreamReader;
}

export type NewProtocol = (options: ProviderEntry) => Protocol;

/** A call's arguments as they go back. A provider takes objects only; what the model wrote instead is shown to it. */
export function argumentsOf(input: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Readonly<Record<string, unknown>>) : { unreadable_arguments: input };
}

/** JSON that every server takes: half of a surrogate pair, which models do write, is refused by some. */
export function wireJson(value: object): string {
  const text = JSON.stringify(value);
  // What stands in such an escape is always a lone half: `JSON.stringify` writes whole pairs as they are.
  return text.includes("\\ud") ? text.replace(/\\(ud[0-9a-f]{3}|.)/gs, loneHalf) : text;
}

function loneHalf(whole: string, code: string): string {
  return code.length > 1 ? "\\ufffd" : whole;
}

/** The name of a call as it goes back. A name that the model made up may be one that its provider refuses to read. */
export function nameOf(tool: string): string {
  return tool.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/** Fields of the body before its messages, without the closing brace. */
export function openBody(fields: Readonly<Record<string, unknown>>): string {
  return wireJson(fields).slice(0, -1);
}

const specTexts = new WeakMap<object, { readonly of: string; readonly text: string }>();

/** Tools stay the same from turn to turn: each is written once. `wire` must depend on the protocol alone. */
export function toolsText(
  protocol: string,
  tools: ModelRequest["tools"],
  wire: (tool: ModelRequest["tools"][number]) => object,
): string {
  const texts = tools.map((tool) => {
    const of = `${protocol}\n${tool.name}\n${tool.description}`;
    const known = specTexts.get(tool.input);
    if (known?.of === of) return known.text;
    const text = wireJson(wire(tool));
    specTexts.set(tool.input, { of, text });
    return text;
  });
  return `[${texts.join(",")}]`;
}
