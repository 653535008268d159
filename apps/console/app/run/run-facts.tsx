import { isUnverified } from '@pilothouse/contract/run/outcome';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { modelFreeShare } from './tier-usage.ts';
import { countOf, dollars, shortCountOf } from '../shared/number-format.ts';
import { usageOf } from './run-state-selectors.ts';
import type { RunState } from './run-state.ts';
import { formatDuration, elapsedMs } from '../shared/duration.ts';
import { placeLabel, surfaceLabel } from '../shared/surface-labels.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import { RunLink, StartedBy } from './started-by.tsx';

/** Facts of a run in one line, with links. */
export function RunFacts({ run, state }: { run: RunView; state: RunState }) {
  const { calls, tokens, usd } = usageOf(state.calls);
  const unverified = state.steps.filter(({ result }) => result && isUnverified(result)).length;
  const modelFree = modelFreeShare(state.steps);
  const ms = state.finishedAt === null ? undefined : elapsedMs(state.startedAt, state.finishedAt, 0);
  const lastPage = state.steps.findLast(({ page }) => page !== null)?.page;
  const facts: [name: string, value: ReactNode][] = [
    ['Created', <TimeAgo key="at" time={run.createdAt} />],
    ['Started by', <StartedBy key="origin" run={run.id} origin={run.origin} />],
    [
      'Parent',
      run.parentRunId !== null && run.origin.kind !== 'parent' ? <RunLink key="parent" run={run.parentRunId} /> : null,
    ],
    ['Cancelled by', state.status === 'cancelled' ? state.cancelledBy : null],
    ['Duration', ms === undefined ? null : formatDuration(ms)],
    ['Surface', surfaceLabel(run.surface)],
    ['Window', !surfaceTraits[run.surface].isPaged && lastPage ? placeLabel(lastPage) : null],
    ['Fleet', run.fleet],
    ['Worker', state.worker],
    ['Attempt', state.epoch > 1 ? state.epoch : null],
    [
      'Workflow',
      // A run without a stored workflow has only a name.
      run.workflow?.id ? (
        <Link
          key="workflow"
          to={`/workflows/${run.workflow.name}?version=${run.workflow.version}`}
          className="underline"
        >
          {run.workflow.name} v{run.workflow.version}
        </Link>
      ) : null,
    ],
    ['Models', calls > 0 ? `${countOf(calls, 'model call')}, ${shortCountOf(tokens, 'token')}, ${dollars(usd)}` : null],
    ['Not verified', unverified > 0 ? countOf(unverified, 'step') : null],
    ['Without model calls', calls > 0 && modelFree !== null ? `${Math.floor(modelFree * 100)}% of steps` : null],
    [
      'Labels',
      Object.entries(run.labels)
        .map(([name, value]) => `${name}:${value}`)
        .join(' ') || null,
    ],
  ];
  return (
    <dl className="mb-3 flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name} className="flex gap-1.5">
              <dt className="text-muted">{name}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
