/** The real client for Anthropic's messages, at the address of the stand-in, with a watch on what it hears. */
import type { Model } from "../src/core/model.ts";
import type { Provider } from "../src/core/provider.ts";
import { defaultSettings } from "../src/core/settings.ts";
import { realClock } from "../src/machine/index.ts";
import { modelFor } from "../src/provider/models.ts";
import type { Kind } from "./payload.ts";
import type { Job } from "./variant.ts";

/** One whose price and window are in the catalogue, as a user's would be. */
export const MODEL = "anthropic/claude-sonnet-5-5";

export function benchModel(port: number, job: Job): Model {
  // The stand-in is told by its address what to answer: it does not look into requests.
  const [working, ending] = [clientFor(port, job.kind), clientFor(port, "text")];
  return {
    ...working,
    ask: (asked, on, signal) => {
      const { watch } = job;
      watch?.ask(asked.answers);
      const model = asked.answers < job.turns ? working : ending;
      if (!watch) return model.ask(asked, on, signal);
      const hear: typeof on = (event) => {
        if (event.type === "text_delta") watch.bytesRead();
        on(event);
      };
      return model.ask(asked, hear, signal);
    },
  };
}

function clientFor(port: number, kind: Kind): Model {
  const provider: Provider = {
    id: "anthropic",
    protocol: "anthropic",
    baseUrl: `http://127.0.0.1:${port}/${kind}`,
    addressSaidBy: "the bench",
    keys: [{ variable: "BENCH_KEY", saidBy: "the bench" }],
    options: { stream: true },
  };
  const model = modelFor({
    projectRoot: "/",
    clock: realClock,
    settings: defaultSettings,
    providers: new Map([[provider.id, provider]]),
    environment: { BENCH_KEY: "bench" },
  })(MODEL);
  if (!model || model.unusable) throw new Error(`no client for the stand-in: ${model?.unusable}`);
  return model;
}
