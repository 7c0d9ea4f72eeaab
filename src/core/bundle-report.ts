/** What a look at something signed found: every file, the signature, the signer; each thing that is wrong has a name. */
import type { BundleFile, Manifest } from "./manifest.ts";
import { countsAsKnown, type Standing } from "./signer.ts";

/** What stands at a path of a manifest now. */
export type FileState =
  | { readonly state: "same" }
  | { readonly state: "changed"; readonly why?: string }
  | { readonly state: "missing" }
  /** A link, a folder, a pipe, or not ours to read: whatever it leads to was not looked at. */
  | { readonly state: "refused"; readonly why: string };

export type SignatureState = "valid" | "invalid" | "none";

/** Facts about a bundle, as they were found. */
export interface BundleSeen {
  readonly manifest: Manifest;
  /** The line in which the file is not the manifest's own text, if it is not. */
  readonly rewrittenAt?: number | undefined;
  /** In the order of the manifest. */
  readonly files: readonly FileState[];
  /** Files that lie where the bundle was made from, and that it does not cover. */
  readonly extra: readonly string[];
  readonly signature: SignatureState;
  readonly standing?: Standing | undefined;
}

export interface SignatureFinding {
  readonly code:
    | "file_changed"
    | "file_missing"
    | "file_refused"
    | "file_extra"
    | "manifest_rewritten"
    | "signature_missing"
    | "signature_invalid"
    | "signer_unknown"
    | "signer_other";
  /** Null: it is about the whole. */
  readonly path: string | null;
  readonly what: string;
}

export function bundleFindings(
  seen: BundleSeen,
  { strict }: { readonly strict: boolean },
): SignatureFinding[] {
  const { manifest, rewrittenAt, extra } = seen;
  return [
    ...manifest.files.flatMap((file, index) => fileFinding(file, seen.files[index])),
    ...(rewrittenAt === undefined ? [] : [rewritten(rewrittenAt)]),
    ...signatureFindings(seen.signature, manifest.signer, seen.standing),
    ...(strict ? extra.map(extraFinding) : []),
  ];
}

function fileFinding({ path }: BundleFile, file: FileState = { state: "missing" }): SignatureFinding[] {
  switch (file.state) {
    case "same":
      return [];
    case "changed":
      return [{ code: "file_changed", path, what: file.why ?? "it is not what the manifest says" }];
    case "missing":
      return [{ code: "file_missing", path, what: "it is missing" }];
    case "refused":
      return [{ code: "file_refused", path, what: file.why }];
  }
}

function rewritten(line: number): SignatureFinding {
  const what = `the manifest was written over: line ${line} is not as Selvage writes it (line ends count too)`;
  return { code: "manifest_rewritten", path: null, what };
}

function extraFinding(path: string): SignatureFinding {
  return { code: "file_extra", path, what: "it lies where the bundle was made from, and is not covered" };
}

/** An unknown signer is a finding: else anybody could change a file and sign it again. */
export function signatureFindings(
  signature: SignatureState,
  signer: string | undefined,
  standing: Standing | undefined,
): SignatureFinding[] {
  const whole = (code: SignatureFinding["code"], what: string) => [{ code, path: null, what }];
  if (signature === "none") return whole("signature_missing", "nobody signed it");
  const wrong =
    signature === "invalid"
      ? whole(
          "signature_invalid",
          `it has no valid signature of ${signer}: it was changed, or signed as another`,
        )
      : [];
  if (standing === undefined || countsAsKnown(standing)) return wrong;
  return [
    ...wrong,
    ...(standing.type === "other"
      ? whole("signer_other", `its signer is ${signer}, not the one asked for`)
      : whole("signer_unknown", `its signer is nobody you know: ${signer}`)),
  ];
}
