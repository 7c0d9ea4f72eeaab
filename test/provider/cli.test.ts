// The built command line against a provider that stands in for the real ones.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place, until } from "../cli/cli.ts";
import { CANARY, type Wire } from "./asking.ts";
import { answers, fallsSilent, PRICES, StandIn, streams, streamsThen } from "./stand-in.ts";
import { CERTIFICATE, HOST, secureStandIn, TestProxy } from "./tunnel.ts";
import { anthropic, openai } from "./wire.ts";

const WIRES = [
  { wire: "anthropic" as Wire, say: anthropic, model: "anthropic/claude-test" },
  { wire: "openai" as Wire, say: openai, model: "openai/gpt-test" },
];

let place: Place;
let standIn: StandIn;
beforeEach(async () => {
  place = new Place();
  standIn = await StandIn.start();
});
afterEach(async () => {
  await standIn.close();
  place.remove();
});

/** A project whose directive `work` uses this model, with the keys and addresses of the stand-in. */
async function settle(model: string, files: Record<string, string> = {}): Promise<void> {
  place.write({
    ".ai/directives/work.md": `---\ndescription: Work\nmodel: { id: ${model} }\npermissions: [execute.tool.write, execute.tool.bash]\n---\nDo the work.\n`,
    ".ai/config/models.yaml": PRICES,
    ...files,
  });
  Object.assign(place.env, {
    ANTHROPIC_API_KEY: CANARY,
    OPENAI_API_KEY: CANARY,
    ANTHROPIC_BASE_URL: standIn.url,
    OPENAI_BASE_URL: `${standIn.url}/v1`,
  });
  await place.ok("trust", "--yes");
}

const writes = (path: string) => ({
  id: "w",
  name: "write",
  json: JSON.stringify({ path, content: `${path}\n` }),
});
const appends = (word: string) => ({
  id: "b",
  name: "bash",
  json: JSON.stringify({ command: `echo ${word} >> effects` }),
});
const effects = () => readFileSync(join(place.root, "effects"), "utf8").trim().split("\n");

/** Every byte this run left behind. */
function everything(folder = place.folder): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return everything(path);
      return entry.isFile() ? readFileSync(path, "latin1") : "";
    })
    .join("\n");
}

describe.each(WIRES)("over $wire", ({ say, model, wire }) => {
  test("a run with tools: each result goes back once, and the key is nowhere to be found", async () => {
    await settle(model);
    standIn.will(
      streams(say.answer("I write both.", [writes("a.txt"), writes("b.txt")])),
      streams(say.answer("Now once more.", [appends("one")])),
      streams(say.answer("All done.")),
    );
    const { code, stdout, stderr } = await place.run(["run", "work"]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "All done.\n" });
    expect(readFileSync(join(place.root, "b.txt"), "utf8")).toBe("b.txt\n");
    expect(effects()).toEqual(["one"]);
    expect(standIn.seen).toHaveLength(3);
    const { body, headers } = standIn.seen[2]!;
    expect(body.tools).toHaveLength(2);
    expect(JSON.stringify(headers)).toContain(CANARY);
    const ids = [
      ...JSON.stringify(body.messages).matchAll(/"(?:id|tool_use_id|tool_call_id)":"(call_[^"]+)"/g),
    ];
    expect(new Set(ids.map(([, id]) => id)).size).toBe(3);
    expect(ids).toHaveLength(6);
    expect(stdout + stderr + everything()).not.toContain(CANARY);
    const shown = await place.json("show", "work");
    expect(shown.data).toMatchObject({ status: "completed" });
    expect((await place.json("verify")).exit).toBe(0);
  });

  test("kill -9 and recover: what was answered is not asked again", async () => {
    await settle(model);
    const half = wire === "anthropic" ? anthropic.start() : openai.start();
    standIn.will(streams(say.answer("First.", [appends("one")])), streamsThen(half, fallsSilent));
    const run = place.start(["run", "work"]);
    await standIn.asked(2);
    run.child.kill("SIGKILL");
    await run.ended;
    standIn.will(streams(say.answer("Second.", [appends("two")])), streams(say.answer("Done.")));
    const recovered = await place.json("recover", "--all");
    expect(recovered).toMatchObject({ exit: 0, data: { threads: [{ status: "completed" }] } });
    expect(effects()).toEqual(["one", "two"]);
    // The answer that was cut off is asked for again, with the same words; the one before it is not.
    const asked = standIn.seen.map(({ body }) => body.messages);
    expect(asked).toHaveLength(4);
    expect(asked[2]).toEqual(asked[1]);
    expect(asked.map(({ length }) => length)).toEqual(
      [...asked.map(({ length }) => length)].sort((a, b) => a - b),
    );
    expect(asked[0].length).toBeLessThan(asked[1].length);
  });

  test("a cut after a tool has started is the answer; silence and a refusal are asked again", async () => {
    await settle(model, {
      ".ai/config/resilience.yaml": "retry: { base_delay_ms: 10 }\nmodel: { stall_timeout_seconds: 1 }\n",
    });
    const begun =
      wire === "anthropic"
        ? anthropic.start() + anthropic.call(0, appends("one"))
        : openai.start() + openai.call(0, appends("one"));
    const error = { error: { type: "rate_limit_error", message: "slow down" } };
    standIn.will(
      answers(429, error, { "retry-after-ms": "5" }),
      streamsThen("", fallsSilent),
      streamsThen(begun, async ({ response }) => {
        await until(() => effectsExist());
        response.destroy();
      }),
      streams(say.answer("Done.")),
    );
    const { code, stdout } = await place.run(["run", "work"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(effects()).toEqual(["one"]);
    expect(standIn.seen).toHaveLength(4);
    const log = await place.ok("logs", "work", "--json");
    expect(log).toContain('"rule":"status-429"');
    expect(log).toContain('"rule":"stalled"');
    expect(log).toContain('"truncated":true');
  });
});

function effectsExist(): boolean {
  return readdirSync(place.root).includes("effects");
}

test("without a key nothing is sent, and the variable is named", async () => {
  await settle("anthropic/claude-test");
  delete place.env["ANTHROPIC_API_KEY"];
  const refused = await place.json("run", "work");
  expect(refused).toMatchObject({ exit: 1, error: { code: "E_AUTH" } });
  expect(refused.error?.why).toContain("ANTHROPIC_API_KEY is not set");
  expect(standIn.seen).toEqual([]);
  expect((await place.run(["explain", "E_AUTH"])).code).toBe(0);
});

test("a provider nobody declared, with the one that was meant", async () => {
  await settle("antropic/claude-test");
  const refused = await place.json("run", "work");
  expect(refused).toMatchObject({ exit: 7, error: { code: "E_MODEL_UNKNOWN" } });
  expect(refused.error?.why).toContain("anthropic");
});

test("a key the provider refuses ends the thread in words, without the key", async () => {
  await settle("anthropic/claude-test");
  standIn.will(
    answers(401, { error: { type: "authentication_error", message: `invalid x-api-key ${CANARY}` } }),
  );
  const { code, stdout, stderr } = await place.run(["run", "work"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/anthropic answered 401 \(authentication_error\): invalid x-api-key \[(key|secret)/);
  expect(stdout + stderr + everything()).not.toContain(CANARY);
});

test("a project's provider gets the project's key, and no other", async () => {
  await settle("local/m", {
    ".ai/config/providers.yaml": `local: { protocol: openai, base_url: "${standIn.url}/v1" }\nanthropic: { base_url: "${standIn.url}" }\n`,
  });
  delete place.env["ANTHROPIC_BASE_URL"];
  standIn.will(streams(openai.answer("Hi.")), streams(anthropic.answer("Hi.")));
  expect((await place.run(["run", "work"])).stdout).toBe("Hi.\n");
  place.write({ ".ai/directives/other.md": "---\ndescription: O\nmodel: { id: anthropic/m }\n---\nGo.\n" });
  await place.ok("trust", "--yes");
  expect((await place.run(["run", "other"])).stdout).toBe("Hi.\n");
  expect(JSON.stringify(standIn.seen.map(({ headers }) => headers))).not.toContain(CANARY);
});

test("HTTPS through a proxy, and the command ends although connections stay open", async () => {
  await settle("anthropic/claude-test");
  const secure = await secureStandIn();
  const proxy = await new TestProxy().listen();
  secure.will(streams(anthropic.answer("I write.", [writes("a.txt")])), streams(anthropic.answer("Done.")));
  const { code, stdout, stderr } = await place.run(["run", "work"], {
    ANTHROPIC_BASE_URL: `https://${HOST}:${secure.port}`,
    HTTPS_PROXY: proxy.url("me:canary-proxy@"),
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
  });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(secure.seen).toHaveLength(2);
  // One tunnel for both requests.
  expect(proxy.seen).toEqual([`CONNECT ${HOST}:${secure.port} as me:canary-proxy`]);
  expect(stdout + stderr + everything()).not.toContain("canary-proxy");
  await proxy.close();
  await secure.close();
});

test("an answer that was cut at its longest, one that was refused, and a bill above the limit are told", async () => {
  await settle("anthropic/claude-test");
  const usage = { output_tokens: 20 };
  const last = (stop: string, input = 25) =>
    streams(
      anthropic.start({ input_tokens: input, output_tokens: 1 }) +
        anthropic.text(0, "Half of") +
        anthropic.stop(stop, usage),
    );
  standIn.will(last("max_tokens"), last("refusal"), last("end_turn", 900_000));
  expect((await place.run(["run", "work"])).stderr).toContain("Half of · cut off: it is as long as");
  expect((await place.run(["run", "work"])).stderr).toContain("Half of · refused");
  const { code, stderr } = await place.run(["run", "work"]);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/▲ work-\S+ is \$1\.7003 over its spend limit of \$1\.0000/),
  });
});
