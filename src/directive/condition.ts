/** The mapping form of a hook's `when`: `{path, op, value}`, `{any}`, `{all}`, `{not}`, as deep as YAML may go. */

export function isCondition(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value).sort().join(" ");
  const { any, all, not, path, op } = value as Readonly<Record<string, unknown>>;
  switch (keys) {
    case "any":
      return isList(any);
    case "all":
      return isList(all);
    case "not":
      return isCondition(not);
    case "op path value":
      return typeof path === "string" && path !== "" && typeof op === "string" && op !== "";
    default:
      return false;
  }
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isCondition);
}
