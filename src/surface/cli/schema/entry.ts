/** A kind of answer, as the table of kinds has it. */
import type { ZodMiniType } from "zod/mini";

export interface KindEntry {
  /** Which command prints it. */
  readonly about: string;
  /** The shape of its `data`; made when it is asked for. */
  readonly data: () => ZodMiniType;
}
