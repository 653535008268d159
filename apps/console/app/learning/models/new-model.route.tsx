import { unwrapData } from '@pilothouse/client';
import type { RegisterModel } from '@pilothouse/contract/learning/registry.schema';
import { Button, buttonClass, Card, Field, Input, Notice, Select } from '@pilothouse/ui-kit';
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
import { PageHeader } from '../../page/page-header.tsx';
import { modelScopes } from '../model-scopes.ts';
import { useInvalidFocus } from '../use-invalid-focus.ts';

export const meta = () => [{ title: 'Register model · Pilothouse' }];

export async function loader(args: LoaderFunctionArgs) {
  await requireRole(args, 'admin');
  return null;
}

const fields = ['name', 'model', 'base', 'role', 'surface', 'description'] as const;

/** Registers a model, and opens it. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const filled = fields.flatMap((field) => {
    const value = textOf(form, field).trim();
    return value === '' ? [] : [[field, value]];
  });
  const body = Object.fromEntries(filled) as RegisterModel;
  const { result, failure } = await tryApi(args, ({ api }) => unwrapData(api.POST('/v1/registry/models', { body })));
  if (result) throw redirectTo(`/learning/models/${result.name}`);
  return data({ failure }, { status: 400 });
}

export default function NewModel() {
  const failure = useActionData<typeof action>()?.failure;
  const isBusy = useNavigation().state !== 'idle';
  const form = useRef<HTMLFormElement>(null);
  useInvalidFocus(form, failure);
  const errorOf = (field: string) => failure?.fields?.find(({ pointer }) => pointer === `/${field}`)?.detail;
  const text = (name: string, label: string, hint?: string) => (
    <Field label={label} hint={hint} error={errorOf(name)}>
      {(controlProps) => <Input {...controlProps} name={name} autoComplete="off" />}
    </Field>
  );
  return (
    <>
      <PageHeader
        breadcrumbs={[{ label: 'Models', href: '/learning/models' }, { label: 'Register model' }]}
        title="Register model"
      />
      <Form ref={form} method="post" className="grid max-w-4xl gap-3">
        {failure && (
          <Notice tone="bad">
            {failure.fields?.length ? 'The model was not registered. Correct the marked fields.' : failure.message}
          </Notice>
        )}
        <Card title="Model">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            {text('name', 'Name', 'Lowercase letters, digits and hyphens, e.g. rope-v2.')}
            {text('model', 'Model', 'As endpoint/model, e.g. vllm/rope-v2.')}
            {text('base', 'Base model', 'It answers when the model is unavailable. Blank: the models of the project.')}
            {text('description', 'Description')}
            {modelScopes.map(({ name, label, options }) => (
              <Field key={name} label={label} error={errorOf(name)}>
                {(controlProps) => (
                  <Select {...controlProps} name={name}>
                    <option value="">All</option>
                    {options.map((option) => (
                      <option key={option}>{option}</option>
                    ))}
                  </Select>
                )}
              </Field>
            ))}
          </div>
        </Card>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" disabled={isBusy}>
            Register model
          </Button>
          <Link to="/learning/models" className={buttonClass()}>
            Cancel
          </Link>
        </div>
      </Form>
    </>
  );
}
