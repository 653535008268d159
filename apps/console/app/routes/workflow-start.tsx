import { dataOf, type Client } from '@pilothouse/client';
import { PilothouseError, type Json, type WorkflowInput } from '@pilothouse/contract';
import { Button, buttonClass, Card, Field, Input, Notice, Select, TextArea } from '@pilothouse/ui-kit';
import {
  data,
  Form,
  Link,
  redirect,
  useActionData,
  useNavigation,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { defaultText, inputValue } from '../lib/workflow-inputs.ts';
import { PageHead } from '../ui/page-head.tsx';

export const meta = () => [{ title: 'Start · Pilothouse' }];

const read = ({ api }: Client, { request, params }: Pick<LoaderFunctionArgs, 'request' | 'params'>) => {
  const version = Number(new URL(request.url).searchParams.get('version')) || undefined;
  return dataOf(
    api.GET('/v1/workflows/{workflow}', { params: { path: { workflow: params.workflow ?? '' }, query: { version } } }),
  );
};

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async (client) => {
    const { name, version, definition } = await read(client, asked);
    return { name, version, inputs: (definition.inputs ?? {}) as Record<string, WorkflowInput> };
  });

/** Values of the inputs that were given; a file is sent first. @throws PilothouseError naming the input that is wrong */
async function valuesOf(
  client: Client,
  inputs: Record<string, WorkflowInput>,
  form: FormData,
): Promise<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const given = form.get(`input.${name}`);
    if (given instanceof File) {
      if (given.size > 0) {
        const { id } = await client.upload({ name: given.name, contentType: given.type || undefined, content: given });
        values[name] = id;
      }
    } else if (given !== null && (given !== '' || (input.type === 'string' && input.default !== undefined))) {
      try {
        values[name] = inputValue(input, given);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        throw new PilothouseError('VALIDATION_FAILED', detail, { fields: [{ pointer: `/inputs/${name}`, detail }] });
      }
    }
  }
  return values;
}

export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const { done, failure } = await tryApi(asked, async (client) => {
    const { name, version, definition } = await read(client, asked);
    const inputs = await valuesOf(client, (definition.inputs ?? {}) as Record<string, WorkflowInput>, form);
    const screenshots = textOf(form, 'screenshots') as 'none' | 'failure' | 'steps' | 'around';
    const video = textOf(form, 'video') as 'none' | 'small' | 'full';
    const body = { version, inputs, record: { screenshots, ...(video !== 'none' && { video }) } };
    return dataOf(
      client.api.POST('/v1/workflows/{workflow}/runs', { params: { path: { workflow: name } }, body: body as never }),
    );
  });
  if (done) throw redirect(`/runs/${done.id}`);
  return data({ failure }, { status: 400 });
}

export default function StartWorkflow({
  loaderData: { name, version, inputs },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const failure = useActionData<typeof action>()?.failure;
  const busy = useNavigation().state !== 'idle';
  const wrong = (input: string) => failure?.fields?.find(({ pointer }) => pointer === `/inputs/${input}`)?.detail;
  const elsewhere = failure && !Object.keys(inputs).some(wrong);
  return (
    <>
      <PageHead title={`Start ${name}`}>
        <span className="text-sm text-muted">v{version}</span>
      </PageHead>
      <Card className="max-w-2xl">
        <Form method="post" encType="multipart/form-data" className="grid gap-4">
          {elsewhere && <Notice tone="bad">{failure.message}</Notice>}
          {Object.entries(inputs).map(([input, schema]) => (
            <InputField key={input} name={input} schema={schema} error={wrong(input)} />
          ))}
          {Object.keys(inputs).length === 0 && <p className="text-sm text-muted">This workflow takes no inputs.</p>}
          <div className="grid gap-4 md:grid-cols-2">
            <Field label="Screenshots">
              {(given) => (
                <Select {...given} name="screenshots" defaultValue="failure">
                  <option value="none">None</option>
                  <option value="failure">When a step fails</option>
                  <option value="steps">After each step</option>
                  <option value="around">Before and after each step</option>
                </Select>
              )}
            </Field>
            <Field label="Video">
              {(given) => (
                <Select {...given} name="video" defaultValue="none">
                  <option value="none">None</option>
                  <option value="small">Small</option>
                  <option value="full">Full size</option>
                </Select>
              )}
            </Field>
          </div>
          <div className="flex gap-2">
            <Button type="submit" look="primary" disabled={busy}>
              {busy ? 'Starting…' : 'Start'}
            </Button>
            <Link to={`/workflows/${name}`} className={buttonClass()}>
              Leave
            </Link>
          </div>
        </Form>
      </Card>
    </>
  );
}

function InputField({ name, schema, error }: { name: string; schema: WorkflowInput; error: string | undefined }) {
  const required = schema.default === undefined && !schema.optional;
  const field = { name: `input.${name}`, required, defaultValue: defaultText(schema) };
  return (
    <Field label={`${schema.title ?? name}${required ? '' : ' (optional)'}`} hint={schema.description} error={error}>
      {(given) => {
        if (schema.enum) {
          return (
            <Select {...given} {...field}>
              {!required && <option value="" />}
              {schema.enum.map((value) => (
                <option key={String(value)}>{String(value)}</option>
              ))}
            </Select>
          );
        }
        if (schema.type === 'boolean') {
          return (
            <Select {...given} {...field}>
              {schema.optional && <option value="" />}
              <option value="false">No</option>
              <option value="true">Yes</option>
            </Select>
          );
        }
        if (schema.type === 'file')
          return <Input {...given} name={field.name} required={required} type="file" className="py-1" />;
        if (schema.type === 'array' || schema.type === 'object')
          return <TextArea {...given} {...field} rows={3} className="font-mono" />;
        const type = schema.secret ? 'password' : schema.type === 'string' ? 'text' : 'number';
        return (
          <Input
            {...given}
            {...field}
            type={type}
            step={schema.type === 'number' ? 'any' : undefined}
            autoComplete="off"
          />
        );
      }}
    </Field>
  );
}
