/** Items of a project as they are read for a model: a port. What may be read is decided before it is asked (K1). */
import type { ItemType } from "./item.ts";

/** Those that are files of their own; tools are known by what they made of themselves. */
export type FiledType = Exclude<ItemType, "tool">;

export interface ItemText {
  /** From the project's folder. */
  readonly source: string;
  /** The whole file, as far as it was read. */
  readonly text: string;
  /** What is not as it should be: it was cut. */
  readonly note?: string | undefined;
  /** What its head says; worked out when asked for, since most files that are searched are not shown. */
  about(): ItemHead;
}

export interface ItemHead {
  readonly description: string;
  /** Without the head. */
  readonly body: string;
  /** What is wrong with the head. */
  readonly problem?: string | undefined;
}

export type ItemRead = ItemText | { readonly missing: true } | { readonly refused: string };

export interface Items {
  /** Names in order, and whether there are more than anybody looks through. */
  list(type: FiledType): Promise<{ readonly ids: readonly string[]; readonly isCut: boolean }>;
  /** `id` has passed `itemIdProblem`. Never more than `most` bytes; never anything but a file of the project itself. */
  read(type: FiledType, id: string, most: number): Promise<ItemRead>;
  /** Names of all tools beside those of the runtime. */
  tools(): readonly string[];
}
