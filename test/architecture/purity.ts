// Core and runtime reach the outside only through the World they are handed: no clock, no chance, no I/O.

import type { Source } from "./source.ts";

const PURE_ROOMS = ["src/core/", "src/runtime/"];

const IMPURE_GLOBALS = [
  /^Date\.now$/,
  /^new Date\(\)$/,
  /^Date\(\)$/,
  /^Math\.random$/,
  /^performance\.now$/,
  /^crypto\.(randomUUID|getRandomValues)$/,
  /^(globalThis\.)?(setTimeout|setInterval|setImmediate|fetch)\b/,
  /^(globalThis\.)?process\b/,
];

const IMPURE_MODULES = [
  ...["fs", "child_process", "net", "tls", "dgram", "dns", "http", "https", "http2"],
  ...["os", "timers", "process", "perf_hooks", "worker_threads"],
];

export function purityComplaints(source: Source): string[] {
  if (!PURE_ROOMS.some((room) => source.path.startsWith(room))) return [];
  const modules = source.path.startsWith("src/core/") ? [...IMPURE_MODULES, "crypto"] : IMPURE_MODULES;
  const imports = source.imports.filter(({ target }) => modules.includes(moduleName(target)));
  const globals = source.globals.filter(({ name }) => IMPURE_GLOBALS.some((pattern) => pattern.test(name)));
  return [
    ...imports.map(({ target, line }) => `${source.path}:${line}: imports ${target}`),
    ...globals.map(({ name, line }) => `${source.path}:${line}: uses ${name}`),
  ];
}

/** `node:fs/promises` and `fs` are both `fs`. */
function moduleName(target: string): string {
  return target.replace(/^node:/, "").split("/")[0] ?? target;
}
