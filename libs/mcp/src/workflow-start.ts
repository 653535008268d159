import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunWorkflowArguments } from '@pilothouse/contract/mcp/mcp-tools.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { startRun } from './run-start.ts';
import type { StartedRun } from './tool.ts';

const isSecretName = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['secret'] === 'string';

/** @throws PilothouseError VALIDATION_FAILED for a secret input whose value is not the name of a project secret */
function requireSecretNames(
  { inputs }: Pick<WorkflowDefinition, 'inputs'>,
  values: Readonly<Record<string, Json>>,
): void {
  const fields = Object.entries(inputs)
    .filter(([name, { secret }]) => secret && name in values && !isSecretName(values[name]))
    .map(([name]) => ({
      pointer: `/inputs/${name}`,
      detail: 'Give the name of a secret of the project, e.g. `{ "secret": "portal-password" }`, not its value',
    }));
  if (fields.length > 0) {
    const detail = 'A model must not see a secret: an input contains its value';
    throw new PilothouseError('VALIDATION_FAILED', detail, { fields });
  }
}

/**
 * Starts a workflow with the rights of the client. Values of secrets are refused: the conversation of an agent stores its arguments.
 * @throws the errors of the API
 */
export async function startWorkflow(
  client: Client,
  { workflow, version, inputs, idempotencyKey, waitSeconds, maxUsd, ...settings }: RunWorkflowArguments,
  signal: AbortSignal,
): Promise<StartedRun> {
  const path = { workflow };
  const { publishedVersion } = await unwrapData(
    client.api.GET('/v1/workflows/{workflow}', { params: { path }, signal }),
  );
  const query = { version: version ?? publishedVersion ?? undefined };
  const { definition } = await unwrapData(
    client.api.GET('/v1/workflows/{workflow}', { params: { path, query }, signal }),
  );
  requireSecretNames(definition, inputs);
  // The inputs were checked for this version: a version that is published meanwhile may have another secret input.
  const body = { ...query, inputs, ...settings, ...(maxUsd !== undefined && { budget: { usd: maxUsd } }) };
  const run = await startRun(
    (header) => client.api.POST('/v1/workflows/{workflow}/runs', { params: { path, header }, body, signal }),
    idempotencyKey,
  );
  return { run, waitSeconds };
}
