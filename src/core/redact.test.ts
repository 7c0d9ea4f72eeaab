import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdsMark, redactor } from "./redact.ts";

const KEY = 'sk-canary/3f9a+1c77=e2 "q"';
const known = redactor([
  { name: "API_KEY", value: KEY },
  { name: "DB_PASSWORD", value: "tr0ub4dor&3" },
  { name: "LONGER", value: "tr0ub4dor&3-and-more" },
]);
const none = redactor([]);

const b64 = (text: string) => Buffer.from(text).toString("base64");
const b64url = (text: string) => Buffer.from(text).toString("base64url");

describe("a known value", () => {
  test.each<[string, string]>([
    ["as it is", KEY],
    ["in JSON", JSON.stringify({ key: KEY })],
    ["in JSON in JSON", JSON.stringify({ body: JSON.stringify({ key: KEY }) })],
    ["in an address", `https://x.example/?k=${encodeURIComponent(KEY)}&n=1`],
    [
      "in an address with small letters",
      encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ["in a form", new URLSearchParams({ a: KEY }).toString()],
    ["in base64", b64(KEY)],
    ["in base64 after one byte", b64(`x${KEY}`)],
    ["in base64 after two bytes, before some", b64(`xy${KEY}, and so on`)],
    ["in the base64 of addresses", b64url(`user:${KEY}`)],
    ["in hexadecimal", Buffer.from(KEY).toString("hex")],
    ["between letters", `abc${KEY}def`],
  ])("%s", (_, text) => {
    const shown = known.text(`before ${text} after`);
    expect(shown).toContain("[secret API_KEY]");
    for (const form of [KEY, "canary", "3f9a", b64("canary/3f9"), b64("3f9a+1c77")])
      expect(shown).not.toContain(form);
    expect(shown).toMatch(/^before .* after$/s);
  });

  test("the longer one goes first, and what overlaps goes together", () => {
    expect(known.text("it is tr0ub4dor&3-and-more!")).toBe("it is [secret LONGER]!");
    expect(known.text("it is tr0ub4dor&3!")).toBe("it is [secret DB_PASSWORD]!");
    const overlapping = redactor([
      { name: "A", value: "abcdefgh" },
      { name: "B", value: "fghijklmnop" },
    ]);
    expect(overlapping.text("<abcdefghijklmnop>")).toBe("<[secret A]>");
  });

  test("one that is shorter than eight characters is none", () => {
    expect(redactor([{ name: "A", value: "hunter2" }]).text("hunter2")).toBe("hunter2");
  });

  test("no value reaches into a mark", () => {
    const odd = redactor([
      { name: "MY_SECRET", value: "MY_SECRET" },
      { name: "B", value: "[secret " },
    ]);
    expect(odd.text("[secret MY_SECRET] [secret B]")).toBe("[secret MY_SECRET] [secret B]");
  });

  test("a mark with the value in it does not hide the value", () => {
    expect(known.text(`[secret ${KEY}]`)).toBe("[secret [secret API_KEY]]");
    expect(known.text("[secret tr0ub4dor&3]")).toBe("[secret [secret DB_PASSWORD]]");
  });
});

describe("what only looks like a secret", () => {
  const long = "Ab1".repeat(12);
  test.each<[string, string]>([
    [`key sk-${long} it`, "key [secret] it"],
    [`sk-ant-api03-${long}-${long}AA.`, "[secret]."],
    [`sk-proj-${long}`, "[secret]"],
    [`"ghp_${long}"`, '"[secret]"'],
    [`github_pat_${long}${long}`, "[secret]"],
    [`xoxb-${"12345678901-".repeat(2)}abcdef`, "[secret]"],
    ["AKIAIOSFODNN7EXAMPLE", "[secret]"],
    [`Authorization: Bearer ${long}==`, "Authorization: Bearer [secret]"],
    [`authorization: Basic ${b64("maya:hunter2hunter2")}`, "authorization: Basic [secret]"],
    [`eyJ${long}.eyJ${long}.${long}`, "[secret]"],
    [`"a\\nsk-${long}\\n"`, '"a\\n[secret]\\n"'],
    [
      `-----BEGIN RSA PRIVATE KEY-----\n${`${"Ab1+".repeat(16)}\n`.repeat(3)}abc=\n-----END RSA PRIVATE KEY-----\nrest`,
      "[secret]\nrest",
    ],
    [
      `-----BEGIN PRIVATE KEY-----\\n${"Ab1+".repeat(16)}\\nabc=\\n-----END PRIVATE KEY-----\\n`,
      "[secret]\\n",
    ],
    [
      `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n${"Ab1+".repeat(16)}\ncut off`,
      "[secret]\ncut off",
    ],
  ])("%s", (text, shown) => {
    expect(none.text(text)).toBe(shown);
  });

  test.each([
    "sk-folding-cube-container sk-fading-circle",
    "task-1234567890abcdefghij and risk-0123456789abcdefghij",
    "Bearer authentication is required for this",
    "the bearer of 1234",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "const key = process.env.API_KEY; // sk-…",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "AKIA is how they begin, and ghp_ too",
  ])("but this stays: %s", (text) => {
    expect(none.text(text)).toBe(text);
  });
});

describe("a JSON value", () => {
  test("without secrets is handed back itself", () => {
    const value = { a: [1, null, "b", { c: true }], d: {} };
    expect(known.value(value)).toBe(value);
  });

  test("with one is another, keys too, and the rest stays", () => {
    const value = { a: [1, { k: `x ${KEY}` }], [KEY]: "tr0ub4dor&3", __proto__: null, n: 12 };
    expect(known.value(value)).toEqual({
      a: [1, { k: "x [secret API_KEY]" }],
      "[secret API_KEY]": "[secret DB_PASSWORD]",
      n: 12,
    });
  });

  test("with one in a key alone is another, however deep", () => {
    expect(known.value({ [KEY]: 1 })).toEqual({ "[secret API_KEY]": 1 });
    expect(known.value({ a: [{ [KEY]: "x" }] })).toEqual({ a: [{ "[secret API_KEY]": "x" }] });
  });

  test("tells whether it holds a mark", () => {
    expect(holdsMark({ a: [known.text(KEY)] })).toBe(true);
    expect(holdsMark({ a: ["[secret]"] })).toBe(true);
    expect(holdsMark({ a: ["[secrets] [secret of mine] secret"] })).toBe(false);
  });
});

const pieces = [
  KEY,
  "tr0ub4dor&3",
  "-and-more",
  "sk-",
  "Ab1Cd2Ef3Gh4Ij5Kl6",
  "Bearer ",
  " ",
  "\n",
  "[secret",
  "]",
  " API_KEY",
];
const keyBlock = [
  "-----BEGIN PRIVATE KEY-----\n",
  "Ab1+Ab1+Ab1+Ab1+Ab1+\n",
  "-----END PRIVATE KEY-----",
  "AKIAIOSFODNN7EXAMPLE",
];
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...pieces, ...keyBlock),
      fc.string({ maxLength: 6 }),
      fc.constant(b64(`a${KEY}`)),
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

test("twice is as good as once", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = known.text(text);
      expect(known.text(once)).toBe(once);
    }),
  );
});

test("text without secrets stays byte for byte", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => none.text(text) === text));
});

test("text in pieces comes out as the whole would", () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(40), { minLength: 1 }), (text, sizes) => {
      const stream = known.stream();
      let shown = "";
      for (let at = 0, index = 0; at < text.length; index += 1) {
        const size = 1 + (sizes[index % sizes.length] ?? 0);
        shown += stream.push(text.slice(at, at + size));
        at += size;
      }
      expect(shown + stream.end()).toBe(known.cut(text));
    }),
  );
});

test("wherever it is cut, nothing of a secret is shown before the rest is there", () => {
  const text = `It is ${KEY}, or Bearer ${"x1".repeat(12)} there.`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    const stream = known.stream();
    const first = stream.push(text.slice(0, cut));
    expect(first).not.toMatch(/sk-|canary|x1x1/);
    expect(first + stream.push(text.slice(cut)) + stream.end()).toBe(known.text(text));
  }
});

test("an answer that breaks off in the middle of a secret shows nothing of it", () => {
  const stream = known.stream();
  expect(stream.push(`It is ${KEY.slice(0, 14)}`) + stream.end()).toBe("It is …");
});

test("words are shown as they come, also in scripts without spaces", () => {
  const stream = known.stream();
  expect(stream.push("Hel")).toBe("");
  expect(stream.push("lo wor")).toBe("Hello ");
  expect(stream.push("ld. 你好")).toBe("world. 你好");
  expect(stream.end()).toBe("");
});

test("the beginning of a secret at the end of a cut text goes too", () => {
  expect(known.cut("it is tr0ub4d…")).toBe("it is …");
  expect(known.cut("it is tr0ub4d")).toBe("it is …");
  expect(known.cut("a list: t")).toBe("a list: t");
  expect(known.cut("all of it…")).toBe("all of it…");
});

test("hostile text takes no longer than any other", () => {
  const most = 400_000;
  const hostile = [
    "-----BEGIN PRIVATE KEY-----",
    `-----BEGIN PRIVATE KEY-----${" ".repeat(8)}${"A".repeat(15)}`,
    "eyJ-",
    "eyJaaaaaaaaaaa.",
    "sk-",
    "sk-aa1-aa-",
    "Bearer ",
    `Bearer ${"a".repeat(80)}`,
    "\\nsk-",
    " ",
    KEY.slice(0, -1),
    "A",
  ];
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(most / part.length));
    const startedAt = performance.now();
    known.text(text);
    // Many times what it takes, and a small part of what quadratic time would.
    expect(performance.now() - startedAt, JSON.stringify(part)).toBeLessThan(1_500);
  }
});
