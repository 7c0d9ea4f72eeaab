/** Pages of `selvage explain` about chat platforms. */
import { EXIT } from "./exit.ts";

export const CHAT_PAGES = {
  E_CHAT_PACKAGE: {
    exit: EXIT.wrong_state,
    title: "A package for the chat platform is not installed",
    meaning:
      "Chat platforms are spoken to through the package chat and one adapter for each of them. They are not installed with Selvage, and one of them was not found.",
    steps: ["run the npm install that the message shows", "start again"],
  },
  E_CHAT_PLATFORM: {
    exit: EXIT.invalid,
    title: "The chat platform could not be opened",
    meaning:
      "Its adapter refused what it was given: a key or a secret is missing, or a value does not fit. Nothing was sent and nothing is received.",
    steps: ["set what the message names, and start again"],
  },
  E_CHAT_PORT: {
    exit: EXIT.wrong_state,
    title: "The port for messages from chat platforms is not free",
    meaning: "Another process listens there, or this user may not. Nothing is received.",
    steps: ["choose another port, or stop the other process"],
  },
} as const;
