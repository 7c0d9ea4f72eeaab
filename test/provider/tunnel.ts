// A small proxy that takes every name for this machine, and a server that speaks TLS.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { StandIn } from "./stand-in.ts";

/** Self-made, for api.example.test alone, worth nothing to anybody. */
export const CERTIFICATE = fileURLToPath(new URL("./tls-for-tests.pem", import.meta.url));
export const HOST = "api.example.test";

export async function secureStandIn(): Promise<StandIn> {
  const pem = readFileSync(CERTIFICATE);
  const standIn = new StandIn((listener) => createSecureServer({ key: pem, cert: pem }, listener));
  await standIn.listen();
  return standIn;
}

export class TestProxy {
  /** Lines of the requests it got, with what they said of themselves. */
  readonly seen: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #asked: () => void = () => {};
  readonly asked = new Promise<void>((resolve) => {
    this.#asked = resolve;
  });

  /** Resolves when somebody who asked for a tunnel has gone away again. */
  readonly left: Promise<void>;

  constructor(manner: "helpful" | "silent" | number = "helpful") {
    let leave: () => void = () => {};
    this.left = new Promise((resolve) => {
      leave = resolve;
    });
    this.#server = createServer((asked, response) => {
      this.#note(`${asked.method} ${asked.url}`, asked.headers["proxy-authorization"]);
      const { port, pathname } = new URL(asked.url ?? "");
      const { method = "", headers } = asked;
      const onward = request({ host: "127.0.0.1", port, path: pathname, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      asked.pipe(onward);
    });
    this.#server.on("connect", (asked, socket: Socket) => {
      this.#note(`CONNECT ${asked.url}`, asked.headers["proxy-authorization"]);
      this.#sockets.add(socket);
      socket.once("close", leave);
      socket.on("error", () => {});
      this.#asked();
      if (typeof manner === "number") socket.end(`HTTP/1.1 ${manner} No\r\n\r\n`);
      if (manner !== "helpful") {
        socket.resume().once("end", () => socket.destroy());
        return;
      }
      const onward = connect(Number(asked.url?.split(":").at(-1)), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on("error", () => onward.destroy());
    });
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  url(credentials = ""): string {
    return `http://${credentials}127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #note(line: string, credentials: string | undefined): void {
    const shown = credentials === undefined ? "" : ` as ${Buffer.from(credentials.slice(6), "base64")}`;
    this.seen.push(line + shown);
  }
}
