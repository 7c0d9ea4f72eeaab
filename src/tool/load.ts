/**
 * All the tools of a project, by name. Those of its own files are known only once `ready` was awaited, since its
 * modules have to be asked; in a project that is not trusted there are none of these (F7).
 */
import type { Complaint } from "../core/directive.ts";
import type { ToolFilesLook } from "../core/inspection.ts";
import { RUNTIME_TOOLS } from "../core/orchestration.ts";
import { Problem } from "../core/problem.ts";
import type { Tool } from "../core/tool.ts";
import { complaintText } from "../yaml/complaint.ts";
import { HostPool } from "./host/pool.ts";
import { loadPatterns } from "./linear-pattern.ts";
import { lookAtToolFiles } from "./look.ts";
import { takenName, toolsOfFile } from "./project-tools.ts";
import { toolFiles } from "./tool-files.ts";
import { type ToolboxOptions, toolbox } from "./toolbox.ts";

export interface LoadOptions extends ToolboxOptions {
  readonly trusted: boolean;
  /** Tools handed in by a program. */
  readonly tools: readonly Tool[];
  /** The program of the tool host. */
  readonly hostEntry: string;
  /** Told about each file that is left out. */
  readonly warn: (message: string) => void;
  readonly loadTimeoutMs?: number;
  /** Between being told to stop, TERM and KILL; tests are less patient. */
  readonly graceMs?: number;
}

export interface Tools {
  get(name: string): Tool | undefined;
  /** Until `ready`, the files that were not looked into go by their own names. */
  names(): readonly string[];
  /** The files of the project, without running any of them; also of one that is not trusted. */
  look(): Promise<ToolFilesLook>;
  /** Why there is no such tool, if a file is to blame. */
  problem(name: string): Problem | undefined;
  /** Asking twice is free. Never rejects for a file that does not validate. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export function loadTools(options: LoadOptions): Tools {
  const box = toolbox(options);
  const builtIn = [...box.keys(), ...RUNTIME_TOOLS];
  const complaints = new Map<string, readonly Complaint[]>();
  const pool = new HostPool({
    entry: options.hostEntry,
    projectRoot: options.projectRoot,
    sandbox: options.sandbox,
    maxOutputBytes: options.settings.tool.max_output_bytes,
    ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
  });
  const files = () => (options.trusted && !loading ? toolFiles(options.projectRoot) : []);
  const shelf = { box, builtIn, complaints, pool };
  let loading: Promise<void> | undefined;
  return {
    get: (name) => box.get(name),
    names: () => [...new Set([...box.keys(), ...files().map(({ stem }) => stem)])],
    look: () => lookAtToolFiles(options.projectRoot, builtIn),
    problem: (name) => problemFor(name, complaints.get(name)),
    ready: () => {
      loading ??= options.trusted ? addProjectTools(options, shelf) : Promise.resolve();
      return loading;
    },
    close: () => pool.close(),
  };
}

interface Shelf {
  readonly box: Map<string, Tool>;
  readonly builtIn: readonly string[];
  readonly complaints: Map<string, readonly Complaint[]>;
  readonly pool: HostPool;
}

async function addProjectTools(options: LoadOptions, shelf: Shelf): Promise<void> {
  const { projectRoot, settings, sandbox, warn, loadTimeoutMs, graceMs } = options;
  const { box, builtIn, complaints, pool } = shelf;
  const origins = new Map(builtIn.map((name) => [name, "one that is built in"]));
  const refuse = (name: string, found: readonly Complaint[]) => {
    complaints.set(name, found);
    warn(`A tool is left out. ${complaintText(found)}`);
  };
  const files = toolFiles(projectRoot);
  if (files.length > 0) await loadPatterns();
  for (const file of files) {
    const made = await toolsOfFile(file, {
      ...{ projectRoot, limits: settings.tool, sandbox, pool },
      ...(loadTimeoutMs !== undefined && { loadTimeoutMs }),
      ...(graceMs !== undefined && { graceMs }),
    });
    if ("complaints" in made) refuse(file.stem, made.complaints);
    for (const tool of "tools" in made ? made.tools : []) {
      const origin = origins.get(tool.name);
      if (origin !== undefined) refuse(tool.name, [takenName(file, tool.name, origin)]);
      else box.set(tool.name, tool);
      origins.set(tool.name, origin ?? file.file);
    }
  }
}

function problemFor(name: string, found: readonly Complaint[] | undefined): Problem | undefined {
  if (!found) return undefined;
  return new Problem("E_TOOL_INVALID", {
    what: `The tool ${name} cannot be used.`,
    why: complaintText(found),
  });
}
