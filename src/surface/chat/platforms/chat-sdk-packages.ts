/** The packages that speak to platforms are not ours and need not be there: they are looked for when one is named. */
import type * as Sdk from "chat";
import { Problem } from "../../../core/problem.ts";

export type Load = (name: string) => Promise<unknown>;

export type ChatPackage = typeof Sdk;

/** The line of versions that this was made for; the adapters of it want the same one. */
const LINE = "4";
const NAMES = /^[a-z][a-z0-9-]*$/;

export async function loadChat(load: Load, platform: string): Promise<ChatPackage> {
  return (await loaded(load, "chat", platform)) as ChatPackage;
}

/** Clients that try again by themselves would do so behind our back, and be heard of after we have given up. */
const OURS: Readonly<Record<string, object>> = {
  slack: {
    webClientOptions: {
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: 20_000,
      logLevel: "error",
    },
  },
};

export async function loadAdapter(load: Load, platform: string, settings: object): Promise<Sdk.Adapter> {
  if (!NAMES.test(platform)) {
    throw new Problem("E_CHAT_PLATFORM", {
      what: `${JSON.stringify(platform)} is not the name of a chat platform`,
      why: "it is the last part of the name of a package: slack, discord, telegram, teams, gchat",
    });
  }
  const packageName = `@chat-adapter/${platform}`;
  const make = maker(await loaded(load, packageName, platform));
  if (!make) {
    throw new Problem("E_CHAT_PLATFORM", { what: `The package ${packageName} has no adapter in it` });
  }
  try {
    return make({ ...OURS[platform], ...settings });
  } catch (cause) {
    throw notOpened(platform, cause);
  }
}

export function notOpened(platform: string, cause: unknown): Problem {
  return new Problem("E_CHAT_PLATFORM", {
    what: `The chat platform ${platform} could not be opened`,
    why: cause instanceof Error ? cause.message : "its adapter did not say why",
    cause,
  });
}

async function loaded(load: Load, name: string, platform: string): Promise<unknown> {
  try {
    return await load(name);
  } catch (cause) {
    if (!isMissing(cause, name)) throw notOpened(platform, cause);
    const cmd = `npm install chat@${LINE} @chat-adapter/${platform}@${LINE}`;
    throw new Problem("E_CHAT_PACKAGE", {
      what: `The chat platform ${platform} needs the package ${name}, which is not installed`,
      why: "packages for chat platforms are not installed with Selvage",
      next: [{ cmd, why: "installs what speaks to it: in the project's folder, or beside Selvage" }],
      cause,
    });
  }
}

/** It itself, and not something that it needs. */
function isMissing(cause: unknown, name: string): boolean {
  if (!(cause instanceof Error)) return false;
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ERR_MODULE_NOT_FOUND" && cause.message.includes(`'${name}'`);
}

/** Each adapter's package has one function that makes it: `createSlackAdapter`. */
function maker(adapters: unknown): ((settings: object) => Sdk.Adapter) | undefined {
  const found = Object.entries(adapters as object).find(([name]) =>
    /^create[A-Z]\w*Adapter$/.test(name),
  )?.[1];
  return typeof found === "function" ? (found as (settings: object) => Sdk.Adapter) : undefined;
}
