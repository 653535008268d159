import type { TraceQuality } from '@pilothouse/contract/learning/trace.schema';
import { Button, Input, Kbd, Notice } from '@pilothouse/ui-kit';
import { Check, CircleQuestionMark, Pencil, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useFetcher } from 'react-router';
import type { action } from './trace.actions.server.ts';

export interface LabelBarProps {
  ordinal: number;
  onCorrect: () => void;
  /** Called after a label was stored. */
  onLabeled: (ordinal: number) => void;
}

/** Buttons that label the shown step. A bad or unknown step needs a reason. */
export function LabelBar({ ordinal, onCorrect, onLabeled }: LabelBarProps) {
  const fetcher = useFetcher<typeof action>();
  const [pendingQuality, setPendingQuality] = useState<Exclude<TraceQuality, 'good'> | null>(null);
  const [reason, setReason] = useState('');
  const reported = useRef<unknown>(null);
  useEffect(() => {
    setPendingQuality(null);
    setReason('');
  }, [ordinal]);
  const { result, failure } = fetcher.data ?? {};
  useEffect(() => {
    // Each answer is reported once: `onLabeled` changes with the step.
    if (fetcher.state !== 'idle' || !result?.ordinal || reported.current === result) return;
    reported.current = result;
    // The last step stays shown: its question is closed here.
    setPendingQuality(null);
    setReason('');
    onLabeled(result.ordinal);
  }, [fetcher.state, result, onLabeled]);
  const isBusy = fetcher.state !== 'idle';
  const label = (quality: TraceQuality, text: string) =>
    void fetcher.submit({ intent: 'label', ordinal, quality, reason: text }, { method: 'post' });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={isBusy}
          data-shortcut="g"
          aria-keyshortcuts="g"
          onClick={() => label('good', 'Reviewed: the step makes progress toward the goal.')}
        >
          <Check aria-hidden="true" className="text-good" /> Good <Kbd>g</Kbd>
        </Button>
        <Button disabled={isBusy} data-shortcut="b" aria-keyshortcuts="b" onClick={() => setPendingQuality('bad')}>
          <X aria-hidden="true" className="text-bad" /> Bad <Kbd>b</Kbd>
        </Button>
        <Button disabled={isBusy} data-shortcut="c" aria-keyshortcuts="c" onClick={onCorrect}>
          <Pencil aria-hidden="true" /> Correct <Kbd>c</Kbd>
        </Button>
        <Button variant="quiet" disabled={isBusy} onClick={() => setPendingQuality('unknown')}>
          <CircleQuestionMark aria-hidden="true" /> Unknown
        </Button>
      </div>
      {pendingQuality && (
        <form
          className="flex flex-wrap gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (reason.trim() !== '') label(pendingQuality, reason);
          }}
          onKeyDown={({ key }) => {
            if (key === 'Escape') setPendingQuality(null);
          }}
        >
          <Input
            // Remounted for each question, so that it gets the focus.
            key={pendingQuality}
            autoFocus
            required
            maxLength={2000}
            aria-label={`Why is step ${ordinal} ${pendingQuality}?`}
            placeholder={`Why is it ${pendingQuality}?`}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            className="min-w-40 flex-1"
          />
          <Button type="submit" variant="primary" disabled={isBusy}>
            Label {pendingQuality}
          </Button>
          <Button variant="quiet" onClick={() => setPendingQuality(null)}>
            Cancel
          </Button>
        </form>
      )}
      {failure && <Notice tone="bad">{failure.message}</Notice>}
    </div>
  );
}
