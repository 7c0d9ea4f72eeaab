/** What commands about a project, this machine and Selvage itself print. */
import * as z from "zod/mini";
import { CHECK_CATEGORIES, CHECK_STATUSES } from "../../../core/diagnosis.ts";
import type { KindEntry } from "./entry.ts";
import { hostShape } from "./host-kinds.ts";
import { anything, count, counts, limits, maybe, money, text, texts, time } from "./scalars.ts";
import { approval, complaint, directiveProblem, hookEvent, signatureFinding } from "./shapes.ts";

const origin = z.object({
  layer: z.enum(["built-in", "system", "user", "provider", "project"]),
  file: maybe(text),
  line: maybe(count),
  value: anything,
});
const setting = () =>
  z.object({ key: text, provider: maybe(text), value: anything, origin, overrides: z.array(origin) });
const configFile = () => z.object({ file: text, complaints: z.array(complaint) });
const item = () =>
  z.object({
    path: text,
    ok: z.boolean(),
    signature: z.enum(["valid", "invalid", "none"]),
    signer: maybe(text),
    signed_at: maybe(text),
    standing: anything,
    findings: z.array(signatureFinding),
  });
const bundleFile = z.looseObject({ path: text, sha256: text, bytes: count });
const rates = { input: maybe(text), output: maybe(text), cache_read: maybe(text), cache_write: maybe(text) };

const check = () =>
  z.object({
    id: text,
    category: z.enum(CHECK_CATEGORIES),
    status: z.enum(CHECK_STATUSES),
    summary: text,
    detail: texts,
    fix: maybe(z.object({ cmd: text, safe: z.boolean() })),
  });

export const PROJECT_KINDS = {
  status: {
    about: "selvage, selvage status; outside a project only `project`, null",
    data: () =>
      z.object({
        project: maybe(text),
        trusted: z.optional(z.boolean()),
        host: z.optional(maybe(z.object({ ...hostShape, scope: text, count }))),
        counts: z.optional(counts),
        spend: z.optional(
          z.object({ today: money, limit: maybe(money), reserved: money, unpriced_tokens: count }),
        ),
        needs_you: z.optional(z.array(approval)),
        next: z.optional(text),
      }),
  },
  init: {
    about: "selvage init",
    data: () =>
      z.object({ project: text, created: texts, skipped: texts, trusted: z.boolean(), next: texts }),
  },
  trust: {
    about: "selvage trust",
    data: () =>
      z.object({
        project: text,
        trusted: z.boolean(),
        store_id: text,
        trusted_at: maybe(time),
        changed: texts,
        files: z.array(
          z.object({
            path: text,
            kind: text,
            change: maybe(z.enum(["new", "changed", "gone"])),
            hash: maybe(text),
            means: texts,
          }),
        ),
        variables: z.array(z.object({ name: text, is_set: z.boolean(), use: text, path: text })),
        directives: texts,
        tools: texts,
      }),
  },
  "directive.list": {
    about: "selvage directive ls",
    data: () =>
      z.object({
        directives: z.array(
          z.looseObject({
            name: text,
            path: text,
            description: maybe(text),
            model: maybe(text),
            valid: z.boolean(),
            problems: z.array(directiveProblem),
          }),
        ),
      }),
  },
  directive: {
    about: "selvage directive show",
    data: () =>
      z.looseObject({
        name: text,
        description: text,
        model: maybe(text),
        limits,
        path: text,
        form: z.enum(["yaml", "xml"]),
        problems: z.array(directiveProblem),
      }),
  },
  "directive.lint": {
    about: "selvage directive lint",
    data: () => z.object({ problems: z.array(directiveProblem), checked: count }),
  },
  "directive.new": {
    about: "selvage directive new",
    data: () => z.object({ name: text, created: texts, next: texts }),
  },
  "hooks.list": {
    about: "selvage hooks ls",
    data: () =>
      z.object({
        hooks: z.array(
          z.object({
            id: text,
            event: hookEvent,
            when: maybe(text),
            layer: text,
            path: text,
            action: text,
            timeout_seconds: count,
          }),
        ),
      }),
  },
  "hooks.test": {
    about: "selvage hooks test",
    data: () =>
      z.object({
        event: hookEvent,
        hooks: z.array(
          z.object({
            id: text,
            layer: text,
            path: text,
            when: maybe(text),
            matched: z.boolean(),
            error: maybe(text),
            action: text,
            inputs: anything,
          }),
        ),
        // biome-ignore lint/suspicious/noThenProperty: a field of the answer; nobody awaits a schema
        then: text,
      }),
  },
  "models.list": {
    about: "selvage models ls",
    data: () =>
      z.object({
        models: z.array(
          z.object({
            name: text,
            ready: z.boolean(),
            tiers: texts,
            origin: anything,
            window: maybe(count),
            max_output: maybe(count),
            price: maybe(z.object({ ...rates, long: maybe(z.object({ above: count, ...rates })) })),
          }),
        ),
      }),
  },
  classification: {
    about: "selvage classify",
    data: () =>
      z.object({
        category: text,
        rule: text,
        policy: maybe(anything),
        origin: anything,
        wait: maybe(anything),
        outcome: anything,
        sentence: text,
        hook: maybe(z.object({ id: text, path: text, when: maybe(text) })),
      }),
  },
  config: { about: "selvage config show", data: () => z.object({ values: z.array(setting()) }) },
  "config.value": { about: "selvage config get", data: setting },
  "config.set": {
    about: "selvage config set",
    data: () =>
      z.object({ key: text, file: text, before: anything, after: anything, wrong: z.array(configFile()) }),
  },
  "config.check": {
    about: "selvage config check",
    data: () => z.object({ files: z.array(configFile()), strays: z.array(complaint), checked: texts }),
  },
  "bundle.created": {
    about: "selvage bundle create",
    data: () =>
      z.object({ id: text, version: text, path: text, files: count, bytes: count, signer: maybe(text) }),
  },
  "bundle.verify": {
    about: "selvage bundle verify",
    data: () =>
      z.object({
        ok: z.boolean(),
        id: text,
        version: text,
        created: text,
        signature: z.enum(["valid", "invalid", "none"]),
        signer: maybe(text),
        standing: anything,
        files: z.array(bundleFile),
        extra: texts,
        findings: z.array(signatureFinding),
      }),
  },
  bundle: {
    about: "selvage bundle inspect",
    data: () =>
      z.object({
        id: text,
        version: text,
        description: text,
        created: text,
        paths: texts,
        files: z.array(bundleFile),
        signer: maybe(text),
        signature: maybe(text),
        standing: anything,
      }),
  },
  signed: {
    about: "selvage sign",
    data: () => z.object({ signed: z.array(z.object({ path: text, signer: text })), signer: maybe(text) }),
  },
  "verify.items": {
    about: "selvage verify ITEM",
    data: () => z.object({ ok: z.boolean(), items: z.array(item()) }),
  },
  "signer.list": {
    about: "selvage signer ls",
    data: () =>
      z.object({
        own: maybe(text),
        signers: z.array(z.object({ name: text, key: text, added_at: text })),
      }),
  },
  "signer.added": { about: "selvage signer add", data: () => z.object({ name: text, key: text }) },
  "signer.removed": { about: "selvage signer rm", data: () => z.object({ name: text }) },
  demo: { about: "selvage demo", data: () => z.looseObject({}) },
  doctor: {
    about: "selvage doctor",
    data: () =>
      z.object({
        schemaVersion: z.literal(1),
        overall: z.enum(["ok", "warn", "fail"]),
        project: maybe(text),
        version: text,
        checks: z.array(check()),
        fixed: texts,
        bundle: maybe(z.object({ path: text, bytes: count })),
      }),
  },
  explain: {
    about: "selvage explain; without a code, all of them",
    data: () =>
      z.object({
        code: z.optional(text),
        title: z.optional(text),
        meaning: z.optional(text),
        steps: z.optional(texts),
        exit: z.optional(count),
        codes: z.optional(z.array(z.object({ code: text, title: text, exit: count }))),
      }),
  },
  schema: {
    about: "selvage schema",
    data: () =>
      z.object({
        kind: z.optional(text),
        schema: z.optional(anything),
        types: z.optional(text),
        kinds: z.optional(z.array(z.object({ kind: text, about: text }))),
      }),
  },
  completion: {
    about: "selvage completion",
    data: () => z.object({ shell: text, script: text, path: maybe(text) }),
  },
  words: {
    about: "what a shell is told",
    data: () => z.object({ words: z.array(z.object({ value: text, about: text })), marks: texts }),
  },
  help: {
    about: "selvage help",
    data: () =>
      z.object({
        text: z.optional(text),
        exit_codes: z.optional(z.array(z.object({ code: text, name: text, when: text }))),
      }),
  },
  version: { about: "selvage --version", data: () => z.object({ version: text }) },
} satisfies Record<string, KindEntry>;
