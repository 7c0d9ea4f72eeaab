/**
 * A page of docs/ as a test: its files are written and its commands run, in their order, in one project.
 *   ```yaml .ai/config/hooks.yaml   a file of the project
 *   ```console                      `$ command` with what it prints on stdout; `# exit 3` after it, where that is not 0
 * `…` stands for whatever changes from run to run; alone on a line, for any number of lines.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { Place } from "../cli/cli.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

type Step =
  | { readonly type: "file"; readonly path: string; readonly text: string }
  | { readonly type: "command"; readonly command: string; readonly exit: number; readonly shown: string };

export class Page {
  readonly steps: readonly Step[];

  constructor(name: string) {
    const text = readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
    this.steps = [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```/gm)].flatMap(
      ([, language, path, body = ""]) => {
        if (language === "console") return commandsOf(body);
        return path === undefined ? [] : [{ type: "file" as const, path, text: body }];
      },
    );
  }

  get commands(): number {
    return this.steps.filter(({ type }) => type === "command").length;
  }

  /** In a new project, as a reader who follows the page from its beginning to its end. */
  play(): void {
    const place = new Place();
    try {
      const env = { ...place.env, PATH: `${shim(place)}:${place.env["PATH"]}` };
      for (const step of this.steps) {
        // As a person writes it: whoever trusts the project is asked about it.
        if (step.type === "file") writeFile(join(place.root, step.path), step.text);
        else hold(step, place.root, env);
      }
    } finally {
      place.remove();
    }
  }
}

function commandsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [line = "", ...shown] = step.trimEnd().split("\n");
      const [, command = line, exit = "0"] = /^(.*?)\s+# exit (\d+)$/.exec(line) ?? [];
      return { type: "command", command, exit: Number(exit), shown: shown.join("\n") };
    });
}

function hold({ command, exit, shown }: Step & { type: "command" }, cwd: string, env: NodeJS.ProcessEnv) {
  const { stdout, stderr, status, signal } = spawnSync("/bin/sh", ["-c", command], {
    ...{ cwd, env, encoding: "utf8", timeout: 60_000 },
  });
  expect({ command, exit: status, signal, stderr: status === exit ? "" : stderr }).toEqual({
    ...{ command, exit, signal: null, stderr: "" },
  });
  if (!fits(linesOf(shown), linesOf(stdout)))
    expect(`$ ${command}\n${stdout}`).toBe(`$ ${command}\n${shown}`);
}

/** Line by line: a pattern over the whole text could take for ever to find that it does not fit. */
function fits(shown: readonly string[], printed: readonly string[]): boolean {
  const [line, ...rest] = shown;
  if (line === undefined) return printed.length === 0;
  if (line.trim() === "…") return printed.some((_, at) => fits(rest, printed.slice(at))) || fits(rest, []);
  const [first, ...others] = printed;
  return first !== undefined && lineFits(line, first) && fits(rest, others);
}

function lineFits(shown: string, printed: string): boolean {
  const parts = shown.split("…");
  const [head = "", ...tail] = parts;
  const last = tail.pop();
  if (last === undefined) return shown === printed;
  if (!printed.startsWith(head)) return false;
  let at = head.length;
  for (const part of tail) {
    const found = printed.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return printed.length - last.length >= at && printed.endsWith(last);
}

function linesOf(text: string): string[] {
  return text.trimEnd() === "" ? [] : text.trimEnd().split("\n");
}

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The command that is being tested, under the name that readers type. */
function shim(place: Place): string {
  const bin = join(place.folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "selvage"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(bin, "selvage"), 0o755);
  return bin;
}
