/**
 * `load` and `search` (D2). Whether this item may be loaded was decided with the call; what a search finds is held
 * against the rights of each item here.
 */
import { mayFind } from "../core/call-rights.ts";
import { closest } from "../core/closest.ts";
import { ITEM_TYPES, type ItemSearchInput, type ItemType, type LoadInput } from "../core/item.ts";
import { itemRight } from "../core/item-right.ts";
import { byFit, type Candidate, holdsAny, type Scored, scoreItem, wordsOf } from "../core/item-search.ts";
import type { FiledType, Items, ItemText } from "../core/items.ts";
import { fromLine, lineView } from "../core/line-view.ts";
import { orchestrationTool } from "../core/orchestration.ts";
import { leaveFor } from "../core/rights.ts";
import { labelled } from "../core/system-prompt.ts";
import type { Tool, ToolOutcome } from "../core/tool.ts";
import type { Active } from "./active.ts";

/** Beside the text: its label, and the note that it is cut. */
const LABEL_CHARS = 700;
/** Who asks for a line further down gets it out of the first so many bytes. */
const LOADED_BYTES = 4_194_304;
const SEARCHED_BYTES = 65_536;
const SEARCH_MS = 10_000;
const AT_ONCE = 16;
/** To find the closest name takes time in proportion to the names. */
const MOST_NAMES = 2_000;

export async function loadItem(active: Active, input: LoadInput): Promise<ToolOutcome> {
  const { item_type, item_id, offset } = input;
  if (item_type === "tool") return loadTool(active, input);
  const { items } = active.world;
  // No character has more than four bytes: from the beginning, what is read is enough for what is shown.
  const read = await items?.read(item_type, item_id, offset > 1 ? LOADED_BYTES : 4 * roomOf(active));
  if (!read || "missing" in read) return failure(await unknown(active, item_type, item_id));
  if ("refused" in read) return failure(`${item_type} ${item_id} cannot be loaded: ${read.refused}`);
  const { source, note: cut } = read;
  return told(active, input, { source, ...shown(item_type, read), cut });
}

interface Found {
  readonly source: string;
  readonly text: string;
  /** What is wrong with it. */
  readonly note?: string | undefined;
  /** Said where not all of the file was read. */
  readonly cut?: string | undefined;
}

/** As much of it, from the line that was asked for on, as a model is shown of one result. */
function told(
  active: Active,
  { item_type, item_id, offset }: LoadInput,
  { source, text, note: problem, cut }: Found,
): ToolOutcome {
  const about = `${item_type} ${item_id}`;
  const rest = fromLine(text, offset);
  if (rest === undefined)
    return failure(`${about} has no line ${offset}${cut === undefined ? "" : `; ${cut}`}`);
  const view = lineView(rest, { first: offset, maxChars: roomOf(active), goesOn: cut !== undefined });
  const said = [...(problem === undefined ? [] : [problem]), ...view.notes];
  const note = said.length > 0 ? { note: said.join("; ") } : {};
  return { status: "ok", output: labelled({ about, source, text: view.text, ...note }) };
}

function roomOf({ world }: Active): number {
  return Math.max(200, world.settings.tool.model_output_chars - LABEL_CHARS);
}

/** Of a skill what it says to who has chosen it; its head told what it is for. */
function shown(
  type: ItemType,
  read: ItemText,
): { readonly text: string; readonly note?: string | undefined } {
  if (type !== "skill") return { text: read.text };
  const { body, problem } = read.about();
  return problem === undefined ? { text: body } : { text: read.text, note: problem };
}

async function loadTool(active: Active, input: LoadInput): Promise<ToolOutcome> {
  const { item_id: name } = input;
  const tool = toolOf(active, name);
  if (!tool) return failure(await unknown(active, "tool", name));
  const { description, effect } = tool;
  const text = JSON.stringify({ name, description, effect, input: tool.input }, null, 2);
  return told(active, input, { source: `tool:${name}`, text });
}

function toolOf({ world, thread }: Active, name: string): Tool | undefined {
  return orchestrationTool(name, thread.outputs) ?? world.tool(name);
}

/** Only names that it may load are told: what is not for it stays unknown. */
async function unknown(active: Active, type: ItemType, id: string): Promise<string> {
  const { rights } = active.thread;
  const { ids } = await idsOf(active, type);
  const mine = ids.filter((each) => leaveFor(rights, itemRight("load", type, each)) !== "denied");
  const near = closest(
    id,
    mine.filter((each) => Math.abs(each.length - id.length) < 20).slice(0, MOST_NAMES),
  );
  const hint =
    near.length > 0 ? `Close to it: ${near.join(", ")}.` : `${mine.length} can be loaded; search finds them.`;
  return `There is no ${type} "${id}". ${hint}`;
}

async function idsOf({ world, thread }: Active, type: ItemType) {
  const { items } = world;
  if (type !== "tool") return (await items?.list(type)) ?? { ids: [], isCut: false };
  return { ids: [...new Set([...thread.tools, ...(items?.tools() ?? [])])], isCut: false };
}

export async function searchItems(active: Active, ask: ItemSearchInput): Promise<ToolOutcome> {
  const words = wordsOf(ask.query);
  if (words.length === 0) return failure("query: it holds no word");
  const { world, thread, tools } = active;
  const until = world.clock.monotonic() + SEARCH_MS;
  const goesOn = () => !tools.signal.aborted && world.clock.monotonic() <= until;
  const found: Scored[] = [];
  let isWhole = true;
  for (const type of ask.item_type ? [ask.item_type] : ITEM_TYPES) {
    const { ids, isCut } = await idsOf(active, type);
    const mine = ids.filter((id) => mayFind(thread.rights, type, id));
    let at = 0;
    for (; at < mine.length && goesOn(); at += AT_ONCE) {
      const some = mine.slice(at, at + AT_ONCE);
      const scored = await Promise.all(some.map((id) => scoreOne(active, { type, id, words })));
      for (const one of scored) if (one) found.push(one);
    }
    isWhole &&= !isCut && at >= mine.length;
  }
  if (tools.signal.aborted) return { status: "stopped", output: "stopped" };
  const best = found
    .sort(byFit)
    .slice(0, ask.limit)
    .map((each) => each.found);
  const note = isWhole ? {} : { note: "not everything was looked at: name an item_type" };
  return { status: "ok", output: JSON.stringify({ items: best, total: found.length, ...note }) };
}

interface Look {
  readonly type: ItemType;
  readonly id: string;
  readonly words: readonly string[];
}

async function scoreOne(active: Active, { type, id, words }: Look): Promise<Scored | undefined> {
  const candidate =
    type === "tool" ? toolText(active, id) : await fileText(active.world.items, type, id, words);
  return candidate && scoreItem(words, { item_type: type, item_id: id, ...candidate });
}

type Texts = Pick<Candidate, "description" | "text">;

function toolText(active: Active, id: string): Texts | undefined {
  const tool = toolOf(active, id);
  return tool && { description: tool.description, text: "" };
}

async function fileText(
  items: Items | undefined,
  type: FiledType,
  id: string,
  words: readonly string[],
): Promise<Texts | undefined> {
  const read = await items?.read(type, id, SEARCHED_BYTES);
  if (!read || !("text" in read) || !holdsAny(words, id, read.text)) return undefined;
  const { description, body } = read.about();
  return { description, text: body };
}

function failure(output: string): ToolOutcome {
  return { status: "error", output };
}
