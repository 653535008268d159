import type { Json } from '@pilothouse/contract/primitives.schema';
import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { Button, buttonClass, Card, Notice } from '@pilothouse/ui-kit';
import { useRef, type ReactNode } from 'react';
import { Form, Link, useNavigation } from 'react-router';
import type { Failure } from '../api/api-client.server.ts';
import { UnsavedChanges, useFormChanges } from '../shared/unsaved-changes.tsx';
import { InputField } from './workflow-input-field.tsx';
import { isErrorOf } from './workflow-inputs.ts';
import { RecordingFields } from './recording-fields.tsx';

export interface RunFormProps {
  inputs: Readonly<Record<string, WorkflowInput>>;
  /** Input values of the retried run. */
  previous?: Readonly<Record<string, Json>>;
  capture?: RunCapture;
  failure: Failure | undefined;
  /** Label of the submit button. */
  submitLabel: string;
  /** Target of the cancel link. */
  cancelTo: string;
  /** Further fields. */
  children?: ReactNode;
}

/** Form that starts a run: `input.*` for inputs, `capture.*` for capture options. */
export function RunForm({ inputs, previous, capture, failure, submitLabel, cancelTo, children }: RunFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const isDirty = useFormChanges(form, null);
  const busy = useNavigation().state !== 'idle';
  const errorOf = (input: string) => failure?.fields?.find((field) => isErrorOf(input, field))?.detail;
  const hasFormError = failure && !Object.keys(inputs).some(errorOf);
  return (
    <Card className="max-w-2xl">
      <UnsavedChanges isDirty={isDirty} />
      <Form ref={form} method="post" encType="multipart/form-data" className="grid gap-4">
        {hasFormError && <Notice tone="bad">{failure.message}</Notice>}
        {Object.entries(inputs).map(([input, schema]) => (
          <InputField
            key={input}
            name={input}
            schema={schema}
            error={errorOf(input)}
            {...(previous && { previous: previous[input] })}
          />
        ))}
        {Object.keys(inputs).length === 0 && <p className="text-sm text-muted">This workflow has no inputs.</p>}
        {children}
        <RecordingFields capture={capture} />
        <div className="flex gap-2">
          <Button type="submit" variant="primary" disabled={busy}>
            {busy ? 'Starting…' : submitLabel}
          </Button>
          <Link to={cancelTo} className={buttonClass()}>
            Cancel
          </Link>
        </div>
      </Form>
    </Card>
  );
}
