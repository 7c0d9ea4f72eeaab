/** A client that knows where the command line of this package is. */
import { entryNamed } from "./real-entries.ts";
import { RpcClient as Client, type RpcClientOptions } from "./surface/rpc/client.ts";

export class RpcClient extends Client {
  constructor(options: RpcClientOptions = {}) {
    super({ cliPath: entryNamed("cli.js"), ...options });
  }
}
