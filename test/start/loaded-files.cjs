// Handed to node with --require: writes down which files a process has loaded, in the file that LOADED names.
const fs = require("node:fs");
const module_ = require("node:module");
const { pathToFileURL } = require("node:url");

const place = process.env.LOADED;
const { appendFileSync, openSync } = fs;
// Hooks run in a thread of their own; what they note must be in the file before the process ends, hence at once.
const hooks = `
import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(place)}, url + "\\n");
  return next(url, context);
}`;
module_.register(`data:text/javascript,${encodeURIComponent(hooks)}`);
// The command line opens its files itself.
fs.openSync = (path, ...rest) => {
  if (String(path).endsWith(".js")) appendFileSync(place, `${pathToFileURL(String(path))}\n`);
  return openSync(path, ...rest);
};
process.on("exit", () => {
  for (const path of Object.keys(require.cache)) appendFileSync(place, `${pathToFileURL(path)}\n`);
});
