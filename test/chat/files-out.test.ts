// What goes out beside words: files of an answer, and the transcript.
import { expect, test } from "vitest";
import { quiet, talking, until } from "./stage.ts";

const CODE = `Here:\n\n\`\`\`ts\n${"line();\n".repeat(80)}\`\`\`\n`;
const TABLE = `\n| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(30)}\nDone.`;
const REFUSAL = Object.assign(new Error("no files here"), { status: 403 });
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test("long code and long tables go along as files", async () => {
  const { open, platform, texts } = talking([{ says: CODE + TABLE }]);
  const { close } = await open();
  await platform.say("room", "@selvage hi");
  await until(() => platform.files.length === 2, "two files");
  expect(platform.files.map(({ name }) => name)).toEqual(["code-1.ts", "table-2.csv"]);
  expect(texts()[0]).toBe(
    "upload: Here:\n\n(80 lines of code: code-1.ts)\n\n(table of 30 rows: table-2.csv)\n\nDone.",
  );
  await close();
});

test("where a file is refused, the words go out all the same, and say where it stands; the answer is not marked as lost", async () => {
  const { open, platform, shown } = talking([{ says: CODE }]);
  const { close, world } = await open();
  const upload = platform.upload.bind(platform);
  let refused = 0;
  platform.upload = async (...how) => {
    refused += 1;
    if (refused <= 2) throw REFUSAL;
    return upload(...how);
  };
  await platform.say("room", "@selvage hi");
  await until(() => shown().some((text) => text.includes("could not be sent")), "a word about it");
  const [row] = await world.store.find({});
  expect(shown()).toEqual([
    "Here:\n\n(80 lines of code: code-1.ts)",
    `code-1.ts could not be sent here. All of it stands in .ai/threads/${row?.thread_id}/transcript.jsonl.`,
  ]);
  await quiet();
  const { events } = await world.store.load(row?.thread_id ?? "");
  const states = events.flatMap((event) =>
    event.type === "delivery_noted" && event.what === "answer" ? [event.state] : [],
  );
  expect(states).toEqual(["intended", "posted"]);
  await close();
});

test("/log: the transcript goes to who asked for it, alone", async () => {
  const { open, platform, texts } = talking([{ says: "Hello." }]);
  const { close } = await open();
  await platform.say("room", "@selvage say hello");
  await until(() => texts().includes("post: Hello."), "the answer");
  await platform.say("room", "/log");
  await until(() => platform.files.length === 1, "a file");
  expect(texts().at(-1)).toBe("hand: The transcript is in the file.");
  const [file] = platform.files;
  expect(file?.name).toMatch(/^chat-.*\.md$/);
  expect(textOf(file?.bytes)).toMatch(/say hello[\s\S]*Hello\./);
  await close();
});

test("/log where nobody can be told alone, where no file is taken, and where nothing was said", async () => {
  const { open, platform, texts } = talking([{ says: "Hello." }]);
  const { close } = await open();
  await platform.say("room", "/log", { isDirect: true });
  await until(() => texts().includes("whisper: Nothing has been said here yet."), "that there is none");
  await platform.say("room", "hi", { isDirect: true });
  await until(() => texts().includes("post: Hello."), "the answer");
  Object.assign(platform, { hand: undefined });
  await platform.say("room", "/log", { isDirect: true });
  await until(() => texts().at(-1) === "upload: The transcript is in the file.", "an upload");
  Object.assign(platform, { upload: undefined });
  await platform.say("room", "/log", { isDirect: true });
  await until(() => texts().some((text) => text.startsWith("whisper: chat-")), "the end of it");
  expect(texts().at(-1)).toMatch(/the last of it:[\s\S]*Hello\./);
  await close();
});
