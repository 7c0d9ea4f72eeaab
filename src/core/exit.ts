/** What the exit code of a command says (UX a.2). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  needs_you: 3,
  cancelled: 4,
  not_found: 5,
  wrong_state: 6,
  invalid: 7,
  pending: 8,
  denied: 9,
  budget: 10,
} as const;
