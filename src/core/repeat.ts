/** The same call with the same result, again and again (D8): the model is told, so that it tries something else. */
import { canonical } from "./id.ts";
import type { CallResult } from "./message.ts";

export interface Repeat {
  readonly tool: string;
  readonly input: unknown;
  readonly status: CallResult["status"];
  readonly output: string;
  readonly times: number;
}

const NOTICE_AT = 3;

/** The repeat after one more call, and its result as the model reads it. */
export function countRepeat(
  before: Repeat | undefined,
  call: { readonly tool: string; readonly input: unknown; readonly result: CallResult },
): { readonly repeat: Repeat; readonly result: CallResult } {
  const { tool, input, result } = call;
  const { status, output } = result;
  // The input comes last: most results differ, and it has to be written out to be compared.
  const isSame =
    before?.tool === tool &&
    before.status === status &&
    before.output === output &&
    canonical(before.input) === canonical(input);
  const times = isSame ? before.times + 1 : 1;
  const repeat = { tool, input, status, output, times };
  if (times < NOTICE_AT) return { repeat, result };
  return { repeat, result: { ...result, output: `${output}\n\n${notice(times)}` } };
}

function notice(times: number): string {
  return `[Notice: the same call gave the same result ${times} times in a row. Repeating it will not help; try something else.]`;
}
