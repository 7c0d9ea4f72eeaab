/** Signatures, signers and findings as people read them. */
import type { SignatureFinding } from "../../core/bundle-report.ts";
import type { BundleReport, ItemReport } from "../../core/bundles.ts";
import { signerName } from "../../core/signer.ts";
import { oneLine } from "../../core/text.ts";
import { counted } from "./moment.ts";
import { type Session, untrusted } from "./session.ts";

/** Nobody reads more. */
const MOST = 50;

/** Said with every verdict, because each is easily taken for the other. */
export const SEPARATE =
  "  A signature says who vouches for these bytes. Whether this project may run is another question: selvage trust.";
export const FAILED = "  next  selvage explain E_SIGNATURE";

export function bundleText({ manifest, findings, standing, extra, ok }: BundleReport): string {
  const { id, version, files, created, signer } = manifest;
  const head = `${id} ${oneLine(version, 40)}: ${counted(files.length, "file")}`;
  if (!ok) return [`✗ ${head}, ${counted(findings.length, "finding")}`, ...findingLines(findings)].join("\n");
  const who = signer && standing ? signerName(signer, standing) : "nobody";
  const beside =
    extra.length > 0
      ? [
          `  ${counted(extra.length, "file")} beside it not covered: ${extra.slice(0, 5).map(shown).join(", ")}`,
        ]
      : [];
  const since = oneLine(created, 40).slice(0, 10);
  return [`✓ ${head}, signature of ${who}, nothing changed since ${since}`, ...beside].join("\n");
}

export function itemText({ path, ok, signer, standing, signedAt, findings }: ItemReport): string {
  if (!ok)
    return [`✗ ${shown(path)}`, ...findingLines(findings.map((each) => ({ ...each, path: null })))].join(
      "\n",
    );
  const who = signer && standing ? signerName(signer, standing) : "nobody";
  return `✓ ${shown(path)}: signature of ${who}, nothing changed since ${signedAt?.slice(0, 10)}`;
}

function findingLines(findings: readonly SignatureFinding[]): string[] {
  const lines = findings
    .slice(0, MOST)
    .map(({ path, what }) => `  ${path === null ? "" : `${shown(path)}: `}${oneLine(what, 200)}`);
  const more = findings.length - lines.length;
  return more > 0 ? [...lines, `  … and ${more} more (--json has all)`] : lines;
}

export function itemObject({ path, ok, signature, signer, signedAt, standing, findings }: ItemReport) {
  return { path, ok, signature, signer, signed_at: signedAt, standing, findings };
}

/** A path, whatever somebody called his file. */
function shown(path: string): string {
  return oneLine(path, 100);
}

/** Nothing is written to a project that came from elsewhere (F7). No store is needed, so none is opened. */
export function trustedRoot(session: Session): string {
  const root = session.house.findProject(session.folder);
  const trust = session.house.trustOf(root);
  if (!trust.trusted) throw untrusted(root, trust, session.mayAsk);
  return root;
}
