/** What a person is told when a command cannot do its job (UX a.4): what happened, why, what to do next. */
import { BUNDLE_PAGES } from "./bundle-pages.ts";
import { CHAT_PAGES } from "./chat-pages.ts";
import { EXIT } from "./exit.ts";
import { HOST_PAGES } from "./host-pages.ts";

export { EXIT };

export interface NextStep {
  readonly cmd: string;
  readonly why: string;
}

export interface ProblemText {
  readonly what: string;
  readonly why?: string;
  readonly next?: readonly NextStep[];
  readonly threadId?: string;
  readonly cause?: unknown;
}

/** Misuse and broken surroundings are thrown as this, with a code that `selvage explain` knows. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly why: string | undefined;
  readonly next: readonly NextStep[];
  readonly threadId: string | undefined;

  constructor(code: ProblemCode, text: ProblemText) {
    super(text.what, text.cause === undefined ? undefined : { cause: text.cause });
    this.name = "Problem";
    this.code = code;
    this.why = text.why;
    this.next = text.next ?? [];
    this.threadId = text.threadId;
  }

  get what(): string {
    return this.message;
  }
}

export interface Page {
  readonly exit: number;
  readonly title: string;
  readonly meaning: string;
  readonly steps: readonly string[];
}

/** One page per code; `selvage explain CODE` prints it. */
export const PAGES = {
  E_USAGE: {
    exit: EXIT.usage,
    title: "The command line was not understood",
    meaning: "A command, flag or value is unknown or missing. Nothing was done.",
    steps: ["selvage --help lists the commands", "selvage COMMAND --help lists its flags"],
  },
  E_NO_PROJECT: {
    exit: EXIT.not_found,
    title: "No project here",
    meaning: "Selvage works in a folder that has an .ai/ folder, here or in a parent.",
    steps: ["selvage init makes one here", "-C DIR names another folder"],
  },
  E_DIRECTIVE_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such directive",
    meaning: "A directive is a Markdown file under .ai/directives/; its name is its path there without .md.",
    steps: ["check the spelling against the names shown", "selvage directive ls lists them"],
  },
  E_DIRECTIVE_INVALID: {
    exit: EXIT.invalid,
    title: "The directive does not validate",
    meaning: "Its front matter, its XML or its inputs do not fit. The message names file, line and field.",
    steps: ["correct the line shown and run again", "selvage directive lint NAME shows everything at once"],
  },
  E_EXISTS: {
    exit: EXIT.wrong_state,
    title: "It is there already",
    meaning: "A file that was to be made exists. It was not written over.",
    steps: ["choose another name, or remove the file first"],
  },
  E_CONFIG_INVALID: {
    exit: EXIT.invalid,
    title: "A settings file does not validate",
    meaning: "A key is unknown or a value does not fit. The message names file and line.",
    steps: ["correct the line shown and run again", "selvage config check shows everything at once"],
  },
  E_SETTING_UNKNOWN: {
    exit: EXIT.not_found,
    title: "No such setting",
    meaning: "Settings are named by their path, such as retry.max_retries. Nothing was changed.",
    steps: ["check the spelling against the names shown", "selvage config show lists them"],
  },
  E_CODE_UNKNOWN: {
    exit: EXIT.not_found,
    title: "No such error code",
    meaning: "Every error ends with its code, and each code has a page. There is none of this name.",
    steps: ["check the spelling against the names shown", "selvage explain lists them"],
  },
  E_KIND_UNKNOWN: {
    exit: EXIT.not_found,
    title: "No such kind of answer",
    meaning:
      "Each answer to a program has a kind, which --json prints first. There is no schema of this name.",
    steps: ["check the spelling against the names shown", "selvage schema lists them"],
  },
  E_SCRIPT_INVALID: {
    exit: EXIT.invalid,
    title: "The script of a scripted model does not validate",
    meaning:
      "A script is a list of steps: says, calls, fails, streams or hangs. The message names file and line.",
    steps: ["correct the line shown and run again"],
  },
  E_TOOL_INVALID: {
    exit: EXIT.invalid,
    title: "A tool of the project does not validate",
    meaning:
      "A file under .ai/tools/ is not a tool, or has the name of another one. The message names file and line.",
    steps: ["correct the line shown and run again"],
  },
  E_MODEL_UNKNOWN: {
    exit: EXIT.invalid,
    title: "No such model",
    meaning:
      "The directive names a model of a provider that is not declared, or a tier that means none. Models are named PROVIDER/MODEL; scripted ones scripted/NAME.",
    steps: [
      "model: { id: scripted/hello } uses .ai/scripts/hello.yaml",
      "anthropic and openai are built in; .ai/config/providers.yaml declares more",
      "selvage models ls lists models and tiers; .ai/config/models.yaml names more",
    ],
  },
  E_AUTH: {
    exit: EXIT.failed,
    title: "No key for the provider, or one that it refuses",
    meaning:
      "The provider of this model wants a key: the environment variable that should hold it is not set, and nothing was sent; or the provider refused the key that it holds.",
    steps: [
      "set the variable that the message names, and run again",
      "key_env in providers.yaml names another variable",
    ],
  },
  E_UNTRUSTED: {
    exit: EXIT.denied,
    title: "This project is not trusted",
    meaning:
      "Its folder and store are not in your trust record, so it may have come from somebody else. Nothing in it was run.",
    steps: ["look at .ai/ first", "selvage trust --yes records that you trust it"],
  },
  E_SANDBOX: {
    exit: EXIT.denied,
    title: "A sandbox is required and there is none",
    meaning:
      "The settings say `sandbox: required`, and bubblewrap is missing or does not work here. No command is run without it, so nothing was started.",
    steps: [
      "install bubblewrap: apt-get install bubblewrap",
      "selvage config show --origin tells who requires it",
    ],
  },
  E_BAD_ID: {
    exit: EXIT.usage,
    title: "Not a name we can use",
    meaning:
      "Thread ids and directive names have lower-case letters, digits, dots, dashes and underscores, with / between segments.",
    steps: ["selvage ps -a lists the threads"],
  },
  E_THREAD_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such thread",
    meaning: "No thread has this id or begins with it.",
    steps: ["selvage ps -a lists the threads"],
  },
  E_AMBIGUOUS_ID: {
    exit: EXIT.usage,
    title: "More than one thread begins like this",
    meaning: "A prefix is accepted only when it fits one thread.",
    steps: ["give more of the id", "selvage ps -a lists the threads"],
  },
  E_TIMEOUT: {
    exit: EXIT.pending,
    title: "The time was up",
    meaning: "Somebody waited for a thread no longer than they wanted to. The thread goes on.",
    steps: ["wait again, for longer", "selvage show ID says what it is doing"],
  },
  E_CLOSED: {
    exit: EXIT.wrong_state,
    title: "The project is closed in this program",
    meaning: "close() was called. Threads that were under way lose nothing.",
    steps: ["open the project again", "selvage recover goes on with what was under way"],
  },
  E_UNSUPPORTED: {
    exit: EXIT.usage,
    title: "A command of the protocol has no meaning here",
    meaning: "It belongs to the family of the protocol, and Selvage does it another way, or not at all.",
    steps: ["the message says what does it instead", "docs/rpc.md lists every command"],
  },
  E_OVERLOADED: {
    exit: EXIT.wrong_state,
    title: "Too many commands are waiting",
    meaning: "So many commands were sent at once that this one was not taken. Nothing was done.",
    steps: ["send it again after retry_after_ms", "wait for answers before sending more"],
  },
  E_LOCKED: {
    exit: EXIT.wrong_state,
    title: "Another live process owns this thread",
    meaning: "A thread has one owner at a time. Its process is alive, so it was not touched.",
    steps: ["selvage logs -f ID watches it", "selvage recover --take ID fences an owner that is stuck"],
  },
  E_WRONG_STATE: {
    exit: EXIT.wrong_state,
    title: "Not possible in this state",
    meaning: "The thread is in a state in which this command makes no sense. Nothing was written.",
    steps: ["selvage show ID tells the state and why"],
  },
  E_DISK: {
    exit: EXIT.failed,
    title: "The store or a file could not be written",
    meaning:
      "The disk is full, read-only or broken. Nothing was acknowledged that is not stored, and no further effect was started. A file that was to be written is as it was before.",
    steps: [
      "free space or make the folder writable",
      "selvage doctor tells what is free, and what cannot be written",
      "selvage recover brings the threads back",
    ],
  },
  E_CORRUPT: {
    exit: EXIT.failed,
    title: "Stored data is damaged",
    meaning:
      "The store does not open, or a journal does not match its hashes. Nothing is guessed or overwritten.",
    steps: [
      "selvage verify names every damaged thread and its last good event",
      "selvage recover ID --mark-error ends a damaged thread",
    ],
  },
  E_STORE_NEWER: {
    exit: EXIT.wrong_state,
    title: "The store was written by a newer Selvage",
    meaning: "This version does not know its layout and left it untouched.",
    steps: ["update selvage"],
  },
  E_NOT_BROUGHT: {
    exit: EXIT.wrong_state,
    title: "The thread needs what its program brings",
    meaning:
      "A program started it with tools or a script of its own, and those are not here. It is left as it is: without them it would only be told that there are none.",
    steps: [
      "run its program again: it brings the thread back",
      "selvage cancel ID ends it; its work is kept",
    ],
  },
  E_SQLITE_UNSAFE: {
    exit: EXIT.failed,
    title: "This SQLite library can damage the store",
    meaning:
      "SQLite up to 3.51.2 has a bug that can damage a database written by several processes. It was not opened.",
    steps: ["install the dependencies again: npm install"],
  },
  E_NOT_SUSPENDED: {
    exit: EXIT.wrong_state,
    title: "Only a suspended thread can be resumed",
    meaning: "The thread runs, has not begun, or has ended. Nothing was written.",
    steps: [
      "selvage logs -f ID watches a thread that runs",
      "selvage recover ID takes up one whose process is gone",
    ],
  },
  E_BUDGET_REFUSED: {
    exit: EXIT.budget,
    title: "The money is not there",
    meaning:
      "A spend limit below what is spent and held, or above what the account that pays for it has free. The message has both numbers. No limit changed.",
    steps: [
      "selvage budget ID shows what is used, held and free",
      "selvage budget PARENT --add spend=… raises the parent first",
    ],
  },
  E_CHARGE_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such charge to correct",
    meaning:
      "Only what was charged for want of a bill can be corrected, and only while its thread lives: a request that a crash cut off, or an answer whose use nobody reported. What a provider billed stands as it was billed.",
    steps: ["selvage budget ID lists the charges that can be corrected, with their commands"],
  },
  E_APPROVAL_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such question",
    meaning: "No question of this project has this id or begins with it.",
    steps: ["selvage approvals lists the open ones", "selvage approvals -a lists all of them"],
  },
  E_PROCESS_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such process",
    meaning: "No thread of this project has, or had, a managed process with this handle.",
    steps: ["selvage proc ls lists those that run", "selvage proc ls -a lists all of them"],
  },
  E_ALREADY_DECIDED: {
    exit: EXIT.wrong_state,
    title: "The question was answered already",
    meaning: "A question has one decision ever, and the first one counts. Nothing was written.",
    steps: ["selvage approvals AP tells who decided what, and when"],
  },
  E_AGENT: {
    exit: EXIT.denied,
    title: "An agent cannot answer for a person",
    meaning:
      "The command was started by a tool of a thread: SELVAGE_THREAD is set. Whether a thread may go on and what it may do is for people to say. This is a guard rail, not a wall: a tool that runs with your rights could get around it.",
    steps: ["answer in a terminal of your own", "unset SELVAGE_THREAD if it was set by mistake"],
  },
  E_LIMIT_HIT: {
    exit: EXIT.needs_you,
    title: "The thread reached a limit",
    meaning: "It was stopped before the spending, and a person is asked for more. Nothing is lost.",
    steps: [
      "selvage approve AP raises the limit as proposed; --set and --add take another number",
      "selvage deny AP ends the thread; its work is kept",
    ],
  },
  E_RETRIES_USED: {
    exit: EXIT.needs_you,
    title: "The model could not be reached",
    meaning:
      "All retries were used up, or somebody stopped them. The thread is suspended and nothing is lost.",
    steps: ["selvage resume ID asks the model again", "selvage deny AP ends the thread; its work is kept"],
  },
  E_CONTEXT_OVERFLOW: {
    exit: EXIT.needs_you,
    title: "The conversation is too long for the model",
    meaning:
      "The model did not take what it was sent, because that is more than its window holds. The conversation was made shorter and handed on once, or has nothing yet that could be left out: to ask again with the same words would not help. The thread is suspended and nothing is lost.",
    steps: [
      "selvage chain ID --summaries shows what was carried over",
      "selvage deny AP ends the thread; its work is kept",
      "run the directive again with a model whose window is larger: selvage models ls shows the windows",
    ],
  },
  E_QUOTA: {
    exit: EXIT.needs_you,
    title: "The quota of the provider is used up",
    meaning:
      "The thread is suspended and nothing is lost. If the provider said when it answers again, the thread goes on then, as soon as something hosts it.",
    steps: [
      "selvage resume ID asks again now",
      "selvage resume ID --at TIME lets it go on later; --at reset when the provider said",
      "selvage recover ID hosts it once its time has come",
    ],
  },
  E_MODEL_FAILED: {
    exit: EXIT.failed,
    title: "The model refused the request for good",
    meaning: "The failure is of a kind that asking again does not mend. The thread ended; its work is kept.",
    steps: ["selvage logs ID tells what the provider said", "mend the cause and run again"],
  },
  E_HOOK: {
    exit: EXIT.failed,
    title: "A hook ended the thread",
    meaning: "A hook of the directive, the project or the user said fail or abort. Its work is kept.",
    steps: ["selvage logs ID names the hook and what it said"],
  },
  E_MARKED: {
    exit: EXIT.failed,
    title: "A person ended the thread as failed",
    meaning: "It was marked with recover --mark-error. Its work is kept.",
    steps: ["selvage show ID tells where it stood"],
  },
  ...BUNDLE_PAGES,
  ...HOST_PAGES,
  ...CHAT_PAGES,
  E_INTERNAL: {
    exit: EXIT.failed,
    title: "Selvage itself failed",
    meaning: "This is a fault in Selvage. What was acknowledged is stored.",
    steps: ["run again with -v for the details", "selvage recover brings the threads back"],
  },
} as const satisfies Record<string, Page>;

export type ProblemCode = keyof typeof PAGES;

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PAGES, text);
}
