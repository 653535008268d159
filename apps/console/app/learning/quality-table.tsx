import type { TraceCounts } from '@pilothouse/contract/api/traces.routes';
import { Cell, Table } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { count } from '../shared/number-format.ts';
import { goodShare } from './traces/trace-quality.ts';

export interface QualityTableProps {
  label: string;
  /** Heading of the first column. */
  name: string;
  rows: readonly (TraceCounts & { name: string; href: string })[];
}

/** Counts of traces and steps by workflow or model. */
export const QualityTable = ({ label, name, rows }: QualityTableProps) => (
  <Table label={label} head={[name, 'Traces', 'To review', 'Good', 'Bad', 'Unknown', 'Good steps (%)']} isFirstFixed>
    {rows.map(({ name: rowName, href, traces, needsReview, good, bad, unknown }) => (
      <tr key={href}>
        <Cell className="max-w-40 min-w-32">
          <Link to={href} className="block truncate hover:underline" title={rowName}>
            {rowName}
          </Link>
        </Cell>
        <Cell>{count(traces)}</Cell>
        <Cell>{count(needsReview)}</Cell>
        <Cell>{count(good)}</Cell>
        <Cell>{count(bad)}</Cell>
        <Cell>{count(unknown)}</Cell>
        <Cell>{goodShare({ good, bad })}</Cell>
      </tr>
    ))}
  </Table>
);
