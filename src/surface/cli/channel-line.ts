/** Lines of a log about channels. */
import type { Event } from "../../core/event.ts";
import { oneLine } from "../../core/text.ts";
import { type LogLine, say } from "./log-line.ts";
import { shortId } from "./short-id.ts";

const WIDTH = 96;

type Told = "channel_joined" | "channel_posted" | "channel_left" | "channel_heard";

export function channelLine(event: Event<Told>): LogLine {
  const line = (text: string) => say(undefined, "channel", `${oneLine(event.channel, 40)}: ${text}`);
  switch (event.type) {
    case "channel_joined":
      return line(`joined, ${event.mode}, ${event.members.length} others there`);
    case "channel_posted":
      return line(`posted ${oneLine(event.text, WIDTH)}`);
    case "channel_left":
      return line("left");
    case "channel_heard": {
      const said = event.what === "posted" ? `: ${oneLine(event.text ?? "", WIDTH)}` : "";
      return line(`${shortId(event.from)} ${event.what}${said}`);
    }
  }
}
