/** `selvage/testing`: scripted model, fake clock, deaths and sweeps, for our own tests and for yours. */

export { scriptedModel } from "../provider/scripted.ts";
export { type FakeClock, fakeClock } from "./clock.ts";
export { type Fault, faultyStore, type WriteVerb } from "./fault.ts";
export {
  Killer,
  type KillPoint,
  killPointFrom,
  lives,
  runWorker,
  type Worker,
  type WorkerEnd,
} from "./kill.ts";
export { DeadWorld, type Death, type Fate, Mortal, type Mortality, mortalWorld } from "./mortal.ts";
export { play, readThread, type Story, type StoryTool, storyUniverse } from "./story.ts";
export { type SweepOptions, type SweepReport, sweep } from "./sweep.ts";
export { Universe } from "./universe.ts";
