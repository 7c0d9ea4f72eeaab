// Spans of the built program: loaded only where they are on, and sent to the provider that a user registers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";

const API = new URL("../../node_modules/@opentelemetry/api/dist/index.mjs", import.meta.url).href;

/** Says on stderr that somebody looked for the API. */
const WATCH = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(\`
  import { writeSync } from "node:fs";
  export async function resolve(name, context, next) {
    if (name.includes("opentelemetry")) writeSync(2, "LOOKED FOR " + name + "\\\\n");
    return next(name, context);
  }
\`));`;

/** A provider that writes the names of its spans to a file when it is told to send them. */
const PROVIDER = `import { writeFileSync } from "node:fs";
import { trace } from ${JSON.stringify(API)};
const made = [];
const context = { traceId: "1".padStart(32, "0"), spanId: "1".padStart(16, "0"), traceFlags: 1 };
const span = new Proxy({ spanContext: () => context }, { get: (own, key) => own[key] ?? (() => span) });
trace.setGlobalTracerProvider({
  getTracer: () => ({
    startSpan: (name, { attributes }) => {
      made.push({ name, attributes });
      return span;
    },
  }),
  forceFlush: async () => writeFileSync(process.env.SPANS, JSON.stringify(made)),
});`;

let place: Place;
beforeEach(() => {
  place = new Place({
    ...scripted("hello", "- says: hi there\n"),
    "watch.mjs": WATCH,
    "provider.mjs": PROVIDER,
  });
});
afterEach(() => place.remove());

const preload = (...names: string[]) => ({
  NODE_OPTIONS: names.map((name) => `--import=${join(place.root, name)}`).join(" "),
  SPANS: join(place.folder, "spans.json"),
});

test("neither help nor a run without spans looks for the API", async () => {
  await place.ok("trust", "--yes");
  for (const args of [["--help"], ["run", "hello"], ["ps", "-a"]]) {
    const { code, stderr } = await place.run(args, preload("watch.mjs"));
    expect([args, code]).toEqual([args, 0]);
    expect(stderr).not.toContain("LOOKED FOR");
  }
});

test("with spans on, the provider that was registered gets them, without content", async () => {
  place.write({ ".ai/config/coordination.yaml": "telemetry: { spans: on }\n" });
  await place.ok("trust", "--yes");
  const { code, stderr } = await place.run(["run", "hello"], preload("watch.mjs", "provider.mjs"));
  expect(code).toBe(0);
  expect(stderr).toContain("LOOKED FOR @opentelemetry/api");
  const text = readFileSync(join(place.folder, "spans.json"), "utf8");
  expect(JSON.parse(text).map(({ name }: { name: string }) => name)).toEqual([
    "invoke_agent hello",
    "chat hello",
  ]);
  expect(text).not.toContain("hi there");
  // Who only looks makes none.
  expect((await place.run(["ps", "-a"], preload("watch.mjs"))).stderr).not.toContain("LOOKED FOR");
});

test("a project may not have content recorded", async () => {
  place.write({ ".ai/config/coordination.yaml": "telemetry: { spans: on, content: true }\n" });
  await place.ok("trust", "--yes");
  const run = await place.json("run", "hello");
  expect(run.ok).toBe(false);
  expect(JSON.stringify(run.error)).toContain("telemetry.content: a project may only set this to false");
});
