/** What people are told of an owner. The text of an owner is opaque to the store; its last but one field is the pid. */

export interface OwnerShown {
  readonly pid: number | null;
  readonly boot: string | null;
}

export function ownerShown(owner: string): OwnerShown {
  const fields = owner.split(":");
  const pid = Number(fields.at(-2));
  return {
    pid: Number.isSafeInteger(pid) && pid > 0 ? pid : null,
    boot: fields.length === 5 ? (fields[1]?.slice(0, 8) ?? null) : null,
  };
}

export function ownerName(owner: string): string {
  const { pid } = ownerShown(owner);
  return pid === null ? "a process elsewhere" : `pid ${pid}`;
}
