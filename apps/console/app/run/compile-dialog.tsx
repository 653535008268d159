import type { WorkflowView } from '@pilothouse/contract';
import { Button, Dialog, Field, Input, Notice } from '@pilothouse/ui-kit';
import { Workflow } from 'lucide-react';
import { useState } from 'react';
import { Link, useFetcher } from 'react-router';
import type { Failure } from '../api/api-client.server.ts';

/** Compiled workflow. */
export interface CompileResult {
  workflow: Pick<WorkflowView, 'name'> & { version: number };
  notes: string[];
  /** Verification run; null: none was requested. */
  verification: { run: string | null; reason: string | null } | null;
}

/** Compiles the agent actions of a run into a workflow. @param name workflow name of the run; '': none */
export function CompileDialog({ name }: { name: string }) {
  const fetcher = useFetcher<{ failure?: Failure; compiled?: CompileResult }>();
  const [open, setOpen] = useState(false);
  const failure = fetcher.data?.failure;
  const compiled = fetcher.data?.compiled;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Workflow aria-hidden="true" /> Compile
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Compile into a workflow">
        {compiled ? (
          <CompileSummary compiled={compiled} />
        ) : (
          <fetcher.Form method="post" className="grid gap-3">
            <p className="text-sm text-muted">
              What the agent did becomes steps that need no model, kept as a draft. One of this name gets a new version.
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
              Try it once, if that can do no harm
            </label>
            {failure && <Notice tone="bad">{failure.message}</Notice>}
            <Button type="submit" variant="primary" disabled={fetcher.state !== 'idle'} className="justify-self-start">
              {fetcher.state === 'idle' ? 'Compile' : 'Compiling…'}
            </Button>
          </fetcher.Form>
        )}
      </Dialog>
    </>
  );
}

const CompileSummary = ({ compiled: { workflow, notes, verification } }: { compiled: CompileResult }) => (
  <div className="grid gap-2 text-sm">
    <p>
      <Link to={`/workflows/${workflow.name}?version=${workflow.version}`} className="font-medium underline">
        {workflow.name}, version {workflow.version}
      </Link>{' '}
      is a draft: look at it, and publish it.
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
            It is tried now
          </Link>
        ) : (
          `It was not tried: ${verification.reason}`
        )}
      </p>
    )}
  </div>
);
