import type { DialogInput } from '@pilothouse/contract/control/control.schema';
import { Button, Field, Input, Notice } from '@pilothouse/ui-kit';
import { useState, type FormEvent } from 'react';
import type { OpenDialog } from '../run-state.ts';

export interface PageDialogProps {
  openDialog: OpenDialog;
  /** @returns an error message; null: sent */
  onAnswer: (answer: Omit<DialogInput, 'kind'>) => Promise<string | null>;
}

/** Answers a dialog of the page. */
export function PageDialog({ openDialog, onAnswer }: PageDialogProps) {
  const { dialog, kind, question, text: proposed } = openDialog;
  const [text, setText] = useState(proposed ?? '');
  const [isSent, setIsSent] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const answer = async (accept: boolean) => {
    setIsSent(true);
    // The proposed text may be masked or truncated: if unchanged, the page keeps its full text.
    const error = await onAnswer({ dialog, accept, ...(accept && kind === 'prompt' && text !== proposed && { text }) });
    setProblem(error);
    if (error !== null) setIsSent(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void answer(true);
  };
  return (
    <form
      onSubmit={submit}
      aria-label="Dialog of the page"
      className="mb-2 grid gap-2 rounded-md border border-warn/40 bg-surface p-3 text-sm"
    >
      <p role="alert" className="break-words whitespace-pre-wrap">
        The page asks: {question || (kind === 'beforeunload' ? 'Leave the page? Changes may be lost.' : '(no text)')}
      </p>
      {kind === 'prompt' && (
        <Field label="Answer">
          {(controlProps) => (
            <Input
              {...controlProps}
              autoFocus
              autoComplete="off"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
      )}
      <span className="flex gap-2">
        <Button type="submit" variant="primary" disabled={isSent}>
          OK
        </Button>
        {kind !== 'alert' && (
          <Button disabled={isSent} onClick={() => void answer(false)}>
            Cancel
          </Button>
        )}
      </span>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
    </form>
  );
}
