import { unwrapData } from '@pilothouse/client';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import type { ActionFunctionArgs } from 'react-router';
import { tryApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { readRun } from '../run/run.loader.server.ts';
import { valuesOf } from '../workflows/run-form.server.ts';
import type { TestRunResult } from './test-run-form.tsx';

/** Starts a run of the edited workflow without storing the workflow. */
export async function action(args: ActionFunctionArgs): Promise<TestRunResult> {
  const form = await args.request.formData();
  const { result, failure } = await tryApi(args, async (client) => {
    const definition = parseWorkflow(textOf(form, 'text'));
    const inputs = await valuesOf(client, (definition.inputs ?? {}) as Record<string, WorkflowInput>, form);
    const { id } = await unwrapData(client.api.POST('/v1/runs', { body: { definition, inputs } as never }));
    return (await readRun(client, id)).state;
  });
  return { state: result, failure };
}
