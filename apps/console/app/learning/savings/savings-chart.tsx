import type { SavingMechanism, SavedAmount } from '@pilothouse/contract/run/savings.schema';
import { Cell, Table } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { count, countOf, short } from '../../shared/number-format.ts';
import { BarLegend, StackedBars } from '../../shared/stacked-bars.tsx';
import { mechanismLabels, type SavingsDay, timeText, usdText } from './saved-amounts.ts';

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
          title: `${day.day}: ${countOf(sumOf(day), 'token')}`,
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

export interface SavingsTableProps {
  label: string;
  /** Heading of the first column. */
  head: string;
  rows: readonly (SavedAmount & { name: string; href?: string; detail?: string })[];
}

/** Saved tokens, cost and time by mechanism or workflow. */
export const SavingsTable = ({ label, head, rows }: SavingsTableProps) => (
  <Table label={label} head={[head, 'Runs', 'Tokens', 'Cost', 'Time']} isFirstFixed>
    {rows.map(({ name, href, detail, runs, tokens, usd, unpricedRuns, seconds }) => (
      <tr key={name}>
        <Cell className="max-w-48 min-w-32 py-1.5">
          {href === undefined ? (
            name
          ) : (
            <Link to={href} className="block truncate hover:underline" title={name}>
              {name}
            </Link>
          )}
          {detail !== undefined && <span className="block text-xs text-muted">{detail}</span>}
        </Cell>
        <Cell>{count(runs)}</Cell>
        <Cell className="whitespace-nowrap">{count(tokens)}</Cell>
        <Cell className="whitespace-nowrap">
          {usdText({ usd })}
          {usd !== null && unpricedRuns > 0 && (
            <span className="block text-xs text-muted">{count(unpricedRuns)} without a known cost</span>
          )}
        </Cell>
        <Cell className="whitespace-nowrap">{timeText({ seconds })}</Cell>
      </tr>
    ))}
  </Table>
);
