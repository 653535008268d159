import type { WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { Button, Dialog, Field, Input, Notice } from '@pilothouse/ui-kit';
import { Link, useFetcher } from 'react-router';
import type { Failure } from '../api/api-client.server.ts';

/** Compiled workflow. */
export interface CompileResult {
  workflow: Pick<WorkflowView, 'name'> & { version: number };
  notes: string[];
  /** Verification run; null: none was requested. */
  verification: { run: string | null; reason: string | null } | null;
}

export interface CompileDialogProps {
  run: string;
  /** Proposed workflow name. */
  name: string;
  open: boolean;
  onClose(): void;
}

/** Compiles the agent actions of a run into a workflow, and shows the result. */
export default function CompileDialog({ run, name, open, onClose }: CompileDialogProps) {
  const fetcher = useFetcher<{ failure?: Failure; compiled?: CompileResult }>();
  const failure = fetcher.data?.failure;
  const compiled = fetcher.data?.compiled;
  return (
    <Dialog open={open} onClose={onClose} title="Compile to workflow">
      {compiled ? (
        <CompileSummary compiled={compiled} />
      ) : (
        <fetcher.Form method="post" action={`/runs/${run}`} className="grid gap-3">
          <p className="text-sm text-muted">
            Turns the actions of the agent into steps without model calls, saved as a draft. An existing workflow gets a
            new version.
          </p>
          <input type="hidden" name="intent" value="compile" />
          <Field label="Name">
            {(controlProps) => (
              <Input
                {...controlProps}
                name="name"
                defaultValue={name}
                required
                pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
              />
            )}
          </Field>
          <label className="flex items-center gap-2 text-sm">
            <input type="checkbox" name="verify" defaultChecked className="size-4 accent-primary" />
            Verify with one run (skipped if a step is not repeatable)
          </label>
          {failure && <Notice tone="bad">{failure.message}</Notice>}
          <Button type="submit" variant="primary" disabled={fetcher.state !== 'idle'} className="justify-self-start">
            {fetcher.state === 'idle' ? 'Compile' : 'Compiling…'}
          </Button>
        </fetcher.Form>
      )}
    </Dialog>
  );
}

const CompileSummary = ({ compiled: { workflow, notes, verification } }: { compiled: CompileResult }) => (
  <div className="grid gap-2 text-sm">
    <p>
      <Link to={`/workflows/${workflow.name}?version=${workflow.version}`} className="font-medium underline">
        {workflow.name}, version {workflow.version}
      </Link>{' '}
      is saved as a draft. Review and publish it.
    </p>
    {notes.map((note) => (
      <p key={note} className="text-warn">
        {note}
      </p>
    ))}
    {verification && (
      <p className="text-muted">
        {verification.run ? (
          <Link to={`/runs/${verification.run}`} className="underline">
            Verifying
          </Link>
        ) : (
          `Not verified: ${verification.reason}`
        )}
      </p>
    )}
  </div>
);
