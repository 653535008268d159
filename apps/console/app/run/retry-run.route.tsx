import { unwrapData, type Client } from '@pilothouse/client';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { Field, Select } from '@pilothouse/ui-kit';
import { data, useActionData, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { requireRole, tryApi, withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { captureOf, changedValuesOf } from '../workflows/run-form.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { runTitle } from '../runs/run-row.ts';
import { RunForm } from '../workflows/run-form.tsx';
import { runBreadcrumbs } from '../page/breadcrumbs.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { ShortId } from '../shared/copyable-values.tsx';

export const meta = ({ loaderData }: { loaderData?: Awaited<ReturnType<typeof loader>> }) => [
  { title: `Retry ${loaderData?.name ?? 'run'} · Pilothouse` },
];

async function readRunWithInputs({ api }: Client, id = '') {
  const params = { path: { run: id } };
  const [run, definition] = await Promise.all([
    unwrapData(api.GET('/v1/runs/{run}', { params })),
    unwrapData(api.GET('/v1/runs/{run}/definition', { params })),
  ]);
  return { run, inputs: (definition.inputs ?? {}) as Record<string, WorkflowInput> };
}

export async function loader(args: LoaderFunctionArgs) {
  await requireRole(args, 'operator');
  return withApi(args, async (client) => {
    const [{ run, inputs }, fleets] = await Promise.all([
      readRunWithInputs(client, args.params.run),
      unwrapData(client.api.GET('/v1/fleets')),
    ]);
    const { id, surface, fleet, inputs: previous, capture } = run;
    const fleetNames = fleets.items.filter((candidate) => candidate.surface === surface).map(({ name }) => name);
    return { id, workflow: run.workflow, name: runTitle(run), inputs, previous, capture, fleet, fleets: fleetNames };
  });
}

/** Submits a run like the original, with the changes of the form. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const { result, failure } = await tryApi(args, async (client) => {
    const { run, inputs } = await readRunWithInputs(client, args.params.run);
    const values = await changedValuesOf(client, inputs, form);
    const fleet = textOf(form, 'fleet');
    const body = {
      capture: captureOf(form, run.capture),
      ...(Object.keys(values).length > 0 && { inputs: values }),
      ...(fleet !== run.fleet && { fleet }),
    };
    return unwrapData(client.api.POST('/v1/runs/{run}/retry', { params: { path: { run: run.id } }, body }));
  });
  if (result) throw redirectTo(`/runs/${result.id}`);
  return data({ failure }, { status: 400 });
}

export default function RetryRun({
  loaderData: { id, workflow, name, inputs, previous, capture, fleet, fleets },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const failure = useActionData<typeof action>()?.failure;
  return (
    <>
      <PageHeader
        breadcrumbs={runBreadcrumbs({ id, workflow }, 'Retry with changes')}
        title={`Retry ${name} with changes`}
      >
        <ShortId id={id} />
      </PageHeader>
      <RunForm
        inputs={inputs}
        previous={previous}
        capture={capture}
        failure={failure}
        submitLabel="Start run"
        cancelTo={`/runs/${id}`}
      >
        <Field label="Fleet">
          {(controlProps) => (
            <Select {...controlProps} name="fleet" defaultValue={fleet}>
              {fleets.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
      </RunForm>
    </>
  );
}
