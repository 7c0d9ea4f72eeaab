// Handed to node with --require: a process that dies as soon as it asks.
require("node:diagnostics_channel").subscribe("http.client.request.start", () =>
  process.kill(process.pid, "SIGKILL"),
);
