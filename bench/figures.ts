/** Numbers about numbers, and how they are written. */

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The median of the ratios of each round: a slow second of the machine slows both sides of it. */
export function medianRatio(left: readonly number[], right: readonly number[]): number {
  return median(left.map((value, index) => value / (right[index] ?? Number.NaN)));
}

export function medianDifference(left: readonly number[], right: readonly number[]): number {
  return median(left.map((value, index) => value - (right[index] ?? Number.NaN)));
}

export const ms = (value: number) => `${value.toFixed(2)} ms`;
export const times = (value: number) => `${value.toFixed(2)} ×`;
export const kilobytes = (value: number) => `${(value / 1_024).toFixed(1)} KB`;
export const plain = (value: number) => value.toFixed(value < 10 ? 2 : 0);
