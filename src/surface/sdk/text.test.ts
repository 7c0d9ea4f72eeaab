import { expect, test } from "vitest";
import type { Event, LiveEvent } from "../../core/event.ts";
import { Speech } from "./text.ts";

type Heard = readonly [what: "delta" | "start" | "call" | "answer", turn: number, ...parts: unknown[]];

const text = (said: string) => ({ type: "text", text: said });

function eventOf([what, turn, ...parts]: Heard): Event | LiveEvent {
  const made = {
    delta: { type: "cognition_out_delta", turn, text: parts[0] },
    start: { type: "step_start", turn },
    call: { type: "tool_call_start", turn, preceding: parts.map((block, at) => ({ at, block })) },
    answer: { type: "cognition_out", turn, content: parts },
  }[what];
  return { v: 1, ts: "", thread_id: "t", ...(what === "delta" ? {} : { seq: 1 }), ...made } as Event;
}

const KEPT = { type: "journaled", at: 0 };

test.each<[string, Heard[], string[]]>([
  [
    "what streams is said as it streams, and not again",
    [
      ["start", 1],
      ["delta", 1, "Hel"],
      ["delta", 1, "lo"],
      ["answer", 1, text("Hello")],
    ],
    ["Hel", "lo"],
  ],
  [
    "what does not stream is said whole",
    [
      ["start", 1],
      ["answer", 1, text("Hello")],
    ],
    ["Hello"],
  ],
  [
    "what was not heard of it is added",
    [
      ["start", 1],
      ["delta", 1, "Hel"],
      ["answer", 1, text("Hello")],
    ],
    ["Hel", "lo"],
  ],
  [
    "what was missed in the middle makes it begin anew, on a new line",
    [
      ["start", 1],
      ["delta", 1, "He"],
      ["delta", 1, "o"],
      ["answer", 1, text("Hello")],
    ],
    ["He", "o", "\nHello"],
  ],
  [
    "a text before a call is said when the call begins, and once",
    [
      ["start", 1],
      ["call", 1, text("Let me look.")],
      ["answer", 1, KEPT, text("Looked.")],
    ],
    ["Let me look.", "Looked."],
  ],
  [
    "two answers stand on two lines",
    [
      ["start", 1],
      ["answer", 1, text("One.")],
      ["start", 2],
      ["delta", 2, "Two."],
      ["answer", 2, text("Two.")],
    ],
    ["One.", "\nTwo."],
  ],
  [
    "a line that ends needs no other end",
    [
      ["start", 1],
      ["answer", 1, text("One.\n")],
      ["start", 2],
      ["answer", 2, text("Two.")],
    ],
    ["One.\n", "Two."],
  ],
  [
    "an answer that failed half way stands, and the next one is said whole",
    [
      ["start", 1],
      ["delta", 1, "Hel"],
      ["start", 1],
      ["delta", 1, "Good day"],
      ["answer", 1, text("Good day")],
    ],
    ["Hel", "\nGood day"],
  ],
  [
    "what streams late of an answer that is whole is not said",
    [
      ["start", 1],
      ["answer", 1, text("One.")],
      ["delta", 1, "One."],
    ],
    ["One."],
  ],
  [
    "calls alone say nothing",
    [
      ["start", 1],
      ["call", 1],
      ["answer", 1, KEPT],
    ],
    [],
  ],
])("%s", (_, heard, said) => {
  const speech = new Speech();
  expect(heard.map((each) => speech.hear(eventOf(each))).filter((part) => part !== "")).toEqual(said);
});
