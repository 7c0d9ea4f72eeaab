// Handed to node with --require: what V8 is told stands in the file that TOLD names, and is told to it.
const { appendFileSync } = require("node:fs");
const v8 = require("node:v8");

const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flags) => {
  setFlagsFromString(flags);
  appendFileSync(process.env.TOLD, `${flags}\n`);
};
