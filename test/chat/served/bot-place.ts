// A project whose host has the chat bot, with a chat platform and a provider that the test plays.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Place, until } from "../../cli/cli.ts";
import { endServe, type Served } from "../../cli/served.ts";
import { PRICES, StandIn } from "../../provider/stand-in.ts";
import { Town } from "./town.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const DIRECTIVE = `---
description: Talks.
model: { id: anthropic/claude-test }
permissions: [execute.tool.bash]
---
Be kind.
`;
const ASKING = DIRECTIVE.replace("[execute.tool.bash]", "[execute.tool.bash, { ask: execute.tool.bash }]");

/** Tokens come from the environment; who may approve, and where the platform is, is the user's to say. */
const chatYaml = (more: string) => `platforms:
  offline:
    env: { url: OFFLINE_URL, token: OFFLINE_ENTRY }
${more}approve: [offline:maya]
late_seconds: 0
`;
/** What is posted first is the answer then, however slow this machine is. */
const QUIET = "progress: false\n";

export interface BotAsk {
  /** Every command of the agent asks first. */
  readonly asks?: boolean;
  /** The platform cannot list what we said. */
  readonly forgets?: boolean;
  /** Messages that tell how far the work is. */
  readonly progress?: boolean;
  /** Without the packages. */
  readonly bare?: boolean;
}

export class BotPlace extends Place {
  readonly town: Town;
  readonly standIn: StandIn;
  #served: Served | undefined;

  private constructor(town: Town, standIn: StandIn, ask: BotAsk) {
    super({
      ".ai/directives/chat.md": ask.asks ? ASKING : DIRECTIVE,
      ".ai/config/models.yaml": PRICES,
      ".ai/config/resilience.yaml": "retry: { max_retries: 1, base_delay_ms: 20 }\n",
    });
    this.town = town;
    this.standIn = standIn;
    Object.assign(this.env, {
      ...{ ANTHROPIC_API_KEY: "sk-canary-3f9a1c77e2", ANTHROPIC_BASE_URL: standIn.url },
      ...{ OFFLINE_URL: town.url, OFFLINE_ENTRY: town.token },
    });
    const options = ask.forgets ? "    options: { forgets: true }\n" : "";
    this.writeUsers("chat.yaml", `${chatYaml(options)}${ask.progress ? "" : QUIET}`);
    if (!ask.bare) this.#install();
  }

  static async make(ask: BotAsk = {}): Promise<BotPlace> {
    const place = new BotPlace(await Town.open(), await StandIn.start(), ask);
    await place.ok("trust", "--yes");
    return place;
  }

  /** Of the user, not of the project. */
  writeUsers(file: string, text: string): void {
    const path = join(this.folder, ".config/selvage", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Until it can be talked to, or hosts. */
  async serve(...args: string[]): Promise<Served> {
    const ask = ["serve", "--chat", "--chat-port", "0", ...args];
    const serve = this.start(ask);
    let out = "";
    serve.child.stdout?.on("data", (bytes) => {
      out += bytes;
    });
    let hasEnded = false;
    serve.ended.then(() => {
      hasEnded = true;
    });
    const door = () => /Chat: offline sends to (\S+)\.\n/.exec(out)?.[1];
    await until(() => door() !== undefined || hasEnded);
    if (hasEnded) throw new Error(JSON.stringify(await serve.ended));
    this.town.door = door() ?? "";
    this.#served = { pid: serve.child.pid ?? 0, serve, said: () => out };
    return this.#served;
  }

  async kill(): Promise<void> {
    const { serve } = this.#served ?? {};
    serve?.child.kill("SIGKILL");
    await serve?.ended;
    this.#served = undefined;
  }

  async close(): Promise<void> {
    if (this.#served) await endServe(this.#served);
    await this.town.close();
    await this.standIn.close();
    this.remove();
  }

  /** As `npm install` would have left it. */
  #install(): void {
    const modules = join(this.root, "node_modules");
    const own = join(modules, "@chat-adapter/offline");
    mkdirSync(own, { recursive: true });
    cpSync(at("offline-package.mjs"), join(own, "index.js"));
    writeFileSync(join(own, "package.json"), '{ "name": "@chat-adapter/offline", "type": "module" }');
    symlinkSync(at("../../../node_modules/chat"), join(modules, "chat"));
    symlinkSync(at("../../../node_modules/@chat-adapter/shared"), join(modules, "@chat-adapter/shared"));
  }
}
