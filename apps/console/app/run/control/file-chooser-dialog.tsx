import type { DialogInput } from '@pilothouse/contract/control/control.schema';
import { Button, Field, FileInput, Notice } from '@pilothouse/ui-kit';
import { useEffect, useState, type FormEvent } from 'react';
import { postFiles } from '../../api/post-api.ts';
import type { OpenDialog } from '../run-state.ts';
import type { PageControl } from './use-control-session.ts';

/** Milliseconds between two renewals of control during an upload. */
const RENEW_MS = 20_000;

export interface FileChooserDialogProps {
  openDialog: OpenDialog;
  control: Pick<PageControl, 'answerDialog' | 'takeControl'>;
}

/** Answers a file chooser of the page with uploaded files. */
export function FileChooserDialog({ openDialog: { dialog, multiple }, control }: FileChooserDialogProps) {
  const { answerDialog, takeControl: renew } = control;
  const [files, setFiles] = useState<readonly File[]>([]);
  /** The submitted answer. */
  const [pendingAction, setPendingAction] = useState<'upload' | 'cancel' | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (pendingAction !== 'upload') return undefined;
    const timer = setInterval(renew, RENEW_MS);
    return () => clearInterval(timer);
  }, [pendingAction, renew]);

  const send = async (intent: 'upload' | 'cancel', answer: () => Promise<string | null>) => {
    setPendingAction(intent);
    setProblem(null);
    const error = await answer();
    setProblem(error);
    if (error !== null) setPendingAction(null);
  };
  const reply = (answer: Pick<DialogInput, 'accept' | 'files'>) => answerDialog({ dialog, ...answer });
  const upload = async () => {
    const { answer, error } = await postFiles(files);
    return answer ? reply({ accept: true, files: answer }) : error;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send('upload', upload);
  };
  return (
    <form
      onSubmit={submit}
      aria-label="File chooser of the page"
      className="mb-2 grid gap-2 rounded-md border border-warn/40 bg-surface p-3 text-sm"
    >
      <p role="alert">The page asks for {multiple ? 'one or more files' : 'a file'}</p>
      <Field label={multiple ? 'Files' : 'File'}>
        {(controlProps) => (
          <FileInput
            {...controlProps}
            autoFocus
            multiple={multiple}
            disabled={pendingAction !== null}
            // Choosing a file counts as input.
            onClick={renew}
            onChange={({ target }) => {
              setFiles([...(target.files ?? [])]);
              renew();
            }}
          />
        )}
      </Field>
      <span className="flex gap-2">
        <Button type="submit" variant="primary" disabled={pendingAction !== null || files.length === 0}>
          {pendingAction === 'upload' ? 'Uploading…' : 'Upload'}
        </Button>
        <Button disabled={pendingAction !== null} onClick={() => void send('cancel', () => reply({ accept: false }))}>
          Cancel
        </Button>
      </span>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
    </form>
  );
}
