import { Button, Notice } from '@pilothouse/ui-kit';
import { MonitorUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import type { RunState } from './run-state.ts';
import { formatDuration } from '../shared/duration.ts';

/** Queues a waiting run whose browser was closed: a worker restores its page, and the run asks again. */
export function ReopenBrowser() {
  const fetcher = useFetcher<{ failure?: { message: string } }>();
  return (
    <fetcher.Form method="post" className="grid justify-items-start gap-2">
      <Button type="submit" name="intent" value="reopen" disabled={fetcher.state !== 'idle'}>
        <MonitorUp aria-hidden="true" /> Reopen browser
      </Button>
      {fetcher.data?.failure && <Notice tone="bad">{fetcher.data.failure.message}</Notice>}
    </fetcher.Form>
  );
}

/** The last screenshot of a run whose browser was closed while it waits for a person. @param children actions of the viewer */
export function ClosedRun({ state, children }: { state: RunState; children?: ReactNode }) {
  const { run, question, closedAt, files } = state;
  const last = files.findLast(({ kind }) => kind === 'screenshot');
  const ms = question && closedAt !== null ? Date.parse(closedAt) - Date.parse(question.askedAt) : null;
  return (
    <div className="grid gap-2">
      <p role="status" className="text-sm text-muted">
        The browser was closed{ms === null ? ' while the run waits' : ` after ${formatDuration(ms)}`}; your answer resumes the
        run.
      </p>
      {children}
      {last && (
        <img
          src={`/runs/${run}/files/${last.id}`}
          alt="Last screenshot of the run"
          className="block w-full rounded border border-line"
        />
      )}
    </div>
  );
}
