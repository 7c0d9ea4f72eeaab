// The picture of the demo, made from a recording.
import { expect, test } from "vitest";
import { linesIn, linesOf, pictureOf, sameInEveryRun } from "../scripts/picture-text.ts";

const CAST = [
  '{"version":2,"width":100,"height":48}',
  '[0,"o","A build.\\r\\n"]',
  '[0.4,"o","\\r\\n"]',
  '[1.5,"o"," 01.5  ✖ kill -9 <4312> & more\\r\\n"]',
  '[2,"o","       what `ps` says\\r\\n"]',
  "",
].join("\n");

test("every line is in it, with its time and its colour", () => {
  const svg = pictureOf(CAST);
  expect(linesOf(CAST).map(({ at }) => at)).toEqual([0, 0.4, 1.5, 2]);
  expect(linesIn(svg)).toEqual(["A build.", " 01.5  ✖ kill -9 <4312> & more", "       what `ps` says"]);
  expect(svg).toContain('<tspan class="r">✖</tspan> kill -9 &lt;4312&gt; &amp; more');
  expect(svg).toContain("@keyframes k2{0%{opacity:0}15.00%{opacity:1}}");
});

test("it is light or dark, still where motion is not wanted, and told in two sentences", () => {
  const svg = pictureOf(CAST);
  expect(svg).toContain("prefers-color-scheme:dark");
  const [still = "", moving = ""] = svg.split("@media(prefers-reduced-motion:no-preference)");
  expect(still).not.toContain("animation");
  expect(moving).toContain("animation");
  const [, desc = ""] = /<desc[^>]*>(.*)<\/desc>/.exec(svg) ?? [];
  expect(desc.match(/\.(\s|$)/g)).toHaveLength(2);
  expect(svg).toContain("<title");
});

test("what differs from run to run is left out of a comparison, money is not", () => {
  expect(sameInEveryRun(" 01.5  ● plan_db_schema  wave 1  reserved $0.80")).toBe(
    "# ● plan_db_schema wave # reserved $0.80",
  );
  expect(sameInEveryRun("✖ kill -9 4312")).toBe("✖ kill -# #");
});
