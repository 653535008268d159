import type { RunEvent } from '@pilothouse/contract';
import { Button, classes, Notice } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useState } from 'react';
import { formatExact } from '../../shared/duration.ts';

/** Events of one question, and milliseconds it may take. */
const pageEvents = 500;
const answerMs = 15_000;

const levels = { debug: 'text-muted', info: '', warn: 'text-warn', error: 'text-bad' } as const;

/** The log of a run, as it was written. @param upTo number of the last event that is known: later ones are fetched when it grows */
export function EventsTab({ run, upTo }: { run: string; upTo: number }) {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const [failed, setFailed] = useState('');
  const [wanted, setWanted] = useState(pageEvents);
  const known = events.at(-1)?.seq ?? 0;
  const goal = Math.min(upTo, wanted);

  const read = useCallback(
    async (signal: AbortSignal) => {
      const url = `/api/v1/runs/${run}/events?format=json&limit=${pageEvents}&after=${known}`;
      const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]) });
      if (!answer.ok)
        throw new Error(
          answer.status === 410 ? 'The events of this run are no longer kept.' : `The API answered ${answer.status}.`,
        );
      const { items } = (await answer.json()) as { items: RunEvent[] };
      setFailed('');
      setEvents((before) => [...before, ...items.filter(({ seq }) => seq > (before.at(-1)?.seq ?? 0))]);
    },
    [run, known],
  );
  useEffect(() => {
    if (known >= goal) return;
    const gone = new AbortController();
    read(gone.signal).catch(
      (error: unknown) => gone.signal.aborted || setFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => gone.abort();
  }, [known, goal, read]);

  return (
    <div className="grid gap-2">
      {failed && <Notice tone="bad">{failed}</Notice>}
      <ol className="max-h-[70vh] overflow-auto font-mono text-xs" tabIndex={0} aria-label="Events">
        {events.map(({ seq, type, at, level, message, data, epoch }) => (
          <li key={seq} className="border-b border-line py-1">
            <details>
              <summary className={classes('flex gap-2', levels[level])}>
                <span className="w-8 shrink-0 text-right text-muted">{seq}</span>
                <time dateTime={at} title={formatExact(at)} className="shrink-0 text-muted">
                  {at.slice(11, 23)}
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
      {upTo > goal && (
        <Button onClick={() => setWanted(wanted + pageEvents)} className="justify-self-center">
          {upTo - goal} more
        </Button>
      )}
    </div>
  );
}
