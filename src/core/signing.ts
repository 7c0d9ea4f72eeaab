/**
 * The verb `sign` (D2) in the hands of a model. A signature is a person's word, and no model may raise its own trust:
 *   S1. It needs the tool and, for each item, a right of its own: `sign.directive.plan`. `execute.tool.*` is not enough.
 *   S2. A person is asked about every call, however the right was granted.
 *   S3. The call names the hash of what it covers, so a yes is to these bytes and to no others.
 */
import * as z from "zod/mini";
import { idProblem } from "./id.ts";
import { zodInput } from "./input.ts";
import { anyOf, itemRight } from "./item-right.ts";
import { toolRight } from "./right.ts";
import { leaveFor, type Rights } from "./rights.ts";

export const SIGN_TOOL = "sign";

const Input = () =>
  z.object({
    item_type: z.enum(["directive", "tool", "knowledge", "skill"]),
    item_id: z.string().check(
      z.refine((id) => idProblem(id) === undefined, "no name of an item"),
      z.describe("Its name, as in directive:NAME."),
    ),
    sha256: z
      .string()
      .check(
        z.regex(/^[0-9a-f]{64}$/, "expected a SHA-256, 64 hexadecimal digits"),
        z.describe("Of the file without its signature line: a yes is to these bytes alone."),
      ),
  });

export const signInput = zodInput(Input);

/** What signing this item needs beside the tool; of an input that does not fit nothing is known. */
export function signRights(input: unknown): string[] {
  const { item_type, item_id } = z.safeParse(Input(), input).data ?? {};
  return item_id === undefined ? [] : [itemRight("sign", item_type, item_id)];
}

/** Whether a thread could ever use it: who may sign nothing is not offered to. */
export function isOffered(rights: Rights, tool: string): boolean {
  if (leaveFor(rights, toolRight(tool)) === "denied") return false;
  return tool !== SIGN_TOOL || anyOf(rights, itemRight("sign", undefined, "*"));
}
