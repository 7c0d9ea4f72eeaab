import { expect, test } from "vitest";
import { secretsIn } from "./secret.ts";

const isSecret = (name: string, value: string, named: string[] = []) =>
  secretsIn({ [name]: value, HOME: "/home/maya.k3v9", USER: "maya-k3v9qa" }, named).length > 0;

test.each<[string, string]>([
  ["ANTHROPIC_API_KEY", "sk-ant-1234567890"],
  ["GITHUB_TOKEN", "ghp_abcdefgh1234"],
  ["DB_PASSWORD", "tr0ub4dor&3"],
  ["DB_PASSWORD", "hunter22"],
  ["db_passwd", "p@ssw0rd!"],
  ["MYSQL_PWD", "3x4mple9"],
  ["APP_SECRET", "aBcDeFgHiJkL"],
  ["APP_SECRET", "correct-horse-battery-staple"],
  ["SECRET_KEY_BASE", "0123456789abcdef0123456789abcdef"],
  ["AWS_SECRET_ACCESS_KEY", "/3Xk9+aaBBccDDeeFFggHHiiJJkkLLmmNNooPPqq"],
  ["KEY", "1234567890123456"],
  ["SLACK_WEBHOOK_SECRET", "https://hooks.example/services/T00000000/B00000000/X1X2X3X4X5X6X7X8X9X0"],
  ["SESSION_COOKIE", "s%3Aabc.def123"],
  ["DATABASE_URL", "postgres://app:tr0ub4dor@db.example/app"],
  ["HTTPS_PROXY", "http://me:canary-proxy-1@proxy:8080"],
  ["GOOGLE_CREDENTIALS", '{"private_key_id": "a1B2c3D4e5F6a7B8c9D0e1F2"}'],
])("%s=%s is a secret", (name, value) => {
  expect(isSecret(name, value)).toBe(true);
});

test.each<[string, string]>([
  ["API_KEY", ""],
  ["API_KEY", "short12"],
  ["DB_PASSWORD", "password"],
  ["DB_PASSWORD", "password123"],
  ["DB_PASSWORD", "postgres"],
  ["DB_PASSWORD", "changeme"],
  ["DB_PASSWORD", "development"],
  ["APP_TOKEN", "xxxxxxxxxxxx"],
  ["APP_TOKEN", "your-token-goes-here-1"],
  ["APP_TOKEN", "$OTHER_TOKEN"],
  ["APP_TOKEN", "undefined"],
  ["USE_AUTH", "true"],
  ["AUTH", "kerberos"],
  ["AUTH_TYPE", "oauth2-pkce-S256"],
  ["AUTH_URL", "https://auth.example.com/login"],
  ["AUTH_USER", "maya.k3v9@example.com"],
  ["AUTH_SERVER", "auth.example.com:8443"],
  ["MAX_TOKENS", "2000000"],
  ["TOKEN_LIMIT", "200000000000"],
  ["KEY_ROTATED", "2026-01-02T03:04:05Z"],
  ["TOKEN_VERSION", "1.2.3-beta4"],
  ["SSH_AUTH_SOCK", "/tmp/ssh-XXXX1234/agent.99"],
  ["SSL_KEY", "/etc/ssl/private/server1.key"],
  ["GPG_KEYS", "~/.gnupg/keys2"],
  ["APP_KEY", "/usr/bin/Key1"],
  ["APP_KEY", "C:\\Keys\\1.pem"],
  ["APP_SECRET", "maya-k3v9qa"],
  ["APP_SECRET", "/home/maya.k3v9"],
  ["KEYBOARD", "us-intl-2024x"],
  ["MONKEY", "b4nana-b4nana"],
  ["AUTHOR", "M4ya-of-the-hill"],
  ["PWD", "/Work/Main-1"],
  ["PATH", "/a1:/b2:/c3-Bin"],
  ["DATABASE_URL", "postgres://app@db.example/app1234"],
  ["DATABASE_URL", "postgres://app:postgres@db.example/app1234"],
])("%s=%s is none", (name, value) => {
  expect(isSecret(name, value)).toBe(false);
});

test("a variable that a provider names as its key is one, whatever it is called", () => {
  expect(isSecret("MY_LLM", "password")).toBe(false);
  expect(isSecret("MY_LLM", "password", ["MY_LLM"])).toBe(true);
  expect(isSecret("MY_LLM", "short", ["MY_LLM"])).toBe(false);
  // A project that calls these its key would blank out half of what is said.
  expect(isSecret("MY_LLM", "/home/maya.k3v9", ["MY_LLM"])).toBe(false);
  expect(isSecret("PATH", "/usr/bin:/bin", ["PATH"])).toBe(false);
});

test("of two variables with one value, the one that a provider names gives it its name", () => {
  const value = "sk-1234567890";
  expect(secretsIn({ A_TOKEN: value, MINE: value }, ["MINE"])[0]).toEqual({ name: "MINE", value });
});

test("of a password in an address only the password is a secret", () => {
  const environment = { DATABASE_URL: "postgres://app:tr0ub4dor@db.example/app" };
  expect(secretsIn(environment)).toEqual([{ name: "DATABASE_URL", value: "tr0ub4dor" }]);
});

test("of a key file, its lines are secrets too, and not its head", () => {
  const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
  const value = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----`;
  expect(secretsIn({ APP_PRIVATE_KEY: value }).map((secret) => secret.value)).toEqual([value, line]);
});
