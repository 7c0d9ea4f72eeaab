/** `--chat`, `--chat slack discord` and `--chat slack,discord`; none: all that chat.yaml names. */
export function platformNames(said: true | readonly string[]): readonly string[] {
  if (said === true) return [];
  return said.flatMap((each) => each.split(",")).filter((name) => name !== "");
}
