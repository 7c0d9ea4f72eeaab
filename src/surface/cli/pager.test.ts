import { expect, test } from "vitest";
import { pagerFor } from "./pager.ts";

const long = "line\n".repeat(30);
const screen = { isTTY: true, rows: 24 };

test.each([
  [long, screen, {}, "less -FIRX"],
  [long, screen, { PAGER: "more" }, "more"],
  [long, screen, { PAGER: "cat" }, undefined],
  [long, screen, { PAGER: "" }, undefined],
  [long, screen, { TERM: "dumb" }, undefined],
  [long, { isTTY: false, rows: 24 }, { PAGER: "more" }, undefined],
  [long, { isTTY: true, rows: 0 }, {}, undefined],
  ["short", screen, {}, undefined],
])("%#", (text, where, environment, pager) => {
  expect(pagerFor(text, where, environment)).toBe(pager);
});
