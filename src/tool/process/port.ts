/** Whether something listens on a port of this machine. */
import { connect } from "node:net";

const CONNECT_MS = 500;
const HOSTS = ["127.0.0.1", "::1"];

/** True while somebody takes connections there. */
export async function isListening(port: number): Promise<boolean> {
  const answers = await Promise.all(HOSTS.map((host) => connects(host, port)));
  return answers.includes(true);
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_MS, () => done(false));
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}
