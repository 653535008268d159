import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { Button } from '@pilothouse/ui-kit';
import { Pin, PinOff, RotateCw } from 'lucide-react';
import { useFetcher } from 'react-router';
import type { action } from './trace.actions.server.ts';

/** Pins a trace, or scores it again. */
export function TraceActions({ trace: { isPinned } }: { trace: Pick<Trace, 'isPinned'> }) {
  const fetcher = useFetcher<typeof action>();
  const { result, failure } = fetcher.data ?? {};
  const isBusy = fetcher.state !== 'idle';
  const send = (intent: 'pin' | 'unpin' | 'score') => void fetcher.submit({ intent }, { method: 'post' });
  return (
    <>
      <span role="status" className={`text-xs ${failure ? 'text-bad' : 'text-muted'}`}>
        {failure?.message ?? scoreText(result?.jobs ?? null)}
      </span>
      <Button
        disabled={isBusy}
        title={isPinned ? 'Include turn records in retention' : 'Exclude turn records from retention'}
        onClick={() => send(isPinned ? 'unpin' : 'pin')}
      >
        {isPinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />} {isPinned ? 'Unpin' : 'Pin'}
      </Button>
      <Button disabled={isBusy} title="Skipped if the score is complete and current" onClick={() => send('score')}>
        <RotateCw aria-hidden="true" /> Score again
      </Button>
    </>
  );
}

const scoreText = (jobs: number | null): string => {
  if (jobs === null) return '';
  return jobs === 0 ? 'The score is complete and current.' : 'Scoring is queued.';
};
