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
  const { frame, writes } = screen(9, 3);
  frame.draw(["a long line", "2", "3", "4"]);
  expect(writes).toEqual(["\u001b[?2026ha lon…\n… 3 m…\u001b[?2026l"]);
});

test("signs are spelled out before they are measured", () => {
  const writes: string[] = [];
  const shown = (line: string) => line.replaceAll("…", "...");
  const frame = new Frame({ columns: 10, rows: 5, shown, write: (text) => writes.push(text) });
  frame.draw(["…abcdefgh"]);
  expect(writes).toEqual(["\u001b[?2026h...abc...\u001b[?2026l"]);
});

test("a terminal that does not know its size has a usual one", () => {
  const { frame, writes } = screen(0, 0);
  frame.draw(["a", "b"]);
  expect(writes).toEqual(["\u001b[?2026ha\nb\u001b[?2026l"]);
});
