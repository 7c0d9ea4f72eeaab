/** Pages of `selvage explain` about bundles and signatures. */
import { EXIT } from "./exit.ts";

export const BUNDLE_PAGES = {
  E_BUNDLE_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such bundle",
    meaning: "A bundle is .ai/bundles/ID/manifest.yaml; there is none with this id.",
    steps: ["check the spelling against the ids shown", "selvage bundle create ID makes one"],
  },
  E_BUNDLE_INVALID: {
    exit: EXIT.invalid,
    title: "The bundle or its manifest does not validate",
    meaning:
      "A manifest that is no YAML, says something no manifest says, or names paths that no bundle may cover; or files that cannot be put into one: links, what is no ordinary file, what lies outside the project. Nothing was written.",
    steps: [
      "mend the line shown, or take the manifest from whom it came from once more",
      "selvage bundle create ID --force makes it anew",
    ],
  },
  E_ITEM_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such item",
    meaning:
      "An item is a file of the project, by its path, or directive:NAME, tool:NAME, knowledge:NAME, skill:NAME, bundle:ID.",
    steps: ["check the spelling", "selvage verify without an item checks threads and their store"],
  },
  E_ITEM_REFUSED: {
    exit: EXIT.invalid,
    title: "The item cannot bear a signature",
    meaning:
      "The signature of an item is a comment on its last line. So it must be a Markdown, YAML, JavaScript or TypeScript file inside the project: no link, UTF-8, at most 1 MiB. Nothing was written.",
    steps: ["selvage bundle create ID PATH… signs any file, without changing it"],
  },
  E_SIGNATURE: {
    exit: EXIT.failed,
    title: "What was signed is not what is here",
    meaning:
      "A file is not the one that was signed, or is missing; the signature is missing or does not fit; or it is of somebody you do not know. The findings name each. Whether the project is trusted is another question: a signature says who vouches for bytes, trust says what you let run.",
    steps: [
      "ask the signer, by another way, what their key is: selvage signer ls shows it there",
      "selvage signer add NAME KEY lets a signer count",
      "selvage sign ITEM, or selvage bundle create ID --force, if the change is yours",
    ],
  },
  E_SIGNER_NOT_FOUND: {
    exit: EXIT.not_found,
    title: "No such signer",
    meaning: "Nobody in your list of signers has this name or key.",
    steps: ["selvage signer ls lists them", "selvage signer add NAME KEY adds one"],
  },
} as const;
