import { expect, test } from "vitest";
import { Frame } from "./frame.ts";

function screen(columns = 20, rows = 10) {
  const writes: string[] = [];
  return { writes, frame: new Frame({ columns, rows, write: (text) => writes.push(text) }) };
}

test("what did not change is not written again", () => {
  const { frame, writes } = screen();
  frame.draw(["a", "b"]);
  frame.draw(["a", "b"]);
  expect(writes).toEqual(["\u001b[?2026ha\nb\u001b[?2026l"]);
  frame.draw(["a", "c"]);
  expect(writes[1]).toBe("\u001b[?2026h\r\u001b[1A\u001b[Ja\nc\u001b[?2026l");
});

test("cleared, the cursor stands where it began", () => {
  const { frame, writes } = screen();
  frame.clear();
  frame.draw(["a"]);
  frame.clear();
  frame.clear();
  expect(writes).toEqual(["\u001b[?2026ha\u001b[?2026l", "\r\u001b[J"]);
});

test("no line is wider, and no frame higher, than the terminal", () => {
  const { frame, writes } = screen(6, 3);
  frame.draw(["long line", "2", "3", "4"]);
  expect(writes).toEqual(["\u001b[?2026hlong…\n… 3 mo…\u001b[?2026l".replace("… 3 mo…", "… 3 …")]);
});
