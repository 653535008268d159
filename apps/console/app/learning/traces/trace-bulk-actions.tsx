import { Button, Notice } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { useFetcher } from 'react-router';
import { ConfirmButton } from '../../shared/confirm-button.tsx';
import { countOf } from '../../shared/number-format.ts';
import { AcceptLabelsDialog } from './accept-labels-dialog.tsx';
import type { action, TraceChange } from './traces.actions.server.ts';

export interface TraceBulkActionsProps {
  /** Query of the queue: without a selection, its traces are changed. */
  search: string;
  selected: ReadonlySet<string>;
  /** Selects all shown traces. */
  onAll: () => void;
  onClear: () => void;
}

/** Actions on the selected traces, or on all traces of the filter. */
export function TraceBulkActions({ search, selected, onAll, onClear }: TraceBulkActionsProps) {
  const preview = useFetcher<typeof action>();
  const fetcher = useFetcher<typeof action>();
  const [isConfirming, setIsConfirming] = useState(false);
  /** False: a change followed the preview. */
  const [isPreviewNewest, setIsPreviewNewest] = useState(false);
  const isBusy = fetcher.state !== 'idle' || preview.state !== 'idle';
  const formOf = (intent: TraceChange['intent']) => {
    const form = new FormData();
    form.set('intent', intent);
    form.set('filter', search);
    for (const run of selected) form.append('run', run);
    return form;
  };
  const change = (intent: TraceChange['intent'], fields: Readonly<Record<string, string>> = {}) => {
    const form = formOf(intent);
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    setIsPreviewNewest(false);
    void fetcher.submit(form, { method: 'post', action: '/learning/traces' });
  };
  const found = preview.data?.result;
  useEffect(() => {
    if (preview.state === 'idle' && found && found.steps > 0) setIsConfirming(true);
  }, [preview.state, found]);
  const scope = selected.size > 0 ? countOf(selected.size, 'selected trace') : 'all traces of the filter';
  const failure = (isPreviewNewest ? preview : fetcher).data?.failure;
  const result = isPreviewNewest ? undefined : fetcher.data?.result;
  return (
    <div className="mb-3 grid gap-2" aria-live="polite">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="text-muted">{selected.size > 0 ? `${selected.size} selected` : 'Whole filter'}</span>
        <Button
          disabled={isBusy}
          title={`Accept the current scores of ${scope}`}
          onClick={() => {
            setIsPreviewNewest(true);
            void preview.submit(formOf('preview-accept'), { method: 'post', action: '/learning/traces' });
          }}
        >
          Accept scores…
        </Button>
        <ConfirmButton
          variant="plain"
          disabled={isBusy}
          confirmation={{
            title: `Score ${scope} again?`,
            text: 'Traces with a complete score of the current version are skipped. Scoring calls a model and counts toward the budget of the project. Labels of people stay in effect.',
            verb: 'Score again',
            onConfirm: () => change('score'),
          }}
        >
          Score again…
        </ConfirmButton>
        {selected.size > 0 && (
          <>
            <Button disabled={isBusy} onClick={() => change('pin')}>
              Pin
            </Button>
            <Button disabled={isBusy} onClick={() => change('unpin')}>
              Unpin
            </Button>
            <Button variant="quiet" onClick={onClear}>
              Clear selection
            </Button>
          </>
        )}
        <Button variant="quiet" onClick={onAll}>
          Select all shown
        </Button>
      </div>
      {found?.steps === 0 && preview.state === 'idle' && isPreviewNewest && (
        <Notice>
          No scores to accept. All good and bad steps already have a label. Label unknown steps one by one.
        </Notice>
      )}
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      {result && <Notice tone="good">{resultText(result)}</Notice>}
      {found && (
        <AcceptLabelsDialog
          open={isConfirming}
          counts={found}
          onClose={() => setIsConfirming(false)}
          onAccept={(reason) => {
            setIsConfirming(false);
            change('accept', { reason });
            onClear();
          }}
        />
      )}
    </div>
  );
}

function resultText({ intent, traces, steps, isComplete }: TraceChange): string {
  const hint = isComplete ? '' : ' More traces match: repeat the action.';
  if (intent === 'score')
    return traces === 0
      ? 'No trace needs a new score: all scores are complete and of the current version.'
      : `${countOf(traces, 'scoring job')} queued.${hint}`;
  if (intent === 'pin') return `${countOf(traces, 'trace')} pinned.`;
  if (intent === 'unpin') return `${countOf(traces, 'trace')} unpinned.`;
  return `${countOf(steps, 'step')} of ${countOf(traces, 'trace')} accepted.${hint}`;
}
