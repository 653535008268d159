import { unwrapData, type Client } from '@pilothouse/client';
import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { surfaceKindSchema } from '@pilothouse/contract/primitives.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { data, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { tryApi } from '../../api/api-client.server.ts';
import { textOf, assertNever, choiceOf, intentOf } from '../../api/form-fields.server.ts';
import { redirectTo } from '../../api/redirect.ts';
import { failureOfProblem } from '../../shared/form-problem.ts';
import { captureOf, valuesOf } from '../../workflows/run-form.server.ts';
import { readVersion } from '../../workflows/workflow-files.server.ts';
import { goalBudgetOf, outputSchemaOf, SCHEMA_FIELD } from './goal-form.ts';

/** Fleets that a new run can use. */
export const loader = (args: LoaderFunctionArgs) =>
  tryApi(args, async ({ api }) => {
    const { items } = await unwrapData(api.GET('/v1/fleets'));
    return items.map(({ name, surface }) => ({ name, surface }));
  });

/** Starts a run of a workflow or a goal, and opens its page. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['workflow', 'goal']);
  let goalOptions;
  try {
    goalOptions = intent === 'goal' ? goalOptionsOf(form) : {};
  } catch (error) {
    return data({ failure: failureOfProblem(error) }, { status: 400 });
  }
  const { result, failure } = await tryApi(args, (client) => {
    switch (intent) {
      case 'workflow':
        return runWorkflow(client, form);
      case 'goal':
        return runGoal(client, form, goalOptions);
      default:
        return assertNever(intent);
    }
  });
  if (result) throw redirectTo(`/runs/${result.id}`);
  return data({ failure }, { status: 400 });
}

/** Options that runs of workflows and of goals share. */
const commonOptions = (form: FormData) => {
  const fleet = textOf(form, 'fleet');
  return { ...(fleet && { fleet }), capture: captureOf(form) };
};

async function runWorkflow(client: Client, form: FormData) {
  const { name, version, definition } = await readVersion(client, textOf(form, 'workflow'), undefined);
  const inputs = await valuesOf(client, (definition.inputs ?? {}) as Record<string, WorkflowInput>, form);
  const body = { version, inputs, ...commonOptions(form) };
  return unwrapData(client.api.POST('/v1/workflows/{workflow}/runs', { params: { path: { workflow: name } }, body }));
}

/** Budget and output schema of a goal. @throws FormProblem */
function goalOptionsOf(form: FormData) {
  const budget = goalBudgetOf((field) => textOf(form, field));
  const outputSchema = outputSchemaOf(textOf(form, SCHEMA_FIELD));
  return { ...(budget && { budget }), ...(outputSchema && { outputSchema }) };
}

function runGoal({ api }: Client, form: FormData, options: object) {
  const surface = choiceOf(form, 'surface', surfaceKindSchema.options);
  const url = textOf(form, 'url').trim();
  const apps = textOf(form, 'apps')
    .split(/[\s,]+/)
    .filter(Boolean);
  const start = surfaceSupport[surface].goalStart === 'url' ? url && { url } : apps.length > 0 && { apps };
  const body = { goal: textOf(form, 'goal').trim(), surface, ...(start || {}), ...options, ...commonOptions(form) };
  return unwrapData(api.POST('/v1/runs', { body: body as never }));
}
