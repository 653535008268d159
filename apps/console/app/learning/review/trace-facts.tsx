import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { Notice } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { RunStatusBadge } from '../../shared/status-badge.tsx';
import { surfaceLabel } from '../../shared/surface-labels.ts';

/** Goal and facts of a trace, with a link to its run. */
export function TraceFacts({
  trace: { run, goal, model, surface, status, sites, scoreVersion, scoredAt, createdAt, isPinned, note },
}: {
  trace: Trace;
}) {
  const facts: [name: string, value: ReactNode][] = [
    [
      'Run',
      <span key="run" className="inline-flex items-center gap-1.5">
        <Link to={`/runs/${run}`} className="font-mono underline">
          {shortId(run)}
        </Link>
        <RunStatusBadge status={status} />
      </span>,
    ],
    ['Created', <TimeAgo key="at" time={createdAt} />],
    ['Surface', surfaceLabel(surface)],
    ['Model', model],
    ['Sites', sites.length > 0 ? sites.join(', ') : null],
    ['Score', scoreVersion && <span title={scoredAt ?? ''}>version {scoreVersion}</span>],
    ['Records', isPinned ? 'Pinned' : null],
  ];
  return (
    <>
      {goal && <p className="mb-2 line-clamp-4 text-sm wrap-anywhere whitespace-pre-line">{goal}</p>}
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
      {note && (
        <div className="mb-3">
          <Notice tone="warn">{note}</Notice>
        </div>
      )}
    </>
  );
}
