/** `selvage init`: a project with a runnable example. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import type { Answer } from "../answer.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";

interface InitOptions {
  readonly force?: boolean;
  readonly template: "minimal" | "waves";
}

export function initCommand(play: Play): Command {
  return new Command("init")
    .description("make a project here, with an example that runs without a key")
    .argument("[folder]", "where; made if it does not exist")
    .addOption(
      new Option("--template <name>", "what to begin with: one thread, or a tree that works in waves")
        .choices(["minimal", "waves"])
        .default("minimal"),
    )
    .option("--force", "write the example files anew where they exist")
    .action((folder: string | undefined, options: InitOptions) =>
      play((session) => init(session, folder, options)),
    );
}

const ABOUT: Readonly<Record<string, string>> = {
  ".ai/directives/hello.md": "three turns, two tools",
  ".ai/scripts/hello.yaml": "what the scripted model answers: no key needed",
  ".ai/config/resilience.yaml": "retries, durability, recovery: all settings, commented",
  ".gitignore": "+ .ai/threads/",
  ".ai/directives/build_crud_app.md": "three waves, four children, $3.00 budget",
  ".ai/config/hooks.yaml": "one example per moment, commented",
  ".ai/config/models.yaml": "prices, windows and tiers of your own, commented",
};

async function init(
  session: Session,
  folder: string | undefined,
  { force = false, template }: InitOptions,
): Promise<Answer> {
  const root = resolve(session.folder, folder ?? ".");
  // What was there before may be somebody else's: only what init wrote itself is trusted by it (F7).
  const isOurs =
    !existsSync(join(root, ".ai")) || session.house.trustOf(session.house.findProject(root)).trusted;
  const { created, skipped } = session.house.init(root, { force, template });
  const project = session.open(session.house.findProject(root), isOurs ? "work" : "look");
  if (isOurs) project.trust();
  const trusted = isOurs;
  const run = template === "waves" ? "selvage run build_crud_app" : "selvage run hello";
  const next = [...(trusted ? [] : ["selvage trust"]), run, "selvage demo"];
  const data = { project: project.root, created, skipped, trusted, next };
  return { kind: "init", exit: 0, data, text: describe(project.root, data), hint: steps(trusted, template) };
}

function describe(root: string, { created }: { created: readonly string[] }): string {
  if (created.length === 0) return `Nothing to do: ${root} has everything already.`;
  const width = Math.max(...created.map((path) => path.length));
  const lines = created.map((path) => `  ${path.padEnd(width)}   ${ABOUT[path] ?? ""}`.trimEnd());
  return [`Created .ai/ in ${root}`, ...lines].join("\n");
}

function steps(trusted: boolean, template: InitOptions["template"]): string {
  const run =
    template === "waves"
      ? "  selvage run build_crud_app   three waves, four children, one budget; scripted, needs no key"
      : "  selvage run hello            your first thread; scripted, needs no key";
  return [
    "",
    ...(trusted ? [] : ["  selvage trust                .ai/ was there before: look at it, then trust it"]),
    run,
    "  selvage demo                 a story of 25 s: waves, a rate limit, a real crash, recovery, an approval",
  ].join("\n");
}
