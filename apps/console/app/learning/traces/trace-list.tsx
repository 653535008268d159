import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { Badge, Button, classes, buttonClass, Empty } from '@pilothouse/ui-kit';
import { Pin, PinOff } from 'lucide-react';
import { Link, useFetcher } from 'react-router';
import { useRole } from '../../page/use-role.ts';
import { shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { surfaceLabel } from '../../shared/surface-labels.ts';
import { TraceQualityBadge } from './trace-quality-badge.tsx';
import type { action } from './traces.actions.server.ts';

const columns = 'md:grid-cols-[1.5rem_6rem_minmax(10rem,3fr)_minmax(8rem,2fr)_9rem_5.5rem_2.25rem]';

export interface TraceListProps {
  traces: readonly Trace[];
  /** Query of the queue, for the links. */
  search: string;
  canOperate: boolean;
  selected: ReadonlySet<string>;
  onSelect: (run: string, isSelected: boolean) => void;
}

/** Traces of the review queue. */
export const TraceList = ({ traces, search, canOperate, selected, onSelect }: TraceListProps) => (
  <div role="table" aria-label="Traces" className="text-sm">
    <div
      role="row"
      className={classes('hidden h-8 items-center gap-3 border-b border-line px-3 text-xs text-muted md:grid', columns)}
    >
      <span role="columnheader">
        <span className="sr-only">Selected</span>
      </span>
      {['Quality', 'Trace', 'Model', 'Steps', 'Run created'].map((name) => (
        <span key={name} role="columnheader">
          {name}
        </span>
      ))}
      <span role="columnheader">
        <span className="sr-only">Pin</span>
      </span>
    </div>
    {traces.map((trace) => (
      <TraceRow
        key={trace.run}
        trace={trace}
        href={`/learning/traces/${trace.run}${search === '' ? '' : `?${search}`}`}
        canOperate={canOperate}
        isSelected={selected.has(trace.run)}
        onSelect={onSelect}
      />
    ))}
  </div>
);

interface TraceRowProps extends Pick<TraceListProps, 'canOperate' | 'onSelect'> {
  trace: Trace;
  href: string;
  isSelected: boolean;
}

function TraceRow({ trace, href, canOperate, isSelected, onSelect }: TraceRowProps) {
  const { run, workflowName, goal, model, surface, goodCount, badCount, unknownCount, createdAt } = trace;
  const name = `${workflowName} ${shortId(run)}`;
  return (
    <div
      role="row"
      className={classes(
        'relative flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 last:border-b-0 md:grid md:min-h-11',
        columns,
        isSelected ? 'bg-raised' : 'hover:bg-raised/60',
      )}
    >
      <span role="cell" className="relative z-10 flex">
        <input
          type="checkbox"
          className="size-4 accent-primary"
          checked={isSelected}
          onChange={({ target }) => onSelect(run, target.checked)}
          aria-label={`Select ${name}`}
        />
      </span>
      <span role="cell" className="grid justify-items-start gap-0.5">
        <TraceQualityBadge trace={trace} />
      </span>
      <span role="cell" className="min-w-0 max-md:order-3 max-md:basis-full">
        <span className="block truncate">
          <Link to={href} data-row className="font-medium after:absolute after:inset-0 hover:underline">
            {workflowName}
          </Link>
          <span className="ml-1.5 font-mono text-xs text-muted">{shortId(run)}</span>
        </span>
        {goal && (
          <span className="line-clamp-1 text-xs text-muted" title={goal}>
            {goal}
          </span>
        )}
      </span>
      <span role="cell" className="min-w-0 truncate text-xs text-muted max-md:hidden" title={model ?? ''}>
        {model ?? 'No model'} · {surfaceLabel(surface)}
      </span>
      <span role="cell" className="flex flex-wrap gap-x-2 text-xs max-md:order-4">
        <span className="text-good">{goodCount} good</span>
        <span className="text-bad">{badCount} bad</span>
        {unknownCount > 0 && <span className="text-warn">{unknownCount} unknown</span>}
      </span>
      <span role="cell" className="text-xs text-muted max-md:order-4 max-md:ml-auto">
        <TimeAgo time={createdAt} />
      </span>
      <span role="cell" className="relative z-10 max-md:order-2 max-md:ml-auto">
        <PinButton trace={trace} canOperate={canOperate} />
      </span>
      {trace.needsReview && (
        <span role="cell" className="max-md:order-1 md:hidden">
          <Badge tone="warn">Needs review</Badge>
        </span>
      )}
    </div>
  );
}

/** Pins or unpins a trace. Viewers see only whether it is pinned. */
function PinButton({
  trace: { run, workflowName, isPinned: isPinnedOnServer },
  canOperate,
}: {
  trace: Trace;
  canOperate: boolean;
}) {
  const fetcher = useFetcher<typeof action>();
  const isPinned = fetcher.formData ? fetcher.formData.get('intent') === 'pin' : isPinnedOnServer;
  if (!canOperate) return isPinned ? <Pin aria-label="Pinned" role="img" className="size-4 text-muted" /> : null;
  const verb = isPinned ? 'Unpin' : 'Pin';
  return (
    <fetcher.Form method="post" action="/learning/traces">
      <input type="hidden" name="run" value={run} />
      <Button
        type="submit"
        variant="quiet"
        icon
        name="intent"
        value={isPinned ? 'unpin' : 'pin'}
        aria-label={`${verb} ${workflowName} ${shortId(run)}`}
        title={
          fetcher.data?.failure?.message ??
          (isPinned ? 'Include turn records in retention' : 'Exclude turn records from retention')
        }
        className={isPinned ? 'text-primary!' : undefined}
      >
        {isPinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
      </Button>
    </fetcher.Form>
  );
}

/** Placeholder while the project has no traces. */
export function EmptyTraces() {
  const isAdmin = useRole() === 'admin';
  return (
    <Empty
      title="No traces yet"
      actions={
        <Link to="/settings#learning" className={buttonClass({ variant: isAdmin ? 'primary' : 'plain' })}>
          {isAdmin ? 'Record turns' : 'Show the setting'}
        </Link>
      }
    >
      A trace is a finished run with recorded turns: what the agent saw, what it did, and the results. Turns are
      recorded only if the project, the workflow or the run enables it.
    </Empty>
  );
}
