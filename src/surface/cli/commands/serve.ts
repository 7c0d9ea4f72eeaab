/** `selvage serve`: hosts everything in a project until it is told to stop. */
import { Command, Option } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { World } from "../../../core/world.ts";
import { postInbox } from "../../../runtime/index.ts";
import { askProjectHost, projectHost } from "../../host/project-host.ts";
import type { Answer } from "../answer.ts";
import { platformNames } from "../chat-platforms-asked.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import type { OpenProject } from "../house.ts";
import { parsePort } from "../number.ts";
import { requirePerson } from "../operator.ts";
import { ownerName } from "../owner.ts";
import type { Play } from "../program.ts";
import { RECOVER_MODES, type RecoverMode, recoveryAtStart } from "../serve-recovery.ts";
import { hosted, Serving } from "../serving.ts";
import type { Session } from "../session.ts";

interface ServeOptions {
  /** True: on all platforms that chat.yaml names. */
  readonly chat?: true | readonly string[];
  readonly chatPort?: number;
  readonly chatHost?: string;
  readonly recover?: RecoverMode;
  readonly stop?: boolean;
}

/** It promises to be gone within 5 s; longer than this nobody waits. */
const STOP_MS = 10_000;
const LOOK_EVERY_MS = 50;

export function serveCommand(play: Play): Command {
  return new Command("serve")
    .description("host everything in this project until told to stop")
    .addOption(
      new Option(
        "--recover <how>",
        "threads that a dead process left: take them up, ask, or leave them (otherwise as the setting recover says)",
      ).choices(RECOVER_MODES),
    )
    .option(
      "--chat [platform...]",
      "with the chat bot, on these platforms of chat.yaml or on all; then --recover is auto unless it is said",
    )
    .option("--chat-port <port>", "where platforms send to (otherwise as chat.yaml says: 4780)", parsePort)
    .option("--chat-host <address>", "the address of this machine that is listened on (127.0.0.1)")
    .option("--stop", "end the one that runs; threads under way lose nothing")
    .action((options: ServeOptions) =>
      play((session) => (options.stop ? stop(session) : serve(session, options))),
    );
}

async function serve(session: Session, options: ServeOptions): Promise<Answer> {
  requirePerson("serve");
  const project = session.openTrusted();
  const { world, root } = project;
  const other = await projectHost(world);
  if (other) throw hosted(root, other);
  await world.ready?.();
  warnOfFallbacks(session, project);
  await postInbox(world, await world.store.candidates("*"));
  const chat = await chatOf(session, project, options);
  // Whoever talks with it does not sit here, and cannot be asked whether a thread may go on.
  const mode = options.recover ?? (chat ? "auto" : world.settings.recover);
  return new Serving(session, project, await recoveryAtStart(session, project, mode), chat).run();
}

/** Loaded when it is asked for: a host without it has no use for any of it. */
async function chatOf(session: Session, project: OpenProject, options: ServeOptions) {
  const { chat, chatPort: port, chatHost: host } = options;
  if (chat === undefined) {
    if (port === undefined && host === undefined) return undefined;
    throw new Problem("E_USAGE", {
      what: "--chat-port and --chat-host are about the chat bot.",
      why: "Without --chat there is none. Nothing was started.",
      next: [{ cmd: "selvage serve --chat", why: "starts it with the platforms of chat.yaml" }],
    });
  }
  const { ServeChat } = await import("../serve-chat.ts");
  return ServeChat.open(session, project, { platforms: platformNames(chat), port, host });
}

/** To stop what does not run is done already. */
async function stop(session: Session): Promise<Answer> {
  requirePerson("serve --stop");
  // Also of a project that has changed since somebody trusted it: nothing of it is read.
  const { world, root } = session.open();
  const host = await projectHost(world);
  if (!host)
    return { kind: "serve.stop", exit: EXIT.ok, data: { stopped: null }, text: "Nobody hosts this project." };
  const said = await askProjectHost(root, host, { type: "shutdown" });
  if (!said?.success) throw deaf(host.owner);
  const isGone = await gone(world, host.owner);
  const name = ownerName(host.owner);
  if (!isGone) throw deaf(host.owner);
  return { kind: "serve.stop", exit: EXIT.ok, data: { stopped: name }, text: `${name} has stopped.` };
}

async function gone({ clock, machine }: World, owner: string): Promise<boolean> {
  const deadline = clock.monotonic() + STOP_MS;
  while (clock.monotonic() < deadline) {
    if (machine.ownerState(owner) === "dead") return true;
    await clock.sleep(LOOK_EVERY_MS);
  }
  return false;
}

function deaf(owner: string): Problem {
  return new Problem("E_HOSTED", {
    what: `${ownerName(owner)} hosts this project and cannot be stopped from here.`,
    why: "It is a program that has the project open, or it does not answer.",
    next: [
      { cmd: "selvage status", why: "which process it is" },
      { cmd: "kill PID", why: "ends it; nothing that is stored is lost, whatever ends it" },
    ],
  });
}
