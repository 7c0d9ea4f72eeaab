// Many chats beside one another, and prompts that come by themselves.
const schedule = ["src/core/chat-schedule.test.ts"];
const schedules = ["test/chat/schedules.test.ts"];
const settings = ["src/config/chat.test.ts"];

export const CHAT_CROWD = [
  {
    name: "chat: every scheduled prompt that was missed is owed, the first one first",
    hole: "K1",
    file: "src/core/chat-schedule.ts",
    find: "return next === undefined || next > now ? first : lastFrom(schedule, next, now);",
    replace: "return first;",
    tests: schedule,
  },
  {
    name: "chat: what comes once is given up as soon as what comes again",
    hole: "K1",
    file: "src/core/chat-schedule.ts",
    find: "schedule.once === undefined ? LATE_MS : ONCE_LATE_MS",
    replace: "LATE_MS",
    tests: schedule,
  },
  {
    name: "chat: a scheduled prompt has another name with every process that tells it",
    hole: "K2",
    file: "src/core/chat-schedule.ts",
    find: "messageId: `${by}:${new Date(due).toISOString()}`",
    replace: "messageId: `${by}:${Math.random()}`",
    tests: [...schedule, ...schedules],
  },
  {
    name: "chat: a schedule sleeps until it is due, whatever is done to the clock",
    hole: "K1",
    file: "src/core/chat-schedule.ts",
    find: "return Math.min(LONGEST_SLEEP_MS, ...waits);",
    replace: "return Math.min(...waits);",
    tests: [...schedule, ...schedules],
  },
  {
    name: "chat: a prompt is told where nobody speaks here",
    hole: "K8",
    file: "src/surface/chat/schedules.ts",
    find: "return place && needs.speaksIn(place) ? [{ schedule, place }] : [];",
    replace: "return place ? [{ schedule, place }] : [];",
    tests: schedules,
  },
  {
    name: "chat: a prompt that could not be told is taken for told",
    hole: "K1",
    file: "src/surface/chat/schedules.ts",
    find: "      await this.#needs.tell(entry.place, prompt);\n      entry.stored = prompt.messageId;",
    replace: "      entry.stored = prompt.messageId;\n      await this.#needs.tell(entry.place, prompt);",
    tests: schedules,
  },
  {
    name: "chat: a schedule of a platform that nobody named is taken",
    hole: "K9",
    file: "src/config/chat.ts",
    find: "if (name === LOCAL || Object.hasOwn(platforms, name)) return [];",
    replace: "return [];",
    tests: settings,
  },
  {
    name: "chat: a schedule is somebody who may approve",
    hole: "K9",
    file: "src/core/chat-file.ts",
    find: "z.refine((name) => !name.startsWith(`${SCHEDULE}:`)",
    replace: "z.refine(() => true",
    tests: settings,
  },
];
