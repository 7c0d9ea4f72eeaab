/** `selvage explain CODE`: the page of an error, without a network. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { isProblemCode, PAGES, Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import type { Play } from "../program.ts";

export function explainCommand(play: Play): Command {
  return new Command("explain")
    .description("what an error code means and what to do")
    .argument("[code]", "such as E_LOCKED; without one, all of them")
    .action((code: string | undefined) => play(async () => (code === undefined ? list() : explain(code))));
}

function explain(text: string): Answer {
  const code = text.toUpperCase();
  if (!isProblemCode(code)) throw unknown(text);
  const page = PAGES[code];
  const steps = page.steps.map((step) => `  - ${step}`);
  const shown = [
    `${code}: ${page.title}`,
    "",
    page.meaning,
    "",
    "What you can do:",
    ...steps,
    "",
    `Exit code ${page.exit}.`,
  ];
  const data = { code, title: page.title, meaning: page.meaning, steps: page.steps, exit: page.exit };
  return { kind: "explain", exit: 0, data, text: shown.join("\n") };
}

function list(): Answer {
  const codes = Object.entries(PAGES).map(([code, { title, exit }]) => ({ code, title, exit }));
  const text = codes.map(({ code, title }) => `${code.padEnd(24)} ${title}`).join("\n");
  return { kind: "explain", exit: 0, data: { codes }, text };
}

function unknown(text: string): Problem {
  const near = closest(text.toUpperCase(), Object.keys(PAGES));
  return new Problem("E_CODE_UNKNOWN", {
    what: `There is no error code ${oneLine(text, 40)}.`,
    why: near.length > 0 ? `Close to it: ${near.join(", ")}.` : "No code is close to it.",
    next: [
      { cmd: `selvage explain ${near[0] ?? ""}`.trim(), why: near[0] ? "the closest" : "lists all of them" },
    ],
  });
}
