import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi } from '../../api/api-client.server.ts';
import { readVersion } from '../../workflows/workflow-files.server.ts';

/** Version, surface and inputs of the workflow that a new run would use. */
export const loader = (args: LoaderFunctionArgs) =>
  tryApi(args, async (client) => {
    const { name, version, published, surface, definition } = await readVersion(
      client,
      args.params.workflow ?? '',
      undefined,
    );
    return { name, version, published, surface, inputs: (definition.inputs ?? {}) as Record<string, WorkflowInput> };
  });
