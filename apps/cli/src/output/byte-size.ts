const units = ['bytes', 'kB', 'MB', 'GB'];

/** Formats bytes: `812 bytes`, `1.4 MB`. */
export function size(bytes: number): string {
  let unitIndex = 0;
  let rest = bytes;
  for (; rest >= 1000 && unitIndex < units.length - 1; unitIndex += 1) rest /= 1000;
  return `${unitIndex === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[unitIndex]}`;
}
