// Every command in every kind of trouble: one record, which agrees with the exit code, and a way on that can be typed.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, CommanderError } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../src/core/problem.ts";
import { allCommands, buildProgram } from "../../src/surface/cli/program.ts";
import { checked, type Ended, Place, scripted } from "./cli.ts";

interface Asked extends Ended {
  readonly args: string[];
  readonly root: string;
}

const commands = await allCommands();
const program = () => buildProgram({ play: async () => {}, write: () => {} }, commands);

/** Commands that do something, each as it is typed. These take half a minute, make a project, or wait for a shell. */
const LEFT_OUT = ["demo", "init", "__complete"];
const leaves = (command: Command, path: string[] = []): { command: Command; path: string[] }[] =>
  command.commands
    .filter((each) => path.length > 0 || !LEFT_OUT.includes(each.name()))
    .flatMap((each) => {
      const here = [...path, each.name()];
      return each.commands.length > 0 ? leaves(each, here) : [{ command: each, path: here }];
    });

/** Something for each argument that has to be given: nothing of it is there. */
const given = (command: Command) =>
  command.registeredArguments
    .filter(({ required }) => required)
    .map(
      (argument) =>
        ({ shell: "bash", key: "retry.max_retries", event: "limit" })[argument.name()] ?? "nobody-1-abcdef",
    );

/** A host stays until it is told to go. */
const FLAGS: Readonly<Record<string, readonly string[]>> = { serve: ["--stop"] };

const places: Place[] = [];
let answers: Asked[];
let well: Place;

beforeAll(async () => {
  const files = scripted("hello", "- says: hello\n");
  well = new Place(files);
  await well.ok("trust", "--yes");
  await well.ok("run", "hello");
  const [empty, strange, broken] = [new Place(), new Place(files), new Place(files)];
  await broken.run(["trust", "--yes"], well.env);
  writeFileSync(join(broken.root, ".ai/threads/registry.db"), "no database at all, ".repeat(200));
  places.push(well, empty, strange, broken);
  const asks = leaves(program()).flatMap(({ command, path }) => {
    const whole = [...path, ...given(command), ...(FLAGS[path.join(" ")] ?? []), "--json", "--no-input"];
    return [
      { root: well.root, args: [...path, "--no-such-flag", "--json"] },
      ...places.map(({ root }) => ({ root, args: whole })),
    ];
  });
  const report = join(well.folder, "report.json");
  const cli = join(import.meta.dirname, "../../dist/cli.js");
  const input = JSON.stringify({ cli, report, asks });
  spawnSync(process.execPath, [join(import.meta.dirname, "asked.mjs")], {
    input,
    env: well.env,
    cwd: well.root,
    // One that never ends must not keep everything after it.
    timeout: 240_000,
  });
  answers = JSON.parse(readFileSync(report, "utf8"));
}, 300_000);
afterAll(() => {
  for (const place of places) place.remove();
});

const named = ({ args, root }: Asked) =>
  `${args.join(" ")} in ${places.findIndex((place) => place.root === root)}`;

/** As a shell would cut it; what stands for something else is a word. */
const wordsOf = (line: string) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));

async function parses(line: string): Promise<string | undefined> {
  const [name, ...words] = wordsOf(line);
  if (name !== "selvage") return undefined;
  try {
    await program().parseAsync(words, { from: "user" });
    return undefined;
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? undefined : (error as Error).message;
  }
}

describe("every command in trouble", () => {
  test("one record, that agrees with the exit code", () => {
    expect(answers.length).toBeGreaterThan(200);
    for (const answer of answers) {
      try {
        checked(answer);
      } catch (error) {
        throw new Error(`${named(answer)}: ${(error as Error).message}\n${answer.stdout}\n${answer.stderr}`);
      }
    }
  });

  test("what happened, why, and what to do, with a page for its code", () => {
    const wanting = answers.flatMap((answer) => {
      const { error } = JSON.parse(answer.stdout);
      if (!error) return [];
      const { code, what, why, next } = error;
      const isWhole = what && why && next.length > 0 && next.length <= 3 && Object.hasOwn(PAGES, code);
      return isWhole ? [] : [`${named(answer)}: ${JSON.stringify(error)}`];
    });
    expect(wanting).toEqual([]);
  });

  test("every way on can be typed", async () => {
    const wrong = new Set<string>();
    for (const { stdout } of answers) {
      for (const { cmd } of JSON.parse(stdout).error?.next ?? []) {
        const problem = await parses(cmd);
        if (problem !== undefined) wrong.add(`${cmd}: ${problem}`);
      }
    }
    expect([...wrong]).toEqual([]);
  });

  test("a flag that there is not is a usage error everywhere", () => {
    const codes = answers.filter(({ args }) => args.includes("--no-such-flag")).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([2]));
  });
});

test.each([
  [["ps", "--json"]],
  [["show", "nobody", "--json"]],
  [["run", "hello", "--jsonl"]],
  [["nonsense", "--json"]],
])("%j: the process is gone within two seconds of its last word", async (args) => {
  const { child, ended } = well.start(args);
  let lastWord = 0;
  child.stdout?.on("data", () => {
    lastWord = performance.now();
  });
  await ended;
  expect(performance.now() - lastWord).toBeLessThan(2_000);
});
