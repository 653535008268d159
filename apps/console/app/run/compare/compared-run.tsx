import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Field, Select } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { runTitle } from '../../runs/run-row.ts';
import { elapsedMs, formatDuration } from '../../shared/duration.ts';
import { dollars, shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { RunStatusBadge, runStatusLabels } from '../../shared/status-badge.tsx';
import { usageOf } from '../run-state-selectors.ts';
import type { RunState } from '../run-state.ts';
import type { Comparison } from './compare-runs.loader.server.ts';

export interface RunSelectProps {
  name: 'left' | 'right';
  label: string;
  selected: string | undefined;
  choices: Comparison['choices'];
}

/** Selects a run of the workflow. */
export const RunSelect = ({ name, label, selected, choices }: RunSelectProps) => (
  <Field label={label}>
    {(controlProps) => (
      <Select {...controlProps} name={name} value={selected ?? ''} onChange={() => undefined}>
        {selected === undefined && <option value="">Select a run</option>}
        {choices.map(({ id, status, createdAt, version }) => (
          <option key={id} value={id}>
            {[
              shortId(id),
              version === null ? '' : `v${version}`,
              runStatusLabels[status].label,
              `${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
            ]
              .filter(Boolean)
              .join(' · ')}
          </option>
        ))}
      </Select>
    )}
  </Field>
);

/** Name, status, version, duration and model cost of a compared run. */
export function RunSummary({ run, state }: { run: RunView; state: RunState }) {
  const ms = state.finishedAt === null ? undefined : elapsedMs(state.startedAt, state.finishedAt, 0);
  const { calls, usd } = usageOf(state.calls);
  return (
    <div className="grid min-w-0 justify-items-start gap-1 text-xs text-muted">
      <Link to={`/runs/${run.id}`} className="underline" title={run.id}>
        {runTitle(run)} <span className="font-mono">{shortId(run.id)}</span>
      </Link>
      <RunStatusBadge status={state.status} />
      <p className="flex flex-wrap gap-x-2">
        {run.workflow?.version !== null && run.workflow && <span>v{run.workflow.version}</span>}
        <TimeAgo time={run.createdAt} />
        {ms !== undefined && <span>{formatDuration(ms)}</span>}
        {calls > 0 && <span>{dollars(usd)}</span>}
      </p>
    </div>
  );
}
