import { formatDuration } from '../../shared/duration.ts';
import { count, countOf, dollars } from '../../shared/number-format.ts';
import type { ModelCall } from '../run-state.ts';

/** Model calls, one per line. */
export const ModelCalls = ({ calls }: { calls: readonly ModelCall[] }) => (
  <ul className="grid gap-1 text-xs">
    {calls.map(({ calledAt, role, model, durationMs: ms, input, output, usd }, index) => (
      <li key={`${calledAt} ${index}`} className="flex flex-wrap gap-x-3 rounded border border-line px-2 py-1">
        <span className="font-medium">{role}</span>
        <span className="font-mono text-muted">{model}</span>
        <span className="ml-auto text-muted">
          {count(input)} → {countOf(output, 'token')} · {usd === null ? 'cost unknown' : dollars(usd)} ·{' '}
          {formatDuration(ms)}
        </span>
      </li>
    ))}
  </ul>
);
