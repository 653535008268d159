import { Cell, Table } from '@pilothouse/ui-kit';
import { usageByTier, tierNames } from '../tier-usage.ts';
import { count, dollars } from '../../shared/number-format.ts';
import type { RunState } from '../run-state.ts';
import { formatDuration } from '../../shared/duration.ts';
import { ModelCalls } from './model-calls.tsx';

const heads = ['Tier', 'Steps', 'Duration', 'Calls', 'Tokens', 'Cost', 'Model time'];

/** Usage by tier, and all model calls. */
export default function ModelUsageTab({ state: { steps, calls } }: { state: Pick<RunState, 'steps' | 'calls'> }) {
  return (
    <div className="grid gap-3">
      <Table label="Usage by tier" head={heads}>
        {usageByTier(steps, calls).map((row) => (
          <tr key={row.tier}>
            <Cell>{tierNames[row.tier]}</Cell>
            <Cell>{row.steps}</Cell>
            <Cell>{row.steps > 0 ? formatDuration(row.ms) : '—'}</Cell>
            <Cell>{row.calls > 0 ? row.calls : '—'}</Cell>
            <Cell>{row.calls > 0 ? count(row.tokens) : '—'}</Cell>
            <Cell>{row.calls > 0 ? dollars(row.usd) : '—'}</Cell>
            <Cell>{row.calls > 0 ? formatDuration(row.modelMs) : '—'}</Cell>
          </tr>
        ))}
      </Table>
      <ModelCalls calls={calls} />
    </div>
  );
}
