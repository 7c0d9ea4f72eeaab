/** `selvage config show|get|set|check`: what holds, who says so, and what is wrong. Only `set` writes. */
import type { Command } from "commander";
import { requireSetting, type SettingShown } from "../../../core/configuration.ts";
import { EXIT } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { complaintLines, nameText, originLines, placeText, plainSetting, valueText } from "../config-text.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import { honoured, rootHere, tellWrong } from "../honoured.ts";
import { counted } from "../moment.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { type Session, untrusted } from "../session.ts";
import { verbFamily } from "../verb-family.ts";

interface ShowOptions {
  readonly origin?: boolean;
  readonly diff?: boolean;
}

interface SetOptions {
  readonly user?: boolean;
}

const KEY = "such as retry.max_retries";

export function configCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "config",
    description: "settings: what holds and who says so; change and check them",
    usage: "show | get KEY | set KEY VALUE | check",
    about: "settings",
  });
  family
    .command("show")
    .description("all settings with their values")
    .option("--origin", "with the file and line of each, and what it overrides")
    .option("--diff", "only those that differ from what is built in")
    .action((options: ShowOptions) => play((session) => show(session, options)));
  family
    .command("get")
    .description("one value")
    .argument("<key>", KEY)
    .action((key: string) => play((session) => get(session, key)));
  family
    .command("set")
    .description("write one value into the project's settings; comments stay")
    .argument("<key>", KEY)
    .argument("<value>", "as in YAML")
    .option("--user", "into your own settings, for all projects")
    .action((key: string, value: string, options: SetOptions) =>
      play((session) => set(session, key, value, options)),
    );
  family
    .command("check")
    .description("what is wrong with any file of the configuration (exit 7)")
    .action(() => play(check));
  return family;
}

async function show(session: Session, { origin, diff }: ShowOptions): Promise<Answer> {
  const { values: all, wrong } = session.house.config.show(honoured(session));
  tellWrong(session, wrong);
  const values = diff ? all.filter(differs) : all;
  const data = { values };
  const kind = "config";
  const { flags, terminal } = session;
  if (flags.plain) return { kind, exit: EXIT.ok, data, text: values.map(plainSetting).join("\n") };
  const plain = () => values.map((setting) => `${nameText(setting)} = ${valueText(setting.value)}`);
  const text = (origin ? originLines(values, terminal) : plain()).join("\n");
  const hint = diff && values.length === 0 ? "Everything is as it is built in." : "";
  return { kind, exit: EXIT.ok, data, text, hint };
}

function differs({ value, overrides }: SettingShown): boolean {
  const builtIn = overrides.at(-1);
  return builtIn !== undefined && JSON.stringify(value) !== JSON.stringify(builtIn.value);
}

async function get(session: Session, name: string): Promise<Answer> {
  const key = session.house.config.ownName(name) ?? name;
  requireSetting(key);
  const { values, wrong } = session.house.config.show(honoured(session));
  tellWrong(session, wrong);
  const found = values.find((setting) => setting.key === key && setting.provider === null);
  // Another name may count in another unit: whoever used it should see whose value this is.
  const hint = key === name ? "" : `${oneLine(name, 60)} is another name of ${key}.`;
  return { kind: "config.value", exit: EXIT.ok, data: found, text: valueText(found?.value), hint };
}

async function set(session: Session, key: string, text: string, { user }: SetOptions): Promise<Answer> {
  requirePerson("config set");
  requireSetting(key);
  const layer = user ? "user" : "project";
  const root = user ? honoured(session) : trustedRoot(session);
  const change = session.house.config.set(root, { key, text, layer });
  tellWrong(session, change.wrong);
  const now = session.house.config.show(root).values.find((setting) => setting.key === key);
  const isCovered = now && now.origin.file !== change.file;
  return {
    kind: "config.set",
    exit: EXIT.ok,
    data: change,
    text: `${key}: ${valueText(change.before)} → ${valueText(change.after)}   ${change.file}`,
    hint: isCovered
      ? `Here ${valueText(now.value)} holds all the same: ${placeText(now.origin)} says so.`
      : "",
  };
}

async function check(session: Session): Promise<Answer> {
  const root = rootHere(session);
  const { checked, wrong, strays } = await session.house.config.check(root);
  for (const { file, message } of strays) session.warn(`${file}: ${message}`);
  const count = wrong.flatMap(({ complaints }) => complaints).length;
  const isTrusted = root === undefined || session.house.trustOf(root).trusted;
  const verdict = count === 0 ? "nothing to complain about" : counted(count, "error");
  if (root !== undefined && isTrusted && count === 0) tellFallbacks(session, root);
  return {
    kind: "config.check",
    exit: count === 0 ? EXIT.ok : EXIT.invalid,
    data: { files: wrong, strays, checked },
    text: complaintLines(wrong, session.terminal),
    hint: [
      counted(checked.length, "file"),
      verdict,
      ...(isTrusted ? [] : ["the project's are not honoured: it is not trusted"]),
    ].join(" · "),
  };
}

/** Only where there are any: a project is not opened for nothing, and its store may be what is broken. */
function tellFallbacks(session: Session, root: string): void {
  const { values } = session.house.config.show(root);
  const named = values.find(({ key, provider }) => key === "model.fallback" && provider === null);
  if (Array.isArray(named?.value) && named.value.length > 0) warnOfFallbacks(session, session.open(root));
}

function trustedRoot(session: Session): string {
  const root = session.house.findProject(session.folder);
  const trust = session.house.trustOf(root);
  if (!trust.trusted) throw untrusted(root, trust, session.mayAsk);
  return root;
}
