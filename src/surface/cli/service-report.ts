/** How the service of a project is: what systemd knows of it, and what its threads do. */
import { EXIT } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import { statusReader } from "../host/host-commands.ts";
import { systemctl, type UnitScope } from "../host/systemd.ts";
import type { Answer } from "./answer.ts";
import { age, counted } from "./moment.ts";
import type { Session } from "./session.ts";

const PROPERTIES = [
  ...["ActiveState", "SubState", "ActiveEnterTimestamp", "NRestarts"],
  ...["Result", "ExecMainCode", "ExecMainStatus", "MainPID", "StatusText"],
];

interface ServiceAsk {
  readonly root: string;
  readonly scope: UnitScope;
  readonly name: string;
  readonly chat: readonly string[] | undefined;
}

export async function serviceReport(
  session: Session,
  { root, scope, name, chat }: ServiceAsk,
): Promise<Answer> {
  const unit = `${name}.service`;
  const shown = await systemctl(scope, ["show", unit, `--property=${PROPERTIES.join(",")}`]);
  const known = parseShow(shown);
  const { world } = session.open(root);
  const { counts, spend_today, text: threads } = await statusReader(world)();
  const active = known["ActiveState"] === "active";
  const since = timeOf(known["ActiveEnterTimestamp"]);
  const restarts = Number(known["NRestarts"] ?? 0);
  const last_exit = lastExit(known);
  const data = {
    ...{ unit, active, state: known["ActiveState"] ?? "unknown", since, restarts, last_exit },
    ...{ pid: Number(known["MainPID"] ?? 0) || null, counts, spend_today },
    chat: chat ?? null,
  };
  const lines = [
    `${active ? "✓" : "✗"} ${unit} ${data.state}${sinceText(world, since)}${data.pid ? ` · pid ${data.pid}` : ""}`,
    `  ${restarts === 0 ? "never started again" : counted(restarts, "restart")}${last_exit ? ` · last end: ${last_exit}` : ""}`,
    `  ${threads}`,
    ...(chat ? [`  chat: ${chat.join(" ") || "all platforms of chat.yaml"}`] : []),
  ];
  const exit = active ? EXIT.ok : EXIT.wrong_state;
  const hint = active ? "" : "  next  selvage service logs";
  return { kind: "service.status", exit, data, text: lines.join("\n"), hint };
}

/** Lines of NAME=value, as `systemctl show` prints them. */
export function parseShow(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1).trim()]] : [];
    }),
  );
}

/** `Sun 2026-11-15 10:02:11 UTC`; null where it says nothing, or in a zone that only it knows. */
export function timeOf(text = ""): string | null {
  const [, date, time, zone] = /^\w+ (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?: (\S+))?$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return null;
  const when = new Date(`${date}T${time}${zone === "UTC" || zone === "GMT" ? "Z" : ""}`);
  return Number.isNaN(when.getTime()) ? null : when.toISOString();
}

function sinceText({ clock }: World, since: string | null): string {
  return since === null ? "" : ` for ${age(clock.now() - Date.parse(since))}`;
}

/** Codes as in `siginfo`: 1 is an exit, 2 and 3 are signals. */
function lastExit(known: Readonly<Record<string, string>>): string | null {
  const { Result: result = "success", ExecMainCode: code = "0", ExecMainStatus: status = "0" } = known;
  if (code === "0") return result === "success" ? null : result;
  const how = code === "1" ? `exit ${status}` : `signal ${status}`;
  return result === "success" ? how : `${how} (${result})`;
}
