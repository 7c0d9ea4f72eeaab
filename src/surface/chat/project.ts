/** What the bot needs of the project it talks for: of a program that has it open, or of the host that stays. */
import type { Premises } from "../sdk/premises.ts";

export type ChatProject = Omit<Premises, "listen" | "addTool" | "addScript" | "close">;
