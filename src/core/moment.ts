/** Lengths, sizes and counts for people, wherever they read them. */
import { grouped } from "./text.ts";

/** `12s`, `6m`, `1h12`, `3d`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48)
    return minutes % 60 === 0 ? `${hours}h` : `${hours}h${String(minutes % 60).padStart(2, "0")}`;
  return `${Math.floor(hours / 24)}d`;
}

/** `0.1s`, `38s`, `2m 04s`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}
