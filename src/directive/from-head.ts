/** A checked head as a `Directive`: what is left out is empty, and everything is in one form. */
import type { Complaint, Directive, DirectiveHook } from "../core/directive.ts";
import { parseRight } from "../core/right.ts";
import type { Path, Yaml } from "../yaml/parse.ts";
import type { FrontMatter } from "./front-matter.ts";

export function toDirective(name: string, head: FrontMatter, body: string): Directive {
  const { description, version, model, limits, inputs, outputs } = head;
  return {
    name,
    description,
    ...(version === undefined ? {} : { version: String(version) }),
    ...modelOf(model),
    limits: withoutHoles(limits),
    inputs: Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, withoutHoles(input)])),
    outputs: Object.fromEntries(Object.entries(outputs).map(([key, output]) => [key, withoutHoles(output)])),
    permissions: head.permissions.flatMap((each) => (typeof each === "string" ? [fullRight(each)] : [])),
    ask: head.permissions.flatMap((each) => (typeof each === "string" ? [] : [fullRight(each.ask)])),
    delegates: head.delegates.map(fullRight),
    hooks: head.hooks.map(toHook),
    ...(head.on_exit === undefined ? {} : { onExit: head.on_exit }),
    body,
  };
}

/** An id stands over a tier. */
function modelOf(model: FrontMatter["model"]): Pick<Directive, "model" | "tier"> {
  if (typeof model === "string") return { model };
  const { id, tier } = model;
  if (id !== undefined) return { model: id };
  return { model: "", ...(tier === undefined ? {} : { tier }) };
}

/** What no schema can say of one value alone. */
export function headComplaints(head: Yaml, { model, hooks }: FrontMatter): Complaint[] {
  const complaints: Complaint[] = [];
  if (typeof model !== "string" && model.id === undefined && model.tier === undefined) {
    complaints.push({
      file: head.file,
      ...head.placeOf(["model"], "value"),
      message: "model: expected an id, such as { id: scripted/hello }, or a tier, such as { tier: default }",
      fix: "name a model by its id, or a tier",
    });
  }
  const ids = hooks.map((hook, index) => toHook(hook, index).id);
  ids.forEach((id, index) => {
    if (ids.indexOf(id) === index) return;
    const place = head.placeOf(["hooks", index, "id"], "value");
    complaints.push({ file: head.file, ...place, message: `hooks[${index}]: the id "${id}" stands twice` });
  });
  return complaints;
}

/** Checked by the schema: each names one directive or one command. */
function toHook(hook: FrontMatter["hooks"][number], index: number): DirectiveHook {
  const { id = `${hook.event}-${index + 1}`, event, when, inputs, directive, command = "" } = hook;
  const act = directive === undefined ? { command } : { directive };
  return { id, event, ...(when === undefined ? {} : { when }), inputs, ...act };
}

export function namedRights({ permissions, delegates }: FrontMatter): { right: string; path: Path }[] {
  const named = (list: string) => (each: FrontMatter["permissions"][number], index: number) =>
    typeof each === "string"
      ? { right: fullRight(each), path: [list, index] }
      : { right: fullRight(each.ask), path: [list, index, "ask"] };
  return [...permissions.map(named("permissions")), ...delegates.map(named("delegates"))];
}

function fullRight(text: string): string {
  const parsed = parseRight(text);
  return "right" in parsed ? parsed.right : text;
}

type Whole<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** A schema's optional fields may be present and undefined; ours are present or absent. */
function withoutHoles<T extends object>(value: T): Whole<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Whole<T>;
}
