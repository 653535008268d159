import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { Button } from '@pilothouse/ui-kit';
import type { Failure } from '../api/api-client.server.ts';
import type { RunState } from '../run/run-state.ts';
import { InputField } from '../workflows/workflow-input-field.tsx';

/** Result of starting a test run. */
export interface TestRunResult {
  state: RunState | undefined;
  failure: Failure | undefined;
}

export type InputEntries = readonly (readonly [name: string, schema: WorkflowInput])[];

/** Valid inputs of an edited workflow. */
export const inputEntriesOf = (inputs: Readonly<Record<string, unknown>>): InputEntries =>
  Object.entries(inputs).filter(
    (entry): entry is [string, WorkflowInput] => typeof (entry[1] as WorkflowInput | null)?.type === 'string',
  );

export interface TestRunFormProps {
  inputs: InputEntries;
  busy?: boolean;
  onSubmit: (form: FormData) => void;
}

/** Input values of a test run. */
export const TestRunForm = ({ inputs, busy = false, onSubmit }: TestRunFormProps) => (
  <form
    className="grid gap-3"
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit(new FormData(event.currentTarget));
    }}
  >
    {inputs.map(([name, schema]) => (
      <InputField key={name} name={name} schema={schema} error={undefined} />
    ))}
    <Button type="submit" variant="primary" className="justify-self-start" disabled={busy}>
      {busy ? 'Starting…' : 'Start test run'}
    </Button>
  </form>
);
