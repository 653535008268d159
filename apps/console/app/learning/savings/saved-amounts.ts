import type { SavedAmount, SavingMechanism, Savings } from '@pilothouse/contract/run/savings.schema';
import { formatDuration } from '../../shared/duration.ts';
import { dollars } from '../../shared/number-format.ts';

/** Names and colors of the mechanisms. */
export const mechanismLabels = {
  action_cache: { name: 'Action cache', unit: 'cached turns', fill: 'fill-good', dot: 'bg-good' },
  compile: { name: 'Compiled workflows', unit: 'runs', fill: 'fill-live', dot: 'bg-live' },
  heal: { name: 'Healed steps', unit: 'steps', fill: 'fill-warn', dot: 'bg-warn' },
} as const satisfies Record<SavingMechanism, object>;

const signed = (value: number, text: string): string => (value < 0 ? `−${text}` : text);

/** Saved cost; `unknown` if it is not known. */
export const usdText = ({ usd }: Pick<SavedAmount, 'usd'>): string =>
  usd === null ? 'unknown' : signed(usd, dollars(Math.abs(usd)));

/** Saved time, rounded to seconds above one minute. */
export const timeText = ({ seconds }: Pick<SavedAmount, 'seconds'>): string =>
  seconds === 0 ? '0 s' : signed(seconds, formatDuration(Math.abs(seconds) * 1000));

/** Saved tokens of a day by mechanism. */
export type SavingsDay = Record<SavingMechanism, number> & { day: string };

/** Tokens by day, from the rows by day and mechanism. A day above its baseline counts as 0, because a bar has no negative height. */
export function tokensByDay(rows: Savings['days']): SavingsDay[] {
  const days = new Map<string, SavingsDay>();
  for (const { day, mechanism, tokens } of rows) {
    const entry = days.get(day) ?? { day, action_cache: 0, compile: 0, heal: 0 };
    days.set(day, { ...entry, [mechanism]: Math.max(0, tokens) });
  }
  return [...days.values()];
}
