import { unwrapData, type Client } from '@pilothouse/client';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { data, useActionData, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { requireRole, tryApi, withApi } from '../api/api-client.server.ts';
import { captureOf, valuesOf } from './run-form.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { readVersion, versionOf } from './workflow-files.server.ts';
import { RunForm } from './run-form.tsx';
import { workflowBreadcrumbs } from '../page/breadcrumbs.tsx';
import { PageHeader } from '../page/page-header.tsx';

export const meta = ({ params }: { params: { workflow?: string } }) => [
  { title: `Run ${params.workflow} · Pilothouse` },
];

const loadWorkflow = (client: Client, { request, params }: Pick<LoaderFunctionArgs, 'request' | 'params'>) =>
  readVersion(client, params.workflow ?? '', versionOf(request));

export async function loader(args: LoaderFunctionArgs) {
  await requireRole(args, 'operator');
  return withApi(args, async (client) => {
    const { name, version, definition } = await loadWorkflow(client, args);
    return { name, version, inputs: (definition.inputs ?? {}) as Record<string, WorkflowInput> };
  });
}

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const { result, failure } = await tryApi(args, async (client) => {
    const { name, version, definition } = await loadWorkflow(client, args);
    const inputs = await valuesOf(client, (definition.inputs ?? {}) as Record<string, WorkflowInput>, form);
    const body = { version, inputs, capture: captureOf(form) };
    return unwrapData(client.api.POST('/v1/workflows/{workflow}/runs', { params: { path: { workflow: name } }, body }));
  });
  if (result) throw redirectTo(`/runs/${result.id}`);
  return data({ failure }, { status: 400 });
}

export default function RunWorkflow({
  loaderData: { name, version, inputs },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const failure = useActionData<typeof action>()?.failure;
  return (
    <>
      <PageHeader breadcrumbs={workflowBreadcrumbs('Run', name)} title={`Run ${name}`}>
        <span className="text-sm text-muted">v{version}</span>
      </PageHeader>
      <RunForm inputs={inputs} failure={failure} submitLabel="Start run" cancelTo={`/workflows/${name}`} />
    </>
  );
}
