import { Button, Field, Notice, TextArea } from '@pilothouse/ui-kit';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { canAnswerWithText } from '@pilothouse/contract/run/answer-with-text';
import type { OpenQuestion } from '@pilothouse/contract/run/run-question.schema';
import { lazy, Suspense } from 'react';
import { useFetcher } from 'react-router';
import { isClosed } from '../run-state-selectors.ts';
import type { RunState } from '../run-state.ts';
import { ReopenBrowser } from '../closed-run.tsx';
import { TimeAgo, RemainingTime } from '../../shared/relative-time.tsx';
import type { PageControl } from '../control/use-control-session.ts';

/** Few questions ask for an element. */
const PickTargetDialog = lazy(() => import('./pick-target-dialog.tsx'));

export interface QuestionPanelProps {
  state: RunState;
  question: OpenQuestion;
  control: PageControl;
  canOperate: boolean;
}

/** Open question of a run, with its answers. */
export function QuestionPanel({ state, question, control, canOperate }: QuestionPanelProps) {
  const fetcher = useFetcher<{ failure?: { message: string } }>();
  const busy = fetcher.state !== 'idle';
  const pick = (target: Target) =>
    void fetcher.submit(
      { question: question.key ?? '', answer: 'retry', target: JSON.stringify(target) },
      { method: 'post' },
    );
  return (
    <section aria-label="Question" className="mb-3 rounded-lg border border-warn/50 bg-surface p-4">
      <h2 className="text-sm font-semibold text-warn">
        {question.controlToken === undefined ? 'This run needs your input' : 'Under manual control'}
      </h2>
      <p className="mt-1 wrap-anywhere">{question.reason}</p>
      {question.controlToken === undefined && (
        <p className="mt-1 text-xs text-muted">
          Asked <TimeAgo time={question.askedAt} />. Fails <RemainingTime time={question.expiresAt} /> without an
          answer.
        </p>
      )}
      {!canOperate && question.controlToken === undefined && (
        <p className="mt-1 text-xs text-muted">Your role can read only. Ask an operator to answer.</p>
      )}
      {/* Outside of the form: Enter in its search field must not submit an answer. */}
      {canOperate && question.acceptsTarget && (
        <div className="mt-3">
          {isClosed(state) ? (
            <ReopenBrowser />
          ) : (
            <Suspense>
              <PickTargetDialog run={state.run} control={control} busy={busy} onPick={pick} />
            </Suspense>
          )}
        </div>
      )}
      {canOperate && (
        <fetcher.Form method="post" className="mt-3 grid gap-3">
          <input type="hidden" name="question" value={question.key ?? ''} />
          {canAnswerWithText(question) && (
            <Field label="Your answer" hint="Stored in the events of the run. Do not enter secrets.">
              {(controlProps) => <TextArea {...controlProps} name="text" rows={2} maxLength={4000} />}
            </Field>
          )}
          <div className="flex flex-wrap gap-2">
            {question.choices.map(({ choice, title }, index) => (
              <Button
                key={choice}
                type="submit"
                name="answer"
                value={choice}
                variant={index === 0 && !question.acceptsTarget ? 'primary' : choice === 'fail' ? 'danger' : 'plain'}
                disabled={busy}
              >
                {title}
              </Button>
            ))}
            <Button type="submit" name="intent" value="complete" variant="quiet" disabled={busy}>
              Mark as completed
            </Button>
          </div>
          {fetcher.data?.failure && <Notice tone="bad">{fetcher.data.failure.message}</Notice>}
        </fetcher.Form>
      )}
    </section>
  );
}
