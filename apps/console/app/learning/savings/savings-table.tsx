import type { SavedAmount } from '@pilothouse/contract/run/savings.schema';
import { Cell, Table } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { count } from '../../shared/number-format.ts';
import { timeText, usdText } from './saved-amounts.ts';

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
