/** `selvage doctor`: looks at this machine and this project, and says what to do. Without `--fix` it changes nothing. */
import { Command } from "commander";
import { categoryOf, isHealthy, overallOf } from "../../../core/diagnosis.ts";
import { EXIT } from "../../../core/problem.ts";
import type { Answer } from "../answer.ts";
import { doctorText, plainCheck } from "../doctor/doctor-text.ts";
import { examine } from "../doctor/examine.ts";
import { writeSupport } from "../doctor/support.ts";
import { bytes } from "../moment.ts";
import type { Play } from "../program.ts";
import { type Session, untrusted } from "../session.ts";

interface DoctorOptions {
  readonly fix?: boolean;
  readonly strict?: boolean;
  readonly offline?: boolean;
  readonly bundle?: string;
}

export function doctorCommand(play: Play): Command {
  return new Command("doctor")
    .description("check this machine and this project, and say what to do")
    .option("--fix", "mend what can be mended without losing anything")
    .option("--strict", "exit 1 for warnings too")
    .option("--offline", "ask nobody over the network")
    .option("--bundle <file>", "write the report and what belongs to it into an archive, without secrets")
    .action((options: DoctorOptions) => play((session) => doctor(session, options)));
}

async function doctor(session: Session, options: DoctorOptions): Promise<Answer> {
  const { offline = false, strict = false, bundle } = options;
  const first = await examine(session, { offline });
  const fixed = options.fix && first.root !== undefined ? mend(session, first.root) : [];
  const { root, checks } = fixed.length > 0 ? await examine(session, { offline }) : first;
  const overall = overallOf(checks);
  const report = {
    schemaVersion: 1,
    overall,
    project: root ?? null,
    version: session.house.version,
    checks: checks.map((check) => ({ ...check, category: categoryOf(check) })),
    fixed,
  };
  const written = bundle === undefined ? null : await writeSupport(session, root, report, bundle);
  const { flags } = session;
  const shown = flags.plain ? checks.map(plainCheck).join("\n") : doctorText(session, checks);
  const hint = [
    ...fixed.map((done) => `✓ ${done}`),
    ...(written ? [`Wrote ${written.path} (${bytes(written.bytes)}); look at it before you send it.`] : []),
  ];
  return {
    kind: "doctor",
    exit: isHealthy(overall, strict) ? EXIT.ok : EXIT.failed,
    data: { ...report, bundle: written },
    text: flags.quiet ? overall : shown,
    hint: hint.join("\n"),
  };
}

/** Nothing is written into a project that came from elsewhere (F7). */
function mend(session: Session, root: string): readonly string[] {
  const { house } = session;
  const trust = house.trustOf(root);
  if (!trust.trusted) throw untrusted(root, trust, session.mayAsk);
  return house.surroundings.mend(root);
}
