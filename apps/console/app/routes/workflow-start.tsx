import { dataOf, type Client } from '@pilothouse/client';
import type { WorkflowInput } from '@pilothouse/contract';
import { Button, buttonClass, Card, Notice } from '@pilothouse/ui-kit';
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
import { recordOf } from '../lib/record.ts';
import { valuesOf } from '../lib/workflow-inputs.server.ts';
import { InputField } from '../ui/input-field.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { RecordFields } from '../ui/record-fields.tsx';

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

export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const { done, failure } = await tryApi(asked, async (client) => {
    const { name, version, definition } = await read(client, asked);
    const inputs = await valuesOf(client, (definition.inputs ?? {}) as Record<string, WorkflowInput>, form);
    const body = { version, inputs, record: recordOf(form) };
    return dataOf(client.api.POST('/v1/workflows/{workflow}/runs', { params: { path: { workflow: name } }, body }));
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
          <RecordFields />
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
