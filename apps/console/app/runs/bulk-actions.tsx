import { Button, buttonClass, Notice } from '@pilothouse/ui-kit';
import { Link, useFetcher } from 'react-router';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { countOf, nounOf } from '../shared/number-format.ts';
import { type RunRow, compareHref } from './run-row.ts';
import type { action } from './runs.actions.server.ts';

export interface BulkActionsProps {
  rows: readonly RunRow[];
  selected: ReadonlySet<string>;
  /** True if the viewer may cancel and retry runs. */
  canOperate: boolean;
  onAll: () => void;
  onDone: () => void;
}

/** Actions on the selected runs. */
export function BulkActions({ rows, selected, canOperate, onAll, onDone }: BulkActionsProps) {
  const fetcher = useFetcher<typeof action>();
  const busy = fetcher.state !== 'idle';
  const selectedRuns = rows.filter(({ id }) => selected.has(id));
  // Rows are sorted from new to old.
  const [newer, older] = selectedRuns;
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
            Clear selection
          </Button>
          {canOperate && (
            <>
              <ConfirmButton
                disabled={busy || unfinished.length === 0}
                confirmation={{
                  title: `Cancel ${countOf(unfinished.length, 'run')}?`,
                  text: 'Running runs stop before their next action. Artifacts are kept.',
                  verb: `Cancel ${nounOf(unfinished.length, 'run')}`,
                  onConfirm: () => submit('cancel', unfinished),
                }}
              >
                Cancel {countOf(unfinished.length, 'run')}
              </ConfirmButton>
              <Button disabled={busy || finished.length === 0} onClick={() => submit('retry', finished)}>
                Retry {countOf(finished.length, 'run')}
              </Button>
            </>
          )}
          {newer && older && selectedRuns.length === 2 && (
            <Link to={compareHref(older.id, newer.id)} className={buttonClass()}>
              Compare 2 runs
            </Link>
          )}
        </div>
      )}
      {answer?.failure && <Notice tone="bad">{answer.failure.message}</Notice>}
      {answer?.result && (
        <Notice tone={answer.result.failed.length > 0 ? 'warn' : 'good'}>
          {countOf(answer.result.succeeded, 'run')} {answer.result.intent === 'cancel' ? 'cancelled' : 'retried'}
          {answer.result.failed.length > 0 &&
            `, ${answer.result.failed.length} not changed: ${answer.result.failed[0]?.message}`}
        </Notice>
      )}
    </div>
  );
}
