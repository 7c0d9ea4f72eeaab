// Handed to node with --require by first-modules.mjs: notes which file in WATCHED used which, until the first request or the
// end, in the file that USES names.
const { subscribe } = require("node:diagnostics_channel");
const { writeFileSync } = require("node:fs");
const Module = require("node:module");

const folder = process.env.WATCHED;
const uses = new Set();
const seen = new Map();
const load = Module.prototype.require;

Module.prototype.require = function (id) {
  const loaded = load.call(this, id);
  if (!id.startsWith(".") || !this.filename.startsWith(folder) || Object(loaded) !== loaded) return loaded;
  const name = Module._resolveFilename(id, this).slice(folder.length);
  // What the bundler itself brings hands on others under its own name.
  if (name.startsWith("_virtual")) return loaded;
  const use = `${this.filename.slice(folder.length)} ${name}`;
  if (!seen.has(use))
    seen.set(use, new Proxy(loaded, { get: (from, key) => uses.add(use) && Reflect.get(from, key) }));
  return seen.get(use);
};

const note = () => writeFileSync(process.env.USES, [...uses].join("\n"));
subscribe("http.client.request.start", () => {
  note();
  process.kill(process.pid, "SIGKILL");
});
process.on("exit", note);
