const integerFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Number with thousands separators. */
export const count = (value: number): string => integerFormat.format(value);

/** Form of a noun for a number: `run`, `runs`. @param plural default: the noun with an s */
export const nounOf = (value: number, noun: string, plural = `${noun}s`): string => (value === 1 ? noun : plural);

/** Number with its noun: `1 run`, `2,000 runs`. @param plural default: the noun with an s */
export const countOf = (value: number, noun: string, plural?: string): string =>
  `${count(value)} ${nounOf(value, noun, plural)}`;

/** Compact number: `12.4K`. */
export const short = (value: number): string =>
  value < 10_000 ? integerFormat.format(value) : compactFormat.format(value);

/** Compact number with its noun: `12.4K tokens`. */
export const shortCountOf = (value: number, noun: string): string => `${short(value)} ${nounOf(value, noun)}`;

/** Number of loaded rows with their noun: `1 run`, `100+ runs`. @param hasMore true if there are more rows */
export const rowCountOf = (value: number, noun: string, hasMore: boolean): string =>
  hasMore ? `${count(value)}+ ${nounOf(value + 1, noun)}` : countOf(value, noun);

/** US dollars, with more digits for amounts below a cent. */
export const dollars = (usd: number): string => {
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(5).replace(/0+$/, '')}` : `$${usd.toFixed(2)}`;
};

const sizes = ['B', 'kB', 'MB', 'GB'];

/** Bytes: `1.4 MB`. */
export function size(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${sizes[step]}`;
}

/** First 13 characters of an id, as in the CLI: the milliseconds of a UUIDv7. */
export const shortId = (id: string): string => id.slice(0, 13);
