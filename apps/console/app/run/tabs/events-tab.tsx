import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { Button, classes, Notice } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useState } from 'react';
import { formatExact } from '../../shared/duration.ts';

const EVENTS_PER_PAGE = 500;
const RESPONSE_TIMEOUT_MS = 15_000;

const levelClasses = { debug: 'text-muted', info: '', warn: 'text-warn', error: 'text-bad' } as const;

/** Events of a run. @param latestSeq sequence number of the latest event; further events are loaded when it grows */
export default function EventsTab({ run, latestSeq }: { run: string; latestSeq: number }) {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const [problem, setProblem] = useState('');
  const [limit, setLimit] = useState(EVENTS_PER_PAGE);
  const lastSeq = events.at(-1)?.seq ?? 0;
  const targetSeq = Math.min(latestSeq, limit);

  const fetchPage = useCallback(
    async (signal: AbortSignal) => {
      const url = `/api/v1/runs/${run}/events?format=json&limit=${EVENTS_PER_PAGE}&after=${lastSeq}`;
      const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]) });
      if (!answer.ok)
        throw new Error(
          answer.status === 410
            ? 'Events were deleted by the retention policy.'
            : `Loading events failed (HTTP ${answer.status}).`,
        );
      const { items } = (await answer.json()) as { items: RunEvent[] };
      setProblem('');
      setEvents((previous) => [...previous, ...items.filter(({ seq }) => seq > (previous.at(-1)?.seq ?? 0))]);
    },
    [run, lastSeq],
  );
  useEffect(() => {
    if (lastSeq >= targetSeq) return;
    const controller = new AbortController();
    fetchPage(controller.signal).catch(
      (error: unknown) =>
        controller.signal.aborted || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => controller.abort();
  }, [lastSeq, targetSeq, fetchPage]);

  return (
    <div className="grid gap-2">
      {problem && <Notice tone="bad">{problem}</Notice>}
      <ol className="max-h-[70vh] overflow-auto font-mono text-xs" tabIndex={0} aria-label="Events">
        {events.map(({ seq, type, at: time, level, message, data, epoch }) => (
          <li key={seq} className="border-b border-line py-1">
            <details>
              <summary className={classes('flex gap-2', levelClasses[level])}>
                <span className="w-8 shrink-0 text-right text-muted">{seq}</span>
                <time dateTime={time} title={formatExact(time)} className="shrink-0 text-muted">
                  {time.slice(11, 23)}
                </time>
                <span className="w-32 shrink-0 truncate text-muted max-md:hidden">{type}</span>
                <span className="min-w-0 wrap-anywhere">{message}</span>
              </summary>
              <pre className="overflow-x-auto p-2 pl-10 whitespace-pre-wrap text-muted">
                {JSON.stringify({ epoch, ...data }, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ol>
      {latestSeq > targetSeq && (
        <Button onClick={() => setLimit(limit + EVENTS_PER_PAGE)} className="justify-self-center">
          Load {latestSeq - targetSeq} more
        </Button>
      )}
    </div>
  );
}
