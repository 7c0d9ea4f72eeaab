import { expect, test } from "vitest";
import { proxyFor } from "./proxy.ts";

const chosen = (url: string, environment: Record<string, string>) => {
  const choice = proxyFor(new URL(url), environment);
  return choice.type === "proxy" ? choice.url.host : choice.type;
};

test.each<[string, Record<string, string>, string]>([
  ["https://api.example.com", {}, "direct"],
  ["https://api.example.com", { HTTPS_PROXY: "http://p:1" }, "p:1"],
  ["https://api.example.com", { https_proxy: "http://low:1", HTTPS_PROXY: "http://up:1" }, "low:1"],
  ["https://api.example.com", { HTTPS_PROXY: "p:3128" }, "p:3128"],
  ["https://api.example.com", { HTTPS_PROXY: " " }, "direct"],
  ["https://api.example.com", { HTTP_PROXY: "http://p:1" }, "direct"],
  ["http://api.example.com", { HTTP_PROXY: "http://p:1" }, "p:1"],
  ["http://api.example.com", { all_proxy: "https://p:1" }, "p:1"],
  ["https://api.example.com", { ALL_PROXY: "http://a:1", HTTPS_PROXY: "http://p:1" }, "p:1"],
  ["https://api.example.com", { ALL_PROXY: "socks5://p:1" }, "refused"],
  ["https://api.example.com", { HTTPS_PROXY: "http://[" }, "refused"],
  ["http://localhost:11434", { HTTP_PROXY: "http://p:1" }, "direct"],
  ["http://127.0.0.1:8080", { HTTP_PROXY: "http://p:1" }, "direct"],
  ["http://[::1]:8080", { HTTP_PROXY: "http://p:1" }, "direct"],
])("%s with %j: %s", (url, environment, expected) => {
  expect(chosen(url, environment)).toBe(expected);
});

test.each([
  ["*", true],
  ["example.com", true],
  [".example.com", true],
  ["*.example.com", true],
  ["API.EXAMPLE.COM", true],
  ["other.com, api.example.com", true],
  ["api.example.com:8443", true],
  ["api.example.com:443", false],
  ["ample.com", false],
  ["", false],
  [",, ", false],
])("NO_PROXY=%j exempts: %j", (list, isExempt) => {
  const environment = { HTTPS_PROXY: "http://p:1", NO_PROXY: list };
  expect(chosen("https://api.example.com:8443", environment)).toBe(isExempt ? "direct" : "p:1");
});

test("an IPv6 address is exempt by its name", () => {
  const environment = { HTTPS_PROXY: "http://p:1", no_proxy: "fd00::1" };
  expect(chosen("https://[fd00::1]", environment)).toBe("direct");
});

test("a password is not repeated", () => {
  for (const value of ["socks5://me:canary@p:1", "http://me:canary@["]) {
    expect(JSON.stringify(proxyFor(new URL("https://x.com"), { HTTPS_PROXY: value }))).not.toContain(
      "canary",
    );
  }
});
