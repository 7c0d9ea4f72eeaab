/** Signs of the views (UX 0.1). All are one column wide, so that tables stay aligned. */

export const VIEWS = {
  suspended: { glyph: "‖", ascii: "S", colour: "yellow" },
  orphaned: { glyph: "!", ascii: "!", colour: "red" },
  retrying: { glyph: "↻", ascii: "r", colour: "yellow" },
  stopping: { glyph: "◐", ascii: "s", colour: "yellow" },
  running: { glyph: "●", ascii: "R", colour: "blue" },
  waiting: { glyph: "◌", ascii: "w", colour: "blue" },
  created: { glyph: "·", ascii: ".", colour: "gray" },
  error: { glyph: "✗", ascii: "E", colour: "red" },
  completed: { glyph: "✓", ascii: "C", colour: "green" },
  cancelled: { glyph: "⊘", ascii: "X", colour: "gray" },
  continued: { glyph: "→", ascii: ">", colour: "gray" },
} as const;

/** What a person sees of a thread; derived, never stored. Declared in the order in which they are listed. */
export type View = keyof typeof VIEWS;
export const VIEW_ORDER = Object.keys(VIEWS) as View[];
