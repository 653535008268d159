import type { SavingMechanism } from '@pilothouse/contract/run/savings.schema';
import { count, short } from '../../shared/number-format.ts';
import { BarLegend, StackedBars } from '../../shared/stacked-bars.tsx';
import { mechanismLabels, type SavingsDay } from './saved-amounts.ts';

const mechanisms = Object.keys(mechanismLabels) as SavingMechanism[];

const sumOf = (day: SavingsDay) => mechanisms.reduce((sum, mechanism) => sum + day[mechanism], 0);

/** Stacked bars of saved tokens by the UTC day on which the runs ended. */
export function SavingsChart({ days }: { days: readonly SavingsDay[] }) {
  const maxTokens = Math.max(1, ...days.map(sumOf));
  const totals = mechanisms.map((mechanism) => ({
    ...mechanismLabels[mechanism],
    tokens: days.reduce((sum, day) => sum + day[mechanism], 0),
  }));
  const texts = totals.map(({ name, tokens }) => `${name} ${count(tokens)}`);
  return (
    <figure>
      <StackedBars
        label={`Saved tokens per day: ${texts.join(', ')}; peak ${count(maxTokens)}`}
        max={maxTokens}
        className="h-28"
        bars={days.map((day) => ({
          key: day.day,
          title: `${day.day}: ${count(sumOf(day))} tokens`,
          parts: mechanisms.map((mechanism) => ({ value: day[mechanism], fill: mechanismLabels[mechanism].fill })),
        }))}
      />
      <BarLegend
        start={days[0]?.day}
        end={days.at(-1)?.day}
        series={totals.map(({ name, dot, tokens }) => ({ dot, text: `${name} ${short(tokens)}` }))}
      />
    </figure>
  );
}
