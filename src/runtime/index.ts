/** What surfaces may use of the runtime. */
export { applyRequests, applyToTree } from "./apply.ts";
export { type Said, tellChat } from "./chat.ts";
export { createFork, readForkPoints } from "./fork.ts";
export { host } from "./host.ts";
export { postInbox } from "./inbox.ts";
export { lookAtAll as lookAtProcesses } from "./kept-processes.ts";
export { planRecovery } from "./recovery.ts";
export {
  continueThread,
  createThread,
  newRequestId,
  newThreadId,
  postRequest,
  type StartAsk,
  type Wishes,
} from "./start.ts";
