/** `selvage bundle create|verify|inspect`: which bytes belong together, and who vouches for them. */
import type { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import { signerName } from "../../../core/signer.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { bytes, counted } from "../moment.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { bundleText, FAILED, SEPARATE, trustedRoot } from "../signature-text.ts";
import { verbFamily } from "../verb-family.ts";

interface CreateOptions {
  readonly bundleVersion?: string;
  readonly description?: string;
  readonly force?: boolean;
}

interface VerifyOptions {
  readonly key?: string;
  readonly strict?: boolean;
}

export function bundleCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "bundle",
    description: "sign files together, and check them",
    usage: "create ID [PATH…] | verify ID | inspect ID",
    about: "bundles",
  });
  family
    .command("create")
    .description("write and sign .ai/bundles/ID/manifest.yaml")
    .argument("<id>", "id of the bundle: lower-case letters, digits and . _ -")
    .argument("[paths...]", "files and folders of this project; without one, all that stands in .ai/")
    // Not --version: that is asked of Selvage itself, wherever it stands.
    .option("--bundle-version <text>", "version of the bundle (1.0.0)")
    .option("--description <text>", "what it is for")
    .option("--force", "make it anew where it exists")
    .action((id: string, paths: string[], options: CreateOptions) =>
      play((session) => create(session, id, paths, options)),
    );
  family
    .command("verify")
    .description("name every file that changed or is missing, and a wrong signer (exit 1)")
    .argument("<id>", "id of the bundle")
    .option("--key <signer>", "only this signer counts: a name of signer ls, or a key")
    .option("--strict", "also name what lies beside it and is not covered")
    .action((id: string, options: VerifyOptions) => play((session) => verify(session, id, options)));
  family
    .command("inspect")
    .description("what a manifest says, without a look at its files")
    .argument("<id>", "id of the bundle")
    .action((id: string) => play((session) => inspect(session, id)));
  return family;
}

async function create(
  session: Session,
  id: string,
  given: readonly string[],
  { bundleVersion, description, force = false }: CreateOptions,
): Promise<Answer> {
  requirePerson("bundle create");
  const root = trustedRoot(session);
  const { bundles } = session.house;
  const paths = given.map((path) => bundles.cover(root, session.folder, path));
  const wish = { id, paths, version: bundleVersion, description, force, signed: true };
  const { path, manifest } = await bundles.create(root, wish);
  const { files, version, signer = null } = manifest;
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    kind: "bundle.created",
    exit: EXIT.ok,
    data: { id, version, path, files: files.length, bytes: size, signer },
    text: `✓ ${path}: ${counted(files.length, "file")}, ${bytes(size)}, signed as ${signer}`,
    hint: `  selvage bundle verify ${id}`,
  };
}

async function verify(session: Session, id: string, options: VerifyOptions): Promise<Answer> {
  const root = session.house.findProject(session.folder);
  const report = await session.house.bundles.verify(root, id, options);
  const { manifest, ok, files, extra, signature, standing, findings } = report;
  const { version, created, signer = null } = manifest;
  const known = { signer, standing: standing ?? null };
  return {
    kind: "bundle.verify",
    exit: ok ? EXIT.ok : EXIT.failed,
    data: { ok, id, version, created, signature, ...known, files, extra, findings },
    text: bundleText(report),
    hint: session.flags.quiet ? "" : ok ? SEPARATE : `${SEPARATE}\n${FAILED}`,
  };
}

async function inspect(session: Session, id: string): Promise<Answer> {
  const root = session.house.findProject(session.folder);
  const { manifest, standing } = await session.house.bundles.inspect(root, id);
  const { version, description, created, files, paths, signer } = manifest;
  const who = signer === undefined ? "nobody" : standing ? signerName(signer, standing) : signer;
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  const lines = [
    `${id} ${oneLine(version, 40)}${description === "" ? "" : `: ${oneLine(description, 200)}`}`,
    `  created   ${oneLine(created, 40)}`,
    `  signer    ${who} (not checked)`,
    `  covers    ${paths.map((path) => oneLine(path, 80)).join(", ")}`,
    `  files     ${counted(files.length, "file")}, ${bytes(size)}`,
    ...(session.flags.verbose ? files.map(({ path }) => `    ${oneLine(path, 100)}`) : []),
  ];
  return {
    kind: "bundle",
    exit: EXIT.ok,
    data: { ...manifest, signer: signer ?? null, signature: manifest.signature ?? null, standing },
    text: lines.join("\n"),
    hint: `  selvage bundle verify ${id} checks it`,
  };
}
