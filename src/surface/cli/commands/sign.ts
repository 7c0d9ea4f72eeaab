/** `selvage sign ITEM…`: this user vouches for items, each with a comment on its last line. */
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { trustedRoot } from "../signature-text.ts";

export function signCommand(play: Play): Command {
  return new Command("sign")
    .description("vouch for items with your key; selvage verify ITEM checks them")
    .argument("<items...>", "a path, or directive:NAME, tool:NAME, knowledge:NAME, skill:NAME, bundle:ID")
    .action((items: string[]) => play((session) => sign(session, items)));
}

async function sign(session: Session, items: readonly string[]): Promise<Answer> {
  // Who signs vouches for it: an agent that could do that would vouch for itself.
  requirePerson("sign");
  const root = trustedRoot(session);
  const { bundles } = session.house;
  const paths = items.map((item) => bundles.resolve(root, session.folder, item));
  const isFirst = bundles.signers.own() === undefined;
  const once = [...new Set(paths)].map((path) => ({ path }));
  const signed = await bundles.sign(root, once);
  const [first] = signed;
  const made = isFirst ? `  This was your first signature: your key is ${first?.signer}` : "";
  return {
    kind: "signed",
    exit: EXIT.ok,
    data: { signed, signer: first?.signer ?? null },
    text: signed.map(({ path }) => `✓ ${oneLine(path, 100)} signed`).join("\n"),
    hint: session.flags.quiet ? "" : made,
  };
}
