/** Projects in which threads start children. Scripts cannot know the ids of children: they wait in place, or at the end. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, until } from "./cli.ts";

/** A directive that may start others. */
export const boss = (name: string, script: string, head = "") => ({
  [`.ai/directives/${name}.md`]: `---\ndescription: ${name}\nmodel: { id: scripted/${name} }\nlimits: { spend: "3.00" }\npermissions: [execute.tool.*, execute.directive.*]\n${head}---\nDo ${name}.\n`,
  [`.ai/scripts/${name}.yaml`]: script,
});

/** A directive that is started by another, with money of its own. */
export const worker = (name: string, script: string, permissions = "execute.tool.*") => ({
  [`.ai/directives/${name}.md`]: `---\ndescription: ${name}\nmodel: { id: scripted/${name} }\nlimits: { spend: "0.50" }\npermissions: [${permissions}]\n---\nDo ${name}.\n`,
  [`.ai/scripts/${name}.yaml`]: script,
});

export const start = (directive: string, more = "") =>
  `    - { tool: thread_tool, input: { directive: ${directive}${more} } }\n`;

/** A tool that says in `effects` that it runs, and goes on until there is a file `stop`. */
export const slow = (name: string) =>
  worker(
    name,
    `- says: slow\n  calls: [{ tool: bash, input: { command: "echo ${name} >> effects; for i in $(seq 600); do [ -e stop ] && exit; sleep 0.1; done" } }]\n- says: late\n`,
  );

export const asks = (name: string) =>
  worker(
    name,
    `- says: asking\n  calls: [{ tool: bash, input: { command: "echo ${name} >> effects" } }]\n- says: allowed\n`,
    "execute.tool.*, { ask: execute.tool.bash }",
  );

export const effects = ({ root }: Place): string[] => {
  const file = join(root, "effects");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

/** Until so many tools run. */
export const atWork = (place: Place, count = 1) => until(() => effects(place).length >= count);

export const endTools = ({ root }: Place): void => writeFileSync(join(root, "stop"), "");

/** Every thread there is, by directive; two of one directive are told apart by their place. */
export async function threads(place: Place): Promise<Record<string, string>[]> {
  const { data } = await place.json("ps", "-a");
  return data.threads;
}

export async function idOf(place: Place, directive: string): Promise<string> {
  const found = (await threads(place)).find((thread) => thread["directive"] === directive);
  if (!found?.["thread_id"]) throw new Error(`there is no thread of ${directive}`);
  return found["thread_id"];
}

export async function kill({ child }: ReturnType<Place["start"]>): Promise<void> {
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
}
