/** `selvage signer ls|add|rm`: whom this user knows by key. Only a person adds or removes one. */
import type { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import type { Answer } from "../answer.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { table } from "../table.ts";
import { verbFamily } from "../verb-family.ts";

export function signerCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "signer",
    description: "whose signatures count: your key, and the keys you know",
    usage: "ls | add NAME KEY | rm NAME",
    about: "signers",
  });
  family
    .command("ls")
    .description("your own key, and those you know")
    .action(() => play(list));
  family
    .command("add")
    .description("let a signer count; ask them for their key by another way")
    .argument("<name>", "what you call them")
    .argument("<key>", "their public key, ed25519:…")
    .action((name: string, key: string) => play((session) => add(session, name, key)));
  family
    .command("rm")
    .description("let a signer count no longer")
    .argument("<signer>", "a name or a key")
    .action((signer: string) => play((session) => remove(session, signer)));
  return family;
}

async function list({ house, flags, terminal }: Session): Promise<Answer> {
  const own = house.bundles.signers.own() ?? null;
  const known = house.bundles.signers.list();
  const rows = [...(own === null ? [] : [["you", own]]), ...known.map(({ name, key }) => [name, key])];
  const signers = known.map(({ name, key, addedAt }) => ({ name, key, added_at: addedAt }));
  const lines = flags.plain ? rows.map((row) => row.join("\t")) : table(rows, terminal.columns);
  const hint = own === null ? "You have no key yet: the first selvage sign makes one." : "";
  return { kind: "signer.list", exit: EXIT.ok, data: { own, signers }, text: lines.join("\n"), hint };
}

async function add({ house }: Session, name: string, key: string): Promise<Answer> {
  requirePerson("signer add");
  house.bundles.signers.add(name, key);
  const text = `✓ Signatures of ${key} count as ${name}'s. No project is trusted by that.`;
  return { kind: "signer.added", exit: EXIT.ok, data: { name, key }, text };
}

async function remove({ house }: Session, signer: string): Promise<Answer> {
  requirePerson("signer rm");
  const name = house.bundles.signers.remove(signer);
  return { kind: "signer.removed", exit: EXIT.ok, data: { name }, text: `✓ ${name} counts no longer.` };
}
