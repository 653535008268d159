import { Button, Notice } from '@pilothouse/ui-kit';
import { MonitorUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import type { RunState } from './run-state.ts';
import { useSurfaceTraits } from '../shared/surface-labels.ts';
import { formatDuration } from '../shared/duration.ts';

/** Reopens the browser of a waiting run: a worker restores its page and asks again. */
export function ReopenBrowser() {
  const { noun } = useSurfaceTraits();
  const fetcher = useFetcher<{ failure?: { message: string } }>();
  return (
    <fetcher.Form method="post" className="grid justify-items-start gap-2">
      <Button type="submit" name="intent" value="reopen" disabled={fetcher.state !== 'idle'}>
        <MonitorUp aria-hidden="true" /> Reopen {noun}
      </Button>
      {fetcher.data?.failure && <Notice tone="bad">{fetcher.data.failure.message}</Notice>}
    </fetcher.Form>
  );
}

/** Last screenshot of a waiting run whose browser was closed. @param children actions of the viewer */
export function ClosedRun({ state, children }: { state: RunState; children?: ReactNode }) {
  const { noun } = useSurfaceTraits();
  const { run, question, closedAt, artifacts } = state;
  const lastScreenshot = artifacts.findLast(({ kind }) => kind === 'screenshot');
  const openMs = question && closedAt !== null ? Date.parse(closedAt) - Date.parse(question.askedAt) : null;
  return (
    <div className="grid gap-2">
      <p role="status" className="text-sm text-muted">
        The {noun} was closed{openMs === null ? ' while the run waits' : ` after ${formatDuration(openMs)}`}; your
        answer resumes the run.
      </p>
      {children}
      {lastScreenshot && (
        <img
          src={`/runs/${run}/files/${lastScreenshot.id}`}
          alt="Last screenshot of the run"
          className="block w-full rounded border border-line"
        />
      )}
    </div>
  );
}
