/** `selvage rpc`: the protocol for programs, as JSON lines on standard input and output. */
import { Command, Option } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { Notice } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { another, limitsSet } from "../limits-given.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { type Session, untrusted } from "../session.ts";

interface RpcOptions {
  readonly session?: string;
  readonly model?: string;
  readonly system?: string;
  readonly permit?: readonly string[];
  readonly set?: readonly string[];
  readonly recover: "auto" | "off";
}

export function rpcCommand(play: Play): Command {
  return new Command("rpc")
    .description("serve a program: JSON lines on standard input and output (docs/rpc.md)")
    .option("--session <id>", "go on with this chain: any thread of it, or @last")
    .option("--model <name>", "provider/model or a tier, for new chains")
    .option("--system <text>", "what their threads are, in a sentence or two")
    .option(
      "--permit <right>",
      "a right their threads have, such as execute.tool.read (again for more)",
      another,
    )
    .option("--set <limit=value>", "a limit of theirs, such as turns=100 (again for more)", another)
    .addOption(
      new Option("--recover <how>", "what becomes of threads that a crash left behind")
        .choices(["auto", "off"])
        .default("auto"),
    )
    .action((options: RpcOptions) => play((session) => rpc(session, options)));
}

async function rpc(session: Session, options: RpcOptions): Promise<Answer> {
  // Whoever serves a program starts threads with rights, and answers questions.
  requirePerson("rpc");
  const { terminal, house } = session;
  if (terminal.isMachine)
    throw new Problem("E_USAGE", {
      what: "selvage rpc speaks JSON already.",
      why: "--json and --jsonl are for commands that answer once.",
      next: [{ cmd: "selvage rpc", why: "without them" }],
    });
  const limits = limitsSet(options.set);
  const root = house.findProject(session.folder);
  const trust = house.trustOf(root);
  if (!trust.trusted) throw untrusted(root, trust, session.mayAsk);
  const { serveConnection } = await import("../../rpc/connection.ts");
  const { Outlet } = await import("../../rpc/outlet.ts");
  const interruption = session.interruption();
  const runtime = await house.openProgram(root, {
    recover: options.recover,
    onNotice: (notice) => tell(session, notice),
  });
  try {
    const outlet = new Outlet(
      { write: (text, done) => void process.stdout.write(text, () => done()) },
      house.redact,
    );
    if (!session.flags.quiet && process.stdin.isTTY)
      terminal.say("Commands are read from standard input, one JSON object a line; Ctrl-D ends.");
    await serveConnection(
      {
        ...{ runtime, version: house.version },
        models: () => house.config.models(root, { all: false }).models,
        session: {
          limits,
          ...(options.model === undefined ? {} : { model: options.model }),
          ...(options.system === undefined ? {} : { system: options.system }),
          ...(options.permit === undefined ? {} : { permissions: options.permit }),
        },
      },
      {
        ...{ input: process.stdin, outlet, thread: options.session },
        signal: AbortSignal.any([interruption.signal, terminal.gone]),
      },
    );
  } finally {
    process.stdin.destroy();
    await runtime.close();
  }
  return { kind: "rpc", exit: interruption.exit ?? EXIT.ok, data: {} };
}

/** What nobody asked for goes to standard error: standard output belongs to the protocol. */
function tell(session: Session, notice: Notice): void {
  const { terminal, flags } = session;
  if (notice.type === "sandbox" && notice.state !== "missing") {
    if (!flags.quiet) terminal.say(terminal.err.dim(notice.message));
  } else if (notice.type !== "event" && notice.type !== "live" && "message" in notice)
    session.warn(notice.message);
}
