/** What a call of `managed_subprocess` may ask for. The environment of a process is where a model could load code into it (I9). */
import * as z from "zod/mini";

const MOST_ARGS = 256;
const MOST_VARIABLES = 64;
const MOST_LINES = 1_000;

const plain = z.string().check(
  z.maxLength(32_768),
  z.refine((text) => !text.includes("\0"), "it holds a NUL character"),
);

/** What a loader, a shell or an interpreter takes orders from. */
const LOADERS =
  /^(LD_|DYLD_|GIT_|SSH_|BASH|PYTHON|PERL|RUBY|NODE_|NPM_CONFIG_|JAVA_|_JAVA_|JDK_|LUA_|PHP|GCONV_|GLIBC_|MALLOC_|SELVAGE_)/i;
const NAMES = new Set(["PATH", "ENV", "IFS", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE"]);
const OTHERS = new Set(["HOME", "SHELL", "USER", "TMPDIR", "EDITOR", "PAGER", "CLASSPATH", "HOSTALIASES"]);
/** Look like them and load nothing. */
const HARMLESS = new Set(["NODE_ENV", "PYTHONUNBUFFERED"]);

/** Why a variable is not handed on; undefined when it is. */
export function variableProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "it is no name of a variable";
  if (HARMLESS.has(name)) return undefined;
  const upper = name.toUpperCase();
  if (!LOADERS.test(name) && !NAMES.has(upper) && !OTHERS.has(upper)) return undefined;
  return "it decides what code is loaded or who a process takes itself for, and is never set by a call";
}

const variables = z.record(z.string(), plain).check((context) => {
  const names = Object.keys(context.value);
  const wrong = names.map((name) => ({ name, why: variableProblem(name) })).find(({ why }) => why);
  const message =
    names.length > MOST_VARIABLES
      ? `at most ${MOST_VARIABLES} variables`
      : wrong && `${wrong.name}: ${wrong.why}`;
  if (message) context.issues.push({ code: "custom", input: context.value, message });
});

export const ManagedInput = () =>
  z
    .object({
      action: z.enum(["start", "stop", "status", "logs"]),
      handle_id: z
        .optional(z.string().check(z.maxLength(64)))
        .check(z.describe("For stop, status and logs.")),
      command: z
        .optional(plain.check(z.minLength(1)))
        .check(
          z.describe("start: one program, without a shell. A line of shell: bash with args [-c, LINE]."),
        ),
      args: z.optional(z.array(plain).check(z.maxLength(MOST_ARGS))),
      cwd: z.optional(plain).check(z.describe("A folder of the project.")),
      env: z
        .optional(variables)
        .check(z.describe("More variables; none that loads code (PATH, LD_*, NODE_OPTIONS …).")),
      ready_pattern: z
        .optional(plain.check(z.minLength(1)))
        .check(z.describe("start comes back as soon as a line of its output matches (RE2).")),
      ready_port: z
        .optional(z.int().check(z.minimum(1), z.maximum(65_535)))
        .check(z.describe("Or as soon as something listens there, on this machine.")),
      ready_timeout: z
        ._default(z.number().check(z.positive(), z.maximum(600)), 30)
        .check(z.describe("Seconds; then start comes back with ready: false, and it goes on.")),
      tail: z
        ._default(z.int().check(z.minimum(1), z.maximum(MOST_LINES)), 50)
        .check(z.describe("logs: this many lines.")),
    })
    .check(
      z.refine(({ action, command }) => action !== "start" || command !== undefined, {
        path: ["command"],
        error: "start needs it",
      }),
      z.refine(({ action, handle_id }) => action === "start" || handle_id !== undefined, {
        path: ["handle_id"],
        error: "all but start need it; start told it",
      }),
      z.refine(({ ready_pattern, ready_port }) => ready_pattern === undefined || ready_port === undefined, {
        path: ["ready_port"],
        error: "either a pattern or a port tells that it is ready",
      }),
    );
