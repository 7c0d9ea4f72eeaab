// Through a proxy: names are the proxy's to look up, keys go through the tunnel only.
import { afterEach, expect, test } from "vitest";
import { ask, CANARY, modelAt, requestOf } from "./asking.ts";
import { StandIn, streams } from "./stand-in.ts";
import { HOST, secureStandIn, TestProxy } from "./tunnel.ts";
import { anthropic } from "./wire.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
  open.push(thing);
  return thing;
};

test("plain HTTP is asked of the proxy by its whole address", async () => {
  const standIn = keep(await StandIn.start(streams(anthropic.answer("Hi")), streams(anthropic.answer("Hi"))));
  const proxy = keep(await new TestProxy().listen());
  const address = `http://${HOST}:${standIn.port}`;
  const environment = { http_proxy: proxy.url("me:100%25@") };
  const model = modelAt(address, { environment });
  for (let turn = 0; turn < 2; turn += 1) expect((await ask(model)).ending).toMatchObject({ type: "end" });
  expect(proxy.seen[0]).toBe(`POST ${address}/v1/messages as me:100%`);
  expect(standIn.seen[0]?.headers.host).toBe(`${HOST}:${standIn.port}`);
  expect(standIn.seen[0]?.headers).toMatchObject({ "x-api-key": CANARY });
});

test("HTTPS goes through a tunnel, and a certificate nobody vouches for is refused", async () => {
  const standIn = keep(await secureStandIn());
  const proxy = keep(await new TestProxy().listen());
  const model = modelAt(`https://${HOST}:${standIn.port}`, { environment: { HTTPS_PROXY: proxy.url() } });
  const { ending } = await ask(model);
  expect(ending).toMatchObject({ failure: { kind: "connection", type: "DEPTH_ZERO_SELF_SIGNED_CERT" } });
  expect(proxy.seen).toEqual([`CONNECT ${HOST}:${standIn.port}`]);
  expect(standIn.seen).toEqual([]);
});

test("a proxy that refuses the tunnel is told with its status, and its password is not", async () => {
  const proxy = keep(await new TestProxy(407).listen());
  const environment = { HTTPS_PROXY: proxy.url("me:canary@") };
  const { ending } = await ask(modelAt(`https://${HOST}`, { environment }));
  expect(ending).toMatchObject({ failure: { kind: "http", status: 407 } });
  expect(JSON.stringify(ending)).toContain("refused the tunnel with status 407");
  expect(JSON.stringify(ending)).not.toContain("canary");
});

test("a proxy that is not there, and one of a kind we do not know", async () => {
  const gone = await new TestProxy().listen();
  const address = gone.url();
  await gone.close();
  const missing = await ask(modelAt(`https://${HOST}`, { environment: { HTTPS_PROXY: address } }));
  expect(missing.ending).toMatchObject({ failure: { kind: "connection", type: "ECONNREFUSED" } });
  expect(JSON.stringify(missing.ending)).toContain(`${HOST} through the proxy ${new URL(address).host}`);
  const socks = await ask(modelAt(`https://${HOST}`, { environment: { ALL_PROXY: "socks5://127.0.0.1:1" } }));
  expect(socks.ending).toMatchObject({
    failure: { kind: "misuse", message: expect.stringContaining("socks5") },
  });
});

test("a stop ends a tunnel that is still being dug", async () => {
  const proxy = keep(await new TestProxy("silent").listen());
  const stop = new AbortController();
  const environment = { HTTPS_PROXY: proxy.url() };
  const asked = ask(modelAt(`https://${HOST}`, { environment }), requestOf(), stop.signal);
  await proxy.asked;
  stop.abort();
  expect((await asked).ending).toMatchObject({ failure: { kind: "aborted" } });
  await proxy.left;
});
