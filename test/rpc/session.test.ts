// A session over real pipes: prompts, steering, retries, questions, and a kill in the middle.
import { afterEach, describe, expect, test } from "vitest";
import type { RpcClient, RpcEvent } from "../../src/surface/rpc/client.ts";
import { type Place, until } from "../cli/cli.ts";
import { client, project, type Told } from "./stage.ts";

const places: Place[] = [];
const clients: RpcClient[] = [];
afterEach(async () => {
  for (const rpc of clients.splice(0)) await rpc.stop();
  for (const place of places.splice(0)) place.remove();
});

async function begin(script: string, files: Record<string, string> = {}, ...args: string[]) {
  const place = await project(script, files);
  places.push(place);
  return { place, ...(await connect(place, ...args)) };
}

async function connect(place: Place, ...args: string[]) {
  const { rpc, events } = client(place, ...args);
  clients.push(rpc);
  await rpc.start();
  return { rpc, events };
}

const count = (events: readonly RpcEvent[], type: string) =>
  events.filter((each) => each.type === type).length;
const find = (events: readonly RpcEvent[], type: string) =>
  events.find((event) => event.type === type) as Told | undefined;
const spoken = async (rpc: RpcClient) =>
  (await rpc.getMessages()).flatMap((message) => (message.role === "user" ? [message.content] : []));

describe("prompts", () => {
  test("two in a row are one chain", async () => {
    const { rpc } = await begin("- says: one\n- says: two\n");
    const first = await rpc.promptAndWait("first");
    expect(first.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["agent_start", "turn_start", "message_end", "turn_end", "agent_end"]),
    );
    await rpc.promptAndWait("second");
    expect(await rpc.getLastAssistantText()).toBe("two");
    const { threads } = await rpc.request<Told>("get_chain");
    expect(threads.map(({ status }: Told) => status)).toEqual(["continued", "completed"]);
    expect(await rpc.getState()).toMatchObject({
      ...{ isStreaming: false, isRetrying: false, autoRetryEnabled: true, messageCount: 4 },
      model: { provider: "scripted", id: "talk" },
    });
    expect(await rpc.getSessionStats()).toMatchObject({ userMessages: 2, assistantMessages: 2 });
  });

  test("steered while a tool runs, and followed up", async () => {
    const script = `- calls: [{ tool: bash, input: { command: "while [ ! -e go ]; do sleep 0.05; done" } }]
- says: steered
- says: followed
`;
    const { rpc, events, place } = await begin(script);
    await rpc.prompt("work");
    await until(() => count(events, "tool_execution_start") === 1);
    await expect(rpc.prompt("no")).rejects.toMatchObject({ code: "E_WRONG_STATE" });
    await rpc.followUp("then this");
    await rpc.steer("mind that");
    expect((await rpc.getState()).pendingMessageCount).toBeGreaterThan(0);
    const idle = rpc.waitForIdle();
    place.write({ go: "" });
    await idle;
    expect(await spoken(rpc)).toEqual(["work", "mind that", "then this"]);
    expect(await rpc.getLastAssistantText()).toBe("followed");
    expect(count(events, "queue_update")).toBeGreaterThan(1);
    expect(count(events, "agent_settled")).toBe(1);
    expect(find(events, "tool_execution_end")).toMatchObject({ toolName: "bash", isError: false });
  });

  test("aborted in a tool: the session goes on", async () => {
    const script = `- calls: [{ tool: bash, input: { command: "sleep 60" } }]\n- says: again\n`;
    const { rpc, events } = await begin(script);
    await rpc.prompt("work");
    await until(() => count(events, "tool_execution_start") === 1);
    await rpc.abort();
    expect((await rpc.getState()).isStreaming).toBe(false);
    await rpc.promptAndWait("go on");
    expect(await rpc.getLastAssistantText()).toBe("again");
  });
});

describe("retries", () => {
  const settings = { ".ai/config/resilience.yaml": "retry: { max_retries: 3, base_delay_ms: 20000 }\n" };

  test("a wait is counted down to, given up, and taken up again", async () => {
    const { rpc, events } = await begin("- fails: { status: 503 }\n- says: done\n", settings);
    const idle = rpc.waitForIdle();
    await rpc.prompt("go");
    await until(() => count(events, "auto_retry_start") === 1);
    expect(find(events, "auto_retry_start")).toMatchObject({ attempt: 1, maxAttempts: 3, delayMs: 20_000 });
    expect(find(events, "agent_end")).toMatchObject({ willRetry: true });
    expect(await rpc.getState()).toMatchObject({ isRetrying: true });
    const since = Date.now();
    await rpc.abortRetry();
    await idle;
    expect(Date.now() - since).toBeLessThan(5_000);
    expect(find(events, "auto_retry_end")).toMatchObject({ success: false, finalError: "Retry cancelled" });
    expect(find(events, "agent_settled")).toMatchObject({ status: "suspended" });
    expect(await rpc.getState()).toMatchObject({ isRetrying: false });
    await rpc.prompt("once more");
    await until(() => count(events, "auto_retry_start") === 2);
    await rpc.request("retry_now");
    await until(() => count(events, "agent_settled") === 2);
    expect(await rpc.getLastAssistantText()).toBe("done");
  });

  test("turned off, the first failure is the last", async () => {
    const { rpc, events } = await begin("- fails: { status: 503 }\n- says: done\n", settings);
    await rpc.setAutoRetry(false);
    expect(await rpc.getState()).toMatchObject({ autoRetryEnabled: false });
    await rpc.promptAndWait("go");
    expect(count(events, "auto_retry_start")).toBe(0);
    expect(find(events, "agent_settled")).toMatchObject({ status: "suspended" });
  });
});

describe("questions", () => {
  const script = `- calls: [{ tool: ls, input: {} }]\n- says: looked\n`;

  test.each([
    [true, "looked"],
    [false, "looked"],
  ])("are put as a dialog and answered with %s", async (confirmed, said) => {
    const { place, rpc, events } = await begin(script, {
      ".ai/directives/asks.md": `---\ndescription: asks\nmodel: { id: scripted/talk }\npermissions: [{ ask: execute.tool.ls }]\n---\nLook.\n`,
    });
    const { thread_id } = await rpc.request<Told>("thread_tool", { directive: "asks" });
    await rpc.switchSession(thread_id);
    await until(() => count(events, "extension_ui_request") === 1);
    const dialog = find(events, "extension_ui_request") as Told;
    expect(dialog).toMatchObject({ method: "confirm", thread_id });
    expect(await rpc.listApprovals()).toMatchObject([{ approval_id: dialog["id"] }]);
    rpc.respond(dialog["id"], { confirmed });
    await rpc.request("wait_threads", { thread_ids: [thread_id] });
    await until(async () => (await rpc.getThread(thread_id)).status === "completed");
    expect((await rpc.getThread(thread_id)).result?.text).toBe(said);
    const { approvals } = await rpc.request<Told>("list_approvals", { states: ["decided"] });
    expect(approvals).toMatchObject([{ decided: { approved: confirmed, via: "rpc" } }]);
    expect(place.root).not.toBe("");
  });
});

test("kill -9 in the middle, and another process goes on with the chain", async () => {
  const script = `- calls: [{ tool: bash, input: { command: "while [ ! -e go ]; do sleep 0.05; done" } }]
- says: after
- says: more
`;
  const { rpc, events, place } = await begin(script);
  await rpc.prompt("work");
  await until(() => count(events, "tool_execution_start") === 1);
  const { threadId } = await rpc.getState();
  process.kill(rpc.pid ?? 0, "SIGKILL");
  await until(() =>
    rpc.getState().then(
      () => false,
      () => true,
    ),
  );
  place.write({ go: "" });
  const again = await connect(place, "--session", threadId ?? "");
  expect(await again.rpc.getState()).toMatchObject({ threadId });
  await again.rpc.request("wait_threads", { thread_ids: [threadId ?? ""] });
  expect(await again.rpc.getLastAssistantText()).toBe("after");
  await again.rpc.promptAndWait("more");
  expect(await spoken(again.rpc)).toEqual(["work", "more"]);
  expect(await again.rpc.getLastAssistantText()).toBe("more");
});

test("a subscription from the beginning on tells every event of a project, in order", async () => {
  const { rpc, events } = await begin("- says: one\n- says: two\n");
  await rpc.promptAndWait("first");
  const subscription = await rpc.subscribe({ from: 0, types: ["thread_completed", "thread_continued"] });
  await rpc.promptAndWait("second");
  await until(() => count(events, "journal_event") === 3);
  const told = events.filter(({ type }) => type === "journal_event") as unknown as Told[];
  expect(told.map(({ event }) => event.type)).toEqual([
    ...["thread_completed", "thread_continued", "thread_completed"],
  ]);
  const cursors = told.map(({ cursor }) => cursor);
  expect(cursors).toEqual([...cursors].sort((left, right) => left - right));
  await rpc.request("unsubscribe", { subscription });
  await expect(rpc.request("unsubscribe", { subscription })).rejects.toMatchObject({ code: "E_USAGE" });
});

test("the client that the package exports finds the command line by itself", async () => {
  const place = await project("- says: one\n");
  places.push(place);
  const built = new URL("../../dist/index.js", import.meta.url).href;
  const selvage = (await import(built)) as { RpcClient: typeof RpcClient };
  const rpc = new selvage.RpcClient({ cwd: place.root, env: place.env as Record<string, string> });
  await rpc.start();
  expect(await rpc.request("ping")).toMatchObject({ pong: true });
  expect(await rpc.stop()).toBe(0);
  await expect(rpc.request("ping")).rejects.toThrow("ended");
});
