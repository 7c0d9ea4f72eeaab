/** The raw loop as a script of its own: what a cold start is compared with. `node raw-script.mjs <port>` */
import { rawThread } from "./raw.ts";

const [port = "0"] = process.argv.slice(2);
// The stand-in of the cold start only notes that the request came; there is nothing to read.
await rawThread(Number(port), { turns: 1, kind: "tool" }, async () => "").catch(() => {});
