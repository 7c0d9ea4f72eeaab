/** Pages of `selvage explain` about the process that hosts a project. */
import { EXIT } from "./exit.ts";

export const HOST_PAGES = {
  E_HOSTED: {
    exit: EXIT.wrong_state,
    title: "Another live process hosts this project",
    meaning:
      "One process at a time hosts everything in a project. It is alive, so nothing was touched; run, resume and recover work beside it and follow what it does.",
    steps: [
      "selvage status tells which process it is",
      "selvage serve --stop ends it; threads under way go on with the next host",
    ],
  },
  E_HOST_START: {
    exit: EXIT.failed,
    title: "The host in the background did not start",
    meaning:
      "run -d and resume -d start selvage serve when nobody hosts the project. It ended, or did not answer in time. No thread was started.",
    steps: ["selvage serve in a terminal shows what it says", ".ai/threads/serve.log keeps what it said"],
  },
  E_STORE_GONE: {
    exit: EXIT.not_found,
    title: "The store is not there any more",
    meaning:
      "The folder of the project was deleted, moved or replaced while a process worked in it. That process stopped what it ran and wrote nothing more: neither into the old store nor into another one in its place.",
    steps: [
      "put the folder back, or go to where it is now",
      "selvage recover goes on there with what was under way",
    ],
  },
  E_NO_SYSTEMD: {
    exit: EXIT.failed,
    title: "systemd cannot be reached",
    meaning:
      "selvage service hands a unit to systemd, whose commands are missing here or do not reach it: in a container, or with --user in a session without a user manager.",
    steps: [
      "selvage service install --dry-run prints the unit, to be installed by hand",
      "run -d keeps a host in the background without systemd",
    ],
  },
} as const;
