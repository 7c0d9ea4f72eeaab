// The door for chat platforms (W1 to W3 of webhooks.ts), over real sockets.

import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../src/core/world.ts";
import { openWebhooks, type Webhooks, type WebhookTaker } from "../../src/surface/chat/webhooks.ts";
import { fakeClock } from "../../src/testing/clock.ts";

const troubles: string[] = [];
let door: Webhooks | undefined;

afterEach(async () => {
  await door?.close();
  door = undefined;
  troubles.length = 0;
});

/** A clock on which the time for an answer never comes. */
const STILL: Clock = { now: () => 0, monotonic: () => 0, sleep: () => new Promise(() => {}) };

async function open(taker: WebhookTaker, clock = STILL): Promise<string> {
  const takers = new Map([["slack", taker]]);
  door = await openWebhooks({ takers, port: 0, clock, trouble: (what) => troubles.push(what) });
  return door.address;
}

describe("who comes in", () => {
  test("a platform's request is handed on as it is, and its answer given back", async () => {
    const seen: unknown[] = [];
    const address = await open(async (incoming) => {
      const { method, url, headers } = incoming;
      seen.push([method, new URL(url).search, headers.get("x-slack-signature"), await incoming.text()]);
      return new Response('{"challenge":"x"}', {
        status: 201,
        headers: { "content-type": "application/json" },
      });
    });
    const body = '{"text":"h\u00e9llo"}';
    const headers = { "x-slack-signature": "v0=abc" };
    const answer = await fetch(`${address}/chat/slack?a=1`, { method: "POST", body, headers });
    expect(seen).toEqual([["POST", "?a=1", "v0=abc", body]]);
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
      201,
      "application/json",
      '{"challenge":"x"}',
    ]);
  });

  test("a question without a body, as some platforms ask once", async () => {
    const address = await open(async ({ url }) => new Response(new URL(url).searchParams.get("challenge")));
    expect(await (await fetch(`${address}/chat/slack?challenge=42`)).text()).toBe("42");
  });

  test("only this machine can", async () => {
    expect(await open(async () => new Response())).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([
    ["another platform", "POST", "/chat/discord", 404],
    ["no platform", "POST", "/chat/", 404],
    ["further down", "POST", "/chat/slack/x", 404],
    ["elsewhere", "GET", "/", 404],
    ["another verb", "DELETE", "/chat/slack", 405],
  ])("%s is turned away", async (_, method, path, status) => {
    const address = await open(async () => new Response("no"));
    expect((await fetch(`${address}${path}`, { method })).status).toBe(status);
  });

  test("a port that is taken is a problem with a name", async () => {
    const { port } = new URL(await open(async () => new Response()));
    const again = openWebhooks({
      takers: new Map(),
      port: Number(port),
      clock: fakeClock(),
      trouble: () => {},
    });
    await expect(again).rejects.toMatchObject({ code: "E_CHAT_PORT", why: "another process listens there" });
  });
});

describe("what is answered", () => {
  test("nothing before the taker has", async () => {
    let store = () => {};
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    let isAnswered = false;
    const address = await open(async () => {
      await stored;
      return new Response("ok");
    });
    const answer = fetch(`${address}/chat/slack`, { method: "POST" }).finally(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    store();
    expect((await answer).status).toBe(200);
  });

  test("a taker that fails: 500, and not a word of why", async () => {
    const address = await open(() => Promise.reject(new Error("SECRET")));
    const answer = await fetch(`${address}/chat/slack`, { method: "POST" });
    expect([answer.status, await answer.text()]).toEqual([500, ""]);
    expect(troubles).toHaveLength(1);
  });

  test("a taker that never answers: 503 after a while", async () => {
    const address = await open(() => new Promise(() => {}), fakeClock());
    expect((await fetch(`${address}/chat/slack`, { method: "POST" })).status).toBe(503);
    expect(troubles).toEqual(["what slack sent was not stored within 30 s"]);
  });

  test("a body that is too large is not read to its end, declared or not", async () => {
    let taken = 0;
    const address = await open(async () => {
      taken += 1;
      return new Response();
    });
    const large = Buffer.alloc(4 * 1024 * 1024 + 1);
    expect(await posted(`${address}/chat/slack`, large, { "content-length": large.length })).toBe(413);
    expect(await posted(`${address}/chat/slack`, large, { "transfer-encoding": "chunked" })).toBe(413);
    expect(taken).toBe(0);
    expect(await posted(`${address}/chat/slack`, large.subarray(1), {})).toBe(200);
  });

  test("what is no request does no harm", async () => {
    const address = await open(async () => new Response("ok"));
    const socket = connect(Number(new URL(address).port), "127.0.0.1");
    socket.end("nonsense\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve).resume());
    expect((await fetch(`${address}/chat/slack`)).status).toBe(200);
  });
});

test("closing waits for what is under way, and takes no more", async () => {
  let store = () => {};
  let isTaken = () => {};
  const begun = new Promise<void>((resolve) => {
    isTaken = resolve;
  });
  const address = await open(async () => {
    isTaken();
    await new Promise<void>((resolve) => {
      store = resolve;
    });
    return new Response("stored");
  });
  const answer = fetch(`${address}/chat/slack`, { method: "POST" });
  await begun;
  const closed = door?.close();
  await expect(fetch(`${address}/chat/slack`)).rejects.toThrow();
  store();
  expect(await (await answer).text()).toBe("stored");
  await closed;
});

/** The status; `fetch` gives up when the other side does not read on. */
function posted(
  address: string,
  body: Buffer,
  headers: Record<string, string | number>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
