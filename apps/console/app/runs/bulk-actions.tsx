import { Button, Notice } from '@pilothouse/ui-kit';
import { useFetcher } from 'react-router';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import type { RunRow } from './run-row.ts';
import type { action } from './runs.actions.server.ts';

export interface BulkActionsProps {
  rows: readonly RunRow[];
  selected: ReadonlySet<string>;
  onAll: () => void;
  onDone: () => void;
}

/** Actions on the selected runs. */
export function BulkActions({ rows, selected, onAll, onDone }: BulkActionsProps) {
  const fetcher = useFetcher<typeof action>();
  const busy = fetcher.state !== 'idle';
  const selectedRuns = rows.filter(({ id }) => selected.has(id));
  const unfinished = selectedRuns.filter(({ finishedAt }) => finishedAt === null);
  const finished = selectedRuns.filter(({ finishedAt }) => finishedAt !== null);
  const submit = (intent: 'cancel' | 'retry', runs: readonly RunRow[]) => {
    const form = new FormData();
    form.set('intent', intent);
    for (const { id } of runs) form.append('run', id);
    onDone();
    void fetcher.submit(form, { method: 'post' });
  };
  const answer = fetcher.data;
  if (selectedRuns.length === 0 && !busy && !answer) return null;
  return (
    <div className="mb-3 grid gap-2" aria-live="polite">
      {(selectedRuns.length > 0 || busy) && (
        <div className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-surface px-3 py-1.5 text-sm">
          <span>{selectedRuns.length} selected</span>
          <Button variant="quiet" onClick={onAll}>
            Select all {rows.length}
          </Button>
          <Button variant="quiet" onClick={onDone}>
            Select none
          </Button>
          <ConfirmButton
            disabled={busy || unfinished.length === 0}
            confirmation={{
              title: `Cancel ${unfinished.length} ${unfinished.length === 1 ? 'run' : 'runs'}?`,
              text: 'Each run stops after its current step. Recordings are kept.',
              verb: `Cancel ${unfinished.length === 1 ? 'run' : 'runs'}`,
              onConfirm: () => submit('cancel', unfinished),
            }}
          >
            Cancel {unfinished.length}
          </ConfirmButton>
          <Button disabled={busy || finished.length === 0} onClick={() => submit('retry', finished)}>
            Run {finished.length} again
          </Button>
        </div>
      )}
      {answer?.failure && <Notice tone="bad">{answer.failure.message}</Notice>}
      {answer?.result && (
        <Notice tone={answer.result.failed.length > 0 ? 'warn' : 'good'}>
          {answer.result.succeeded} {answer.result.succeeded === 1 ? 'run' : 'runs'} done
          {answer.result.failed.length > 0 &&
            `, ${answer.result.failed.length} refused: ${answer.result.failed[0]?.message}`}
        </Notice>
      )}
    </div>
  );
}
