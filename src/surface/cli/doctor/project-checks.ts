/** What a project is made of: its directives, settings and hooks. Nothing of it is run. */
import type { Check } from "../../../core/diagnosis.ts";
import type { House, OpenProject } from "../house.ts";
import { counted } from "../moment.ts";
import { bad, good, odd, skipped } from "./check.ts";

export function trustCheck({ trusted, changedFiles }: OpenProject): Check {
  if (trusted) return good("project.trust", "trusted");
  return odd(
    "project.trust",
    changedFiles.length > 0 ? "changed since you trusted it" : "not trusted: nothing in it runs",
    { detail: changedFiles, cmd: "selvage trust --show" },
  );
}

export async function directiveChecks(project: OpenProject): Promise<Check[]> {
  const names = project.directives();
  const wrong: string[] = [];
  const doubtful: string[] = [];
  const detail: string[] = [];
  for (const name of names) {
    const { problems } = await project.inspect(name);
    if (problems.some(({ severity }) => severity === "error")) wrong.push(name);
    else if (problems.length > 0) doubtful.push(name);
    detail.push(...problems.map(({ path, line, message }) => `${path}:${line} ${message}`));
  }
  const valid = names.length - wrong.length;
  const id = "project.directives";
  if (wrong.length > 0) {
    const say = `${counted(wrong.length, "directive")} of ${names.length} not valid: ${wrong.slice(0, 3).join(", ")}`;
    return [bad(id, say, { detail, cmd: `selvage directive lint ${wrong[0]}` })];
  }
  if (doubtful.length > 0) {
    const say = `${counted(valid, "directive")} valid, ${doubtful.length} with something to look at`;
    return [odd(id, say, { detail, cmd: `selvage directive lint ${doubtful[0]}` })];
  }
  return [names.length > 0 ? good(id, `${counted(valid, "directive")} valid`) : skipped(id, "no directives")];
}

/** A tool that does not validate is left out of every run. Modules are not asked: that would run them. */
export async function toolChecks(project: OpenProject): Promise<Check[]> {
  const { commands, modules, complaints } = await project.lookAtTools();
  const id = "project.tools";
  const files = [...new Set(complaints.map(({ file }) => file))];
  const unasked = modules === 0 ? "" : `${counted(modules, "module")} not looked into, for that runs code`;
  if (files.length > 0) {
    const say = `${counted(files.length, "tool file")} not valid: ${files.slice(0, 3).join(", ")}`;
    const detail = complaints.map(({ file, line, message }) => `${file}:${line} ${message}`);
    return [bad(id, say, { detail, cmd: "selvage explain E_TOOL_INVALID" })];
  }
  if (commands === 0) return modules === 0 ? [] : [skipped(id, unasked)];
  const parts = [`${counted(commands, "tool")} valid`, ...(unasked === "" ? [] : [unasked])];
  return [good(id, parts.join(", "))];
}

/** Of the user too; a project that is not trusted is read like any other, for nothing of it is honoured here. */
export async function configChecks({ config }: House, root: string | undefined): Promise<Check[]> {
  const { checked, wrong, strays } = await config.check(root);
  const place = ({ file, line, message }: { file: string; line: number; message: string }) =>
    `${file}:${line} ${message}`;
  const complaints = wrong.flatMap((each) => each.complaints).map(place);
  const said = checked.length === 0 ? "no files: everything as it is built in" : checked.join(", ");
  return [
    wrong.length > 0
      ? bad(
          "config.files",
          `${counted(wrong.length, "file")} not valid: ${wrong.map(({ file }) => file).join(", ")}`,
          {
            detail: complaints,
            cmd: "selvage config check",
          },
        )
      : good("config.files", said),
    ...(strays.length > 0
      ? [
          odd("config.strays", `${counted(strays.length, "file")} that nothing reads`, {
            detail: strays.map(place),
            cmd: "selvage config check",
          }),
        ]
      : []),
  ];
}

export async function hookChecks(project: OpenProject): Promise<Check[]> {
  const hooks = await project.hooks();
  return [good("hooks.files", hooks.length === 0 ? "none" : `${counted(hooks.length, "hook")} valid`)];
}
