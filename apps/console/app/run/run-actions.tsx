import { Button, buttonClass } from '@pilothouse/ui-kit';
import type { RunView } from '@pilothouse/contract';
import { Pencil, RotateCcw, X } from 'lucide-react';
import { Form, Link, useNavigation, useSubmit } from 'react-router';
import { cancelRunConfirmation } from '../runs/cancel-run-button.tsx';
import { nameOf } from '../runs/run-row.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { CompileDialog } from './compile-dialog.tsx';
import type { RunState } from './run-state.ts';

/** Buttons in the header of the run page: compile, retry and cancel. */
export function RunActions({ run, state: { status, cancelling, steps } }: { run: RunView; state: RunState }) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const isFinished = status === 'completed' || status === 'failed' || status === 'cancelled';
  const isGoal = steps.some(({ action }) => action === 'goal');
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'completed' && isGoal && <CompileDialog key={run.id} name={run.workflow?.name ?? ''} />}
      {isFinished && (
        <Link to="retry" className={buttonClass()}>
          <Pencil aria-hidden="true" /> Run again with…
        </Link>
      )}
      {isFinished ? (
        <Form method="post">
          <Button type="submit" name="intent" value="retry" disabled={busy}>
            <RotateCcw aria-hidden="true" /> Run again
          </Button>
        </Form>
      ) : (
        <ConfirmButton
          disabled={busy || cancelling !== null}
          confirmation={cancelRunConfirmation(nameOf(run), () => void submit({ intent: 'cancel' }, { method: 'post' }))}
        >
          <X aria-hidden="true" /> {cancelling === null ? 'Cancel' : 'Cancelling…'}
        </ConfirmButton>
      )}
    </div>
  );
}
