/** A project as a shell looks at it for the next word. */
import { directivesOf } from "./directive/directives.ts";
import { openAsGuest } from "./real-store.ts";
import type { Glance } from "./surface/cli/house.ts";

/** As a guest, also in a project of ours: whoever only wants a name takes no lock and makes no layout. */
export function glance(root: string): Glance {
  const store = openAsGuest(root, { ownerState: () => "elsewhere" });
  const { directives, directive } = directivesOf(root, undefined);
  return {
    store,
    directives,
    inputs: (name) => {
      try {
        return Object.entries(directive(name).inputs).map(([input, { description, required }]) => ({
          name: input,
          about: description ?? (required ? "required" : ""),
        }));
      } catch {
        return []; // there is none of this name, or none that can be read
      }
    },
    close: () => store.close(),
  };
}
