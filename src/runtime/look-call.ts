/** Calls that only look (D2, X3): at items of the project, and at the chains of this thread and those below it. */
import { BrokenChain, chainOf } from "../core/chain-links.ts";
import { CHAIN_INPUTS, type ChainSearchInput, chainTold, hitsTold, SPARE_HITS } from "../core/chain-tools.ts";
import { checkInput } from "../core/input.ts";
import { ITEM_INPUTS } from "../core/item.ts";
import { loadPatterns } from "../core/like.ts";
import type { ThreadRow } from "../core/row.ts";
import { search } from "../core/search.ts";
import { compileQuery } from "../core/search-query.ts";
import { oneLine } from "../core/text.ts";
import type { ToolOutcome } from "../core/tool.ts";
import type { Active } from "./active.ts";
import { loadItem, searchItems } from "./item-call.ts";
import { relative } from "./post-call.ts";

/** A search that takes longer says what it found until then. */
const LONGEST_MS = 30_000;

type Look = (active: Active, input: unknown) => Promise<ToolOutcome>;

const LOOKS: Readonly<Record<string, Look>> = {
  load: (active, input) => checked(ITEM_INPUTS.load, input, (value) => loadItem(active, value)),
  search: (active, input) => checked(ITEM_INPUTS.search, input, (value) => searchItems(active, value)),
  get_chain: (active, input) =>
    checked(CHAIN_INPUTS.get_chain, input, ({ thread_id }) =>
      withChain(active, thread_id, async (chain) => told(chainTold(chain))),
    ),
  chain_search: (active, input) =>
    checked(CHAIN_INPUTS.chain_search, input, (value) =>
      withChain(active, value.thread_id, (chain) => searchChain(active, value, chain)),
    ),
};

export function isLook(tool: string): boolean {
  return Object.hasOwn(LOOKS, tool);
}

export async function performLook(active: Active, tool: string, input: unknown): Promise<ToolOutcome> {
  return LOOKS[tool]?.(active, input) ?? failure(`there is no look ${tool}`);
}

async function checked<Value>(
  schema: Parameters<typeof checkInput<Value>>[0],
  input: unknown,
  act: (value: Value) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { complaint, ...rest } = checkInput(schema, input);
  return complaint === undefined ? act((rest as { value: Value }).value) : failure(complaint);
}

/** A model is shown its own chain and those below it. Whether there are others is not told. */
async function withChain(
  active: Active,
  asked: string | undefined,
  look: (chain: readonly ThreadRow[]) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { world, thread } = active;
  const id = asked ?? thread.id;
  const [row] = await world.store.find({ threadId: id, limit: 1 });
  const isOwn = row?.chain_root_id === thread.chainRootId;
  if (!row || !(isOwn || (await relative(active, id, false))))
    return failure(`${oneLine(id, 200)} is neither of this thread's chain nor below it`);
  try {
    return await look(await chainOf(world.store, row));
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    return failure(`the chain is damaged: ${error.message}`);
  }
}

async function searchChain(
  { world, tools }: Active,
  { query, search_type: how, limit }: ChainSearchInput,
  chain: readonly ThreadRow[],
): Promise<ToolOutcome> {
  if (how === "regex") await loadPatterns();
  const matcher = compileQuery({ text: query, how });
  if ("why" in matcher) return failure(`query: ${matcher.why}`);
  const { clock, settings } = world;
  const late = new AbortController();
  const until = clock.monotonic() + LONGEST_MS;
  const scope = { threadIds: chain.map(({ thread_id }) => thread_id) };
  const ask = { matcher, about: [], context: 0, limit: limit + SPARE_HITS, scope };
  const found = await search(world.store, ask, {
    signal: AbortSignal.any([tools.signal, late.signal]),
    chars: Math.floor(settings.tool.model_output_chars / 2),
    pause: async () => {
      if (clock.monotonic() > until) late.abort();
      await clock.sleep(0);
    },
  });
  if (tools.signal.aborted) return { status: "stopped", output: "stopped" };
  return told(hitsTold(found, limit));
}

function told(value: unknown): ToolOutcome {
  return { status: "ok", output: JSON.stringify(value) };
}

function failure(output: string): ToolOutcome {
  return { status: "error", output };
}
