/** `bundler` and `sign` (D2) for models. A model prepares a bundle; to sign is a person's, who is asked each time. */
import * as z from "zod/mini";
import type { Bundles } from "../core/bundles.ts";
import { checkInput, type InputSchema, zodInput } from "../core/input.ts";
import { Problem } from "../core/problem.ts";
import { SIGN_TOOL, signInput } from "../core/signing.ts";
import type { Tool, ToolOutcome } from "../core/tool.ts";

const Bundler = () =>
  z.object({
    action: z.enum(["create", "verify", "inspect"]),
    bundle_id: z.string().check(z.describe("Lower-case letters, digits and . _ -")),
    paths: z
      .optional(z.array(z.string()))
      .check(
        z.describe("With create: files and folders of the project; without it, all that stands in .ai/."),
      ),
    version: z.optional(z.string()),
    description: z.optional(z.string()),
  });
type BundlerInput = z.output<ReturnType<typeof Bundler>>;

type Ports = Pick<Bundles, "create" | "verify" | "inspect" | "resolve" | "sign">;

export function bundleTools(root: string, bundles: Ports): Tool[] {
  return [
    tool(zodInput(Bundler), {
      name: "bundler",
      description:
        "Bundles of files, by hash: create writes .ai/bundles/ID/manifest.yaml without a signature, for a person to sign; verify names what changed, is missing or is signed by a stranger; inspect tells what a manifest says.",
      // Made again it is the same bundle of the files as they are.
      effect: "keyed",
      lanes: (input) => [`bundle:${(input as Partial<BundlerInput>).bundle_id}`],
      act: (input) => bundle(root, bundles, input),
    }),
    tool(signInput, {
      name: SIGN_TOOL,
      description:
        "Asks a person to sign an item as it is. Nothing is signed without their yes to this call. If sha256 is not that of the item, the answer tells the right one.",
      effect: "keyed",
      lanes: () => [`tool:${SIGN_TOOL}`],
      act: async ({ item_type, item_id, sha256 }) => {
        const path = bundles.resolve(root, root, `${item_type}:${item_id}`);
        const [signed] = await bundles.sign(root, [{ path, sha256 }]);
        return { ...signed, sha256 };
      },
    }),
  ];
}

async function bundle(root: string, bundles: Ports, input: BundlerInput): Promise<unknown> {
  const { action, bundle_id: id, paths = [], version, description } = input;
  if (action === "inspect") return bundles.inspect(root, id);
  if (action === "verify") {
    const { ok, signature, standing, findings, extra, files } = await bundles.verify(root, id, {});
    return { ok, signature, standing, files: files.length, findings, extra };
  }
  const wish = { id, paths, version, description, force: "unsigned", signed: false } as const;
  const { path, manifest } = await bundles.create(root, wish);
  return {
    path,
    files: manifest.files.length,
    signed: false,
    next: `a person signs it: selvage sign bundle:${id}`,
  };
}

interface Parts<Value> extends Pick<Tool, "name" | "description" | "effect"> {
  readonly lanes: (input: unknown) => readonly string[];
  readonly act: (value: Value) => Promise<unknown>;
}

function tool<Value>(schema: InputSchema<Value>, { act, ...parts }: Parts<Value>): Tool {
  return {
    ...parts,
    get input() {
      return schema.json;
    },
    complaint: (input) => checkInput(schema, input).complaint,
    run: async (input): Promise<ToolOutcome> => {
      const checked = checkInput(schema, input);
      if (checked.complaint !== undefined) return { status: "error", output: checked.complaint };
      try {
        return { status: "ok", output: JSON.stringify(await act(checked.value)) };
      } catch (cause) {
        if (!(cause instanceof Problem)) throw cause;
        return { status: "error", output: `${cause.code}: ${cause.message} ${cause.why ?? ""}`.trim() };
      }
    },
  };
}
