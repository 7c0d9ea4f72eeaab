/** Items (D2, F1): what stands in `.ai/` under a name, and the verbs over it. */
import * as z from "zod/mini";
import { closest } from "./closest.ts";
import { idProblem } from "./id.ts";
import { zodInput } from "./input.ts";

export const ITEM_TYPES = ["tool", "directive", "knowledge", "skill"] as const;
export type ItemType = (typeof ITEM_TYPES)[number];

export const EXECUTE_TOOL = "execute";

const MOST_FOUND = 50;

const itemType = z.enum(ITEM_TYPES, {
  error: ({ input }) => {
    const given = String(input).slice(0, 40);
    const [meant] = closest(given, ITEM_TYPES);
    const hint = meant ? `did you mean "${meant}"?` : `there are ${ITEM_TYPES.join(", ")}`;
    return input === undefined ? `it is missing; ${hint}` : `"${given}" is no type of item; ${hint}`;
  },
});

const itemId = z.string().check(
  z.refine((id) => itemIdProblem(id) === undefined, {
    error: ({ input }) => `no name of an item: ${itemIdProblem(String(input))}`,
  }),
  z.describe("Its name: the path under its folder in .ai/, without the ending."),
);

/** Names of files may have capitals, which names of threads and directives have not. */
export function itemIdProblem(id: string): string | undefined {
  const why = idProblem(id.toLowerCase());
  return why?.startsWith("only ")
    ? "only letters, digits and . _ - are allowed, with / between segments"
    : why;
}

const Execute = () =>
  z.object({
    item_type: itemType.check(
      z.describe("tool: calls it. directive: starts it as a child, as thread_tool does."),
    ),
    item_id: itemId,
    parameters: z
      ._default(z.record(z.string(), z.unknown()), {})
      .check(z.describe("What the tool is called with, or the inputs of the directive.")),
  });

const Load = () =>
  z.object({
    item_type: itemType,
    item_id: itemId,
    offset: z._default(z.int().check(z.positive()), 1).check(z.describe("The first line, counted from 1.")),
  });

const Search = () =>
  z.object({
    query: z
      .string()
      .check(z.minLength(1), z.maxLength(200), z.describe("Words; those that hold most of them come first.")),
    item_type: z.optional(itemType).check(z.describe("Only items of this type.")),
    limit: z._default(z.int().check(z.minimum(1), z.maximum(MOST_FOUND)), 10),
  });

export const ITEM_INPUTS = {
  execute: zodInput(Execute),
  search: zodInput(Search),
  load: zodInput(Load),
};

export type ExecuteInput = z.output<ReturnType<typeof Execute>>;
export type LoadInput = z.output<ReturnType<typeof Load>>;
export type ItemSearchInput = z.output<ReturnType<typeof Search>>;

export const ITEM_DESCRIPTIONS: Readonly<Record<keyof typeof ITEM_INPUTS, string>> = {
  execute:
    "Does what an item is for: calls a tool, or starts a directive as a child. It is the same as calling the tool itself, and needs the same rights.",
  search:
    "Finds items of the project by words in their names, descriptions and texts: tools, directives, knowledge, skills. Only what this thread may load is found.",
  load: "Brings the text of an item: of knowledge, of a skill or a directive what its file says, of a tool its description and its input.",
};
