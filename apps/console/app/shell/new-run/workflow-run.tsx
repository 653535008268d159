import { Combobox, Field, Notice } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { useFetcher } from 'react-router';
import { InputField } from '../../workflows/workflow-input-field.tsx';
import { isErrorOf } from '../../workflows/workflow-inputs.ts';
import { useSearch } from '../use-search.ts';
import type { action } from './new-run.route.ts';
import { RunOptions, SubmitRow, type Fleets, type RunFailure } from './run-options.tsx';
import type { loader as inputsLoader } from './workflow-inputs.route.ts';

/** Form for a run of a workflow. Shows the inputs of the selected workflow. @param initial initially selected workflow */
export function WorkflowRun({ fleets, initial }: { fleets: Fleets; initial: string | null }) {
  const [name, setName] = useState(initial);
  const [text, setText] = useState('');
  const search = useSearch<string[]>('/search/workflow-names', text);
  const submission = useFetcher<typeof action>();
  const { load, data: workflow, state } = useFetcher<typeof inputsLoader>();
  useEffect(() => {
    if (name !== null) void load(`/new-run/${name}`);
  }, [name, load]);
  const selected = workflow?.result?.name === name ? workflow?.result : undefined;
  const failure: RunFailure = submission.data?.failure;
  const inputs = Object.entries(selected?.inputs ?? {});
  const inputError = (input: string) => failure?.fields?.find((field) => isErrorOf(input, field))?.detail;
  const hasFieldError = inputs.some(([input]) => inputError(input));
  // The fetcher keeps the failure of an earlier workflow.
  const loadFailure = search?.failure ?? (name === null || state !== 'idle' ? undefined : workflow?.failure);
  return (
    <submission.Form method="post" action="/new-run" encType="multipart/form-data" className="grid gap-4">
      {failure && !hasFieldError && <Notice tone="bad">{failure.message}</Notice>}
      {loadFailure && <Notice tone="bad">Loading the workflow failed: {loadFailure.message}</Notice>}
      <Field
        label="Workflow"
        hint={selected && `v${selected.version}${selected.published ? ', published' : ', draft'} · ${selected.surface}`}
      >
        {(controlProps) => (
          <Combobox
            {...controlProps}
            items={search?.result ?? []}
            value={name}
            onSelect={setName}
            onText={setText}
            placeholder="Search workflows"
            empty={search ? 'No workflow matches.' : 'Loading workflows…'}
          />
        )}
      </Field>
      <input type="hidden" name="workflow" value={name ?? ''} />
      {selected && (
        <div key={selected.name} className="grid gap-4">
          {inputs.map(([input, schema]) => (
            <InputField key={input} name={input} schema={schema} error={inputError(input)} />
          ))}
          <RunOptions fleets={fleets} surface={selected.surface} failure={failure} />
        </div>
      )}
      <SubmitRow intent="workflow" disabled={!selected} busy={submission.state !== 'idle'} />
    </submission.Form>
  );
}
