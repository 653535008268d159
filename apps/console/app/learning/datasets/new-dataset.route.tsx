import { unwrapData } from '@pilothouse/client';
import { Button, buttonClass, Card, Field, Input, Notice, TextArea } from '@pilothouse/ui-kit';
import { useRef } from 'react';
import {
  data,
  Form,
  Link,
  useActionData,
  useNavigation,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { requireRole, tryApi } from '../../api/api-client.server.ts';
import { textOf } from '../../api/form-fields.server.ts';
import { redirectTo } from '../../api/redirect.ts';
import { UnsavedChanges, useFormChanges } from '../../shared/unsaved-changes.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { failureOfProblem } from '../../shared/form-problem.ts';
import { useInvalidFocus } from '../use-invalid-focus.ts';
import { datasetFieldOf, newDatasetOf } from './dataset-form.ts';
import { DatasetQueryFields } from './dataset-query-fields.tsx';

export const meta = () => [{ title: 'New dataset · Pilothouse' }];

export async function loader(args: LoaderFunctionArgs) {
  await requireRole(args, 'admin');
  return null;
}

/** Creates a dataset, and opens it. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const fields = {
    text: (field: string) => textOf(form, field),
    texts: (field: string) => form.getAll(field).filter((value) => typeof value === 'string'),
  };
  let body: ReturnType<typeof newDatasetOf>;
  try {
    body = newDatasetOf(fields);
  } catch (error) {
    return data({ failure: failureOfProblem(error) }, { status: 400 });
  }
  const { result, failure } = await tryApi(args, ({ api }) => unwrapData(api.POST('/v1/datasets', { body })));
  if (result) throw redirectTo(`/learning/datasets/${result.id}`);
  return data({ failure }, { status: 400 });
}

export default function NewDataset() {
  const failure = useActionData<typeof action>()?.failure;
  const isBusy = useNavigation().state !== 'idle';
  const form = useRef<HTMLFormElement>(null);
  const isDirty = useFormChanges(form, null);
  useInvalidFocus(form, failure);
  const errorOf = (field: string) =>
    // The name is taken.
    field === 'name' && failure?.code === 'CONFLICT'
      ? failure.message
      : failure?.fields?.find(({ pointer }) => datasetFieldOf(pointer) === field)?.detail;
  const isShownAtField = failure?.code === 'CONFLICT' || failure?.fields?.some(({ pointer }) => pointer !== '');
  const percent = (name: string, label: string, value: number) => (
    <Field label={label} error={errorOf(name)}>
      {(controlProps) => <Input {...controlProps} name={name} inputMode="decimal" defaultValue={value} />}
    </Field>
  );
  return (
    <>
      <PageHeader
        breadcrumbs={[{ label: 'Datasets', href: '/learning/datasets' }, { label: 'New dataset' }]}
        title="New dataset"
      />
      <UnsavedChanges isDirty={isDirty} />
      <Form ref={form} method="post" className="grid max-w-4xl gap-3">
        {failure && (
          <Notice tone="bad">
            {isShownAtField ? 'The dataset was not created. Correct the marked fields.' : failure.message}
          </Notice>
        )}
        <Card title="Name">
          <Field
            label="Name of the dataset"
            hint="Lowercase letters, digits and hyphens, e.g. order-supplies. A later version keeps the name."
            error={errorOf('name')}
          >
            {(controlProps) => <Input {...controlProps} name="name" autoComplete="off" maxLength={63} />}
          </Field>
        </Card>
        <Card title="Query">
          <DatasetQueryFields errorOf={errorOf} />
        </Card>
        <Card title="Splits">
          <div className="grid gap-4">
            <p className="text-sm text-muted">
              All steps of a workflow on a site are in one split, so that no test step is similar to a training step.
            </p>
            <div className="grid grid-cols-2 items-start gap-4 sm:grid-cols-4">
              {percent('train', 'Train (%)', 80)}
              {percent('validation', 'Validation (%)', 10)}
              {percent('test', 'Test (%)', 10)}
              <Field label="Seed" hint="The same seed gives the same splits." error={errorOf('seed')}>
                {(controlProps) => <Input {...controlProps} name="seed" inputMode="numeric" defaultValue={1} />}
              </Field>
            </div>
          </div>
        </Card>
        <Card title="Dataset card">
          <div className="grid gap-4">
            <Field label="License" hint="SPDX identifier or a sentence. Blank: proprietary." error={errorOf('license')}>
              {(controlProps) => <Input {...controlProps} name="license" placeholder="proprietary" />}
            </Field>
            <Field
              label="Consent"
              hint="Basis on which the data may be used. Blank: Runs of the project only."
              error={errorOf('consent')}
            >
              {(controlProps) => (
                <TextArea {...controlProps} name="consent" rows={2} placeholder="Runs of the project only." />
              )}
            </Field>
          </div>
        </Card>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" disabled={isBusy}>
            {isBusy ? 'Creating…' : 'Create dataset'}
          </Button>
          <Link to="/learning/datasets" className={buttonClass()}>
            Cancel
          </Link>
        </div>
      </Form>
    </>
  );
}
