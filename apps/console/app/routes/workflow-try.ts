import { unwrapData } from '@pilothouse/client';
import { parseWorkflow } from '@pilothouse/core';
import type { WorkflowInput } from '@pilothouse/contract';
import type { ActionFunctionArgs } from 'react-router';
import { tryApi } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { readRun } from '../lib/run.server.ts';
import { valuesOf } from '../lib/workflow-inputs.server.ts';
import type { TriedWorkflow } from '../ui/graph/tried.ts';

/** Runs what somebody writes, as it stands in the editor: nothing of it is kept but the run. */
export async function action(asked: ActionFunctionArgs): Promise<TriedWorkflow> {
  const form = await asked.request.formData();
  const { done, failure } = await tryApi(asked, async (client) => {
    const definition = parseWorkflow(textOf(form, 'text'));
    const inputs = await valuesOf(client, (definition.inputs ?? {}) as Record<string, WorkflowInput>, form);
    const { id } = await unwrapData(client.api.POST('/v1/runs', { body: { definition, inputs } as never }));
    return (await readRun(client, id)).story;
  });
  return { story: done, failure };
}
