import { Button, buttonClass } from '@pilothouse/ui-kit';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Pencil, RotateCcw, X, Workflow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Form, Link, useNavigation, useSubmit } from 'react-router';
import { cancelRunConfirmation } from '../runs/cancel-run-button.tsx';
import { runTitle } from '../runs/run-row.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import type { RunState } from './run-state.ts';

const CompileDialog = lazy(() => import('./compile-dialog.tsx'));

/** Button that opens the dialog. @param name workflow name of the run; '': none */
function CompileButton({ run, name }: { run: string; name: string }) {
  const [isOpen, setIsOpen] = useState(false);
  // The dialog stays mounted after its first use, so that it can return the focus when it closes.
  const [isMounted, setIsMounted] = useState(false);
  const open = () => {
    setIsMounted(true);
    setIsOpen(true);
  };
  return (
    <>
      <Button onClick={open}>
        <Workflow aria-hidden="true" /> Compile to workflow
      </Button>
      {isMounted && (
        <Suspense>
          <CompileDialog run={run} name={name} open={isOpen} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Buttons in the header of the run page: compile, retry and cancel. */
export function RunActions({ run, state: { status, cancelling, steps } }: { run: RunView; state: RunState }) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const isFinished = status === 'completed' || status === 'failed' || status === 'cancelled';
  const isGoal = steps.some(({ action }) => action === 'goal');
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'completed' && isGoal && <CompileButton key={run.id} run={run.id} name={run.workflow?.name ?? ''} />}
      {isFinished && (
        <Link to="retry" className={buttonClass()}>
          <Pencil aria-hidden="true" /> Retry with changes…
        </Link>
      )}
      {isFinished ? (
        <Form method="post">
          <Button type="submit" name="intent" value="retry" disabled={busy}>
            <RotateCcw aria-hidden="true" /> Retry
          </Button>
        </Form>
      ) : (
        <ConfirmButton
          disabled={busy || cancelling !== null}
          confirmation={cancelRunConfirmation(
            runTitle(run),
            () => void submit({ intent: 'cancel' }, { method: 'post' }),
          )}
        >
          <X aria-hidden="true" /> {cancelling === null ? 'Cancel run' : 'Cancelling…'}
        </ConfirmButton>
      )}
    </div>
  );
}
