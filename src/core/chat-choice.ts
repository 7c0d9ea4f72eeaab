/** Which of the platforms in chat.yaml a bot is started on, and with what. */
import type { ChatSettings } from "./chat-file.ts";
import { closest } from "./closest.ts";
import { Problem } from "./problem.ts";
import { oneLine } from "./text.ts";

export interface ChosenPlatform {
  readonly name: string;
  /** The last part of the name of the package that speaks to it. */
  readonly adapter: string;
  /** As its adapter names them, with tokens. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The values that nobody should see. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** Messages come to us over HTTP; otherwise it keeps a connection of its own. */
  readonly hasWebhook: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Platforms = ChatSettings["platforms"];

/** The ways in which adapters fetch messages themselves. */
const FETCHES: readonly unknown[] = ["socket", "polling"];

/** Those that were asked for, or all. Throws a Problem for one that is not there, or whose token is not. */
export function choosePlatforms(
  platforms: Platforms,
  asked: readonly string[],
  environment: Environment,
): readonly ChosenPlatform[] {
  return requirePlatforms(platforms, asked).flatMap((name) => {
    const platform = platforms[name];
    return platform ? [chosen(name, platform, environment)] : [];
  });
}

/** Their names alone, where their tokens are not needed. */
export function requirePlatforms(platforms: Platforms, asked: readonly string[]): readonly string[] {
  const there = Object.keys(platforms);
  if (there.length === 0) throw none(asked);
  for (const name of asked) if (!there.includes(name)) throw unknown(name, there);
  return asked.length === 0 ? there : [...new Set(asked)];
}

function chosen(name: string, platform: Platforms[string], environment: Environment): ChosenPlatform {
  const { adapter = name, env, options } = platform;
  const values = Object.entries(env).map(([option, variable]) => ({
    ...{ option, name: variable, value: environment[variable]?.trim() ?? "" },
  }));
  const unset = values.filter(({ value }) => value === "");
  if (unset.length > 0)
    throw notSet(
      name,
      unset.map((each) => each.name),
    );
  return {
    ...{ name, adapter, hasWebhook: !FETCHES.includes(options["mode"]) },
    options: { ...options, ...Object.fromEntries(values.map(({ option, value }) => [option, value])) },
    secrets: values.map((each) => ({ name: each.name, value: each.value })),
  };
}

function none(asked: readonly string[]): Problem {
  const [name = "slack"] = asked;
  return new Problem("E_CHAT_PLATFORM", {
    what: "chat.yaml names no chat platform.",
    why: `A bot is started on the platforms that stand there, with the variables that hold their tokens: platforms: { ${oneLine(name, 40)}: { env: { … } } }. Nothing was started.`,
    next: [
      { cmd: "selvage chat", why: "talks with the agent here, without a platform" },
      { cmd: "selvage config check", why: "reads .ai/config/chat.yaml and says what is wrong with it" },
    ],
  });
}

function unknown(name: string, there: readonly string[]): Problem {
  const [near] = closest(name, there);
  const shown = oneLine(name, 40);
  return new Problem("E_CHAT_PLATFORM", {
    what: `chat.yaml names no platform ${shown}.`,
    why: `It names: ${there.join(", ")}.${near === undefined ? "" : ` Did you mean ${near}?`} Nothing was started.`,
    next: [{ cmd: `selvage serve --chat ${near ?? there[0]}`, why: "starts that one" }],
  });
}

function notSet(name: string, variables: readonly string[]): Problem {
  const [first = ""] = variables;
  const isOne = variables.length === 1;
  return new Problem("E_CHAT_PLATFORM", {
    what: `The chat platform ${name} needs ${variables.join(" and ")}, which ${isOne ? "is" : "are"} not set.`,
    why: `chat.yaml says that ${isOne ? "this variable holds" : "these variables hold"} what it asks for. Nothing was started.`,
    next: [
      { cmd: `export ${first}=…`, why: "in the shell that starts it" },
      {
        cmd: "selvage service install --chat --env-file FILE",
        why: "for a service; a line NAME=value for each",
      },
    ],
  });
}
