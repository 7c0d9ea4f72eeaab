/** `selvage classify TEXT`: what would become of a failed request, and why. Nothing is asked and nothing is run. */
import { Command, InvalidArgumentError } from "commander";
import { errorFacts } from "../../../core/facts.ts";
import type { Failure } from "../../../core/failure.ts";
import { retryHint } from "../../../core/hint.ts";
import { matchHooks } from "../../../core/hook-match.ts";
import { Problem } from "../../../core/problem.ts";
import { retryPolicy } from "../../../core/retry.ts";
import { classify, ruleFor } from "../../../core/rule.ts";
import { failureSentence } from "../../../core/sentence.ts";
import { oneLine } from "../../../core/text.ts";
import { newThread } from "../../../core/thread.ts";
import type { Answer } from "../answer.ts";
import { type Judged, judgedText, outcomeOf, plainJudged, waitOf } from "../classified-text.ts";
import type { FailureRules } from "../house.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";

interface ClassifyOptions {
  readonly status?: number;
  readonly type?: string;
  readonly header: readonly string[];
}

export function classifyCommand(play: Play): Command {
  return new Command("classify")
    .description("what the error classifier makes of a message")
    .argument("<text>", 'what the provider said, such as "429 Too Many Requests"')
    .option(
      "--status <number>",
      "the HTTP status; without it, the number that the text begins with",
      parseStatus,
    )
    .option("--type <name>", "the provider's own name for it, such as overloaded_error")
    .option("--header <name=value>", "a header of the answer; may be given again", collect, [])
    .action((text: string, options: ClassifyOptions) =>
      play((session) => answer(session, failureOf(text, options, Date.now()))),
    );
}

async function answer(session: Session, failure: Failure): Promise<Answer> {
  const { rules, retry, hooks } = await rulesHere(session);
  const classified = classify(failure, rules);
  const { matched, broken } = matchHooks(hooks, "error", errorFacts(newThread("any"), failure, classified));
  for (const { hook, why } of broken) session.warn(`The hook ${hook.id} cannot be told: ${why}`);
  const policy = retryPolicy(retry, {});
  const judged: Judged = {
    classified,
    origin: ruleFor(failure, rules)?.origin ?? "built in",
    wait: waitOf(failure, classified, policy),
    outcome: outcomeOf(failure, classified, policy, Date.now()),
    hook: matched[0],
  };
  const data = asData(judged, failureSentence(failure, classified));
  const kind = "classification";
  const { flags, terminal } = session;
  if (flags.quiet) return { kind, exit: 0, data, text: classified.category };
  if (flags.plain) return { kind, exit: 0, data, text: plainJudged(judged) };
  return { kind, exit: 0, data, text: judgedText(judged, terminal, Date.now()) };
}

/** Outside a project the user's rules count, and the machine's. */
async function rulesHere(session: Session): Promise<FailureRules> {
  const root = projectHere(session);
  const trusted = root !== undefined && session.house.trustOf(root).trusted;
  if (root !== undefined && !trusted)
    session.warn("This project is not trusted: its rules, settings and hooks are left out");
  return session.house.failureRules(trusted ? root : undefined);
}

function projectHere(session: Session): string | undefined {
  try {
    return session.house.findProject(session.folder);
  } catch (error) {
    // To be outside is fine, unless a folder was named that should have been a project.
    const isOutside = error instanceof Problem && error.code === "E_NO_PROJECT";
    if (!isOutside || session.flags.project !== undefined) throw error;
    return undefined;
  }
}

function failureOf(text: string, options: ClassifyOptions, now: number): Failure {
  const status = options.status ?? statusIn(text);
  const headers = Object.fromEntries(options.header.map(headerOf));
  const hint = retryHint(status, headers, now);
  return {
    kind: "http",
    message: text,
    ...(status === undefined ? {} : { status }),
    ...(options.type === undefined ? {} : { type: options.type }),
    ...(hint === undefined ? {} : { retryAfterMs: hint.ms, retryAfterSource: hint.source }),
  };
}

/** As logs write it: `429 Too Many Requests`, `HTTP/1.1 503 …`. */
function statusIn(text: string): number | undefined {
  const [, status] = /^\s*(?:HTTP\/[\d.]{1,4} )?([45]\d\d)\b/i.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}

function headerOf(pair: string): readonly [string, string] {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase();
  if (/^[a-z0-9-]+$/.test(name)) return [name, pair.slice(at + 1).trim()];
  throw new Problem("E_USAGE", {
    what: `"${oneLine(pair, 60)}" is no header.`,
    why: "Headers are given as name=value.",
    next: [{ cmd: "selvage classify TEXT --header retry-after-ms=8500", why: "an example" }],
  });
}

function parseStatus(text: string): number {
  if (!/^[1-5]\d\d$/.test(text)) throw new InvalidArgumentError("A status is a number from 100 to 599.");
  return Number(text);
}

function collect(item: string, before: readonly string[]): readonly string[] {
  return [...before, item];
}

function asData({ classified, origin, wait, outcome, hook }: Judged, sentence: string) {
  return {
    category: classified.category,
    rule: classified.rule,
    policy: classified.policy ?? null,
    origin,
    wait: wait ?? null,
    outcome,
    sentence,
    hook: hook ? { id: hook.id, path: hook.where, when: hook.when?.source ?? null } : null,
  };
}
