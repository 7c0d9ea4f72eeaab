/** What `ps` and `recover --scan` say after the kill, in the words of the story. */
import { showShort } from "../../../core/money.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { oneLine } from "../../../core/text.ts";
import { VIEWS, type View } from "../glyph.ts";
import { counted } from "../moment.ts";

export interface PsData {
  readonly threads: readonly {
    readonly directive: string;
    readonly view: View;
    readonly host: { readonly pid?: number | null; readonly alive?: boolean } | null;
  }[];
}

/** One thread of a plan, as `recover` gives it to programs. */
export interface PlanData {
  readonly thread_id: string;
  readonly directive: string;
  readonly turn: number;
  readonly reason: string;
  readonly model_call_again: boolean;
  readonly waits_for: readonly string[];
  readonly in_flight: readonly {
    readonly tool: string;
    readonly input: unknown;
    readonly repeatable: boolean;
  }[];
}

/** `! plan_react_ui, ◌ build_crud_app waiting   (owner pid 4312 is dead)` */
export function psText(threads: PsData["threads"]): string {
  const shown = threads.map(({ view, directive }) => `${VIEWS[view].glyph} ${directive} ${view}`);
  const dead = new Set(threads.flatMap(({ host }) => (host?.alive === false ? [host.pid] : [])));
  const owners = [...dead].map((pid) => `owner pid ${pid} is dead`);
  return `${shown.join(", ")}${owners.length > 0 ? `   (${owners.join(", ")})` : ""}`;
}

export function planLines(plan: readonly PlanData[], rows: readonly ThreadRow[]): string[] {
  const names = new Map(rows.map(({ thread_id, directive }) => [thread_id, directive]));
  const width = Math.max(0, ...plan.map(({ directive }) => directive.length));
  const place = ({ thread_id }: PlanData) => rows.findIndex((row) => row.thread_id === thread_id);
  const sorted = [...plan].sort((left, right) => place(left) - place(right));
  return sorted.map((line) => {
    const parts = [
      ...keptText(
        rows.filter(({ parent_id, status }) => parent_id === line.thread_id && status === "completed"),
      ),
      ...line.waits_for.map((id) => `waiting for ${names.get(id) ?? id}`),
      ...callText(line),
    ];
    return `${line.directive.padEnd(width)}   turn ${line.turn}   ${parts.join(", ")}`;
  });
}

function keptText(children: readonly ThreadRow[]): string[] {
  if (children.length === 0) return [];
  const spent = children.reduce((sum, row) => sum + row.spent + row.below, 0);
  return [`kept ${counted(children.length, "finished child", "finished children")} (${showShort(spent)})`];
}

function callText({ in_flight, model_call_again, waits_for }: PlanData): string[] {
  if (model_call_again) return ["the model is asked again"];
  if (in_flight.length === 0 && waits_for.length > 0) return [];
  const calls = in_flight.map(({ tool, input, repeatable }) => {
    const { path } = (input ?? {}) as { path?: unknown };
    const what = oneLine([tool, path].filter(Boolean).join(" "), 60);
    return `${what} (${repeatable ? "safe to repeat" : "outcome unknown"})`;
  });
  return ["model answer kept", `${counted(calls.length, "tool")} had started: ${calls.join(", ")}`];
}
