import { unwrapData } from '@pilothouse/client';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { exportRecording } from '@pilothouse/core/import-export/chrome-recorder';
import { exportPlaywright } from '@pilothouse/core/import-export/playwright-test';
import { data, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { sourceTextOf } from './workflow-yaml.server.ts';

type Version = Parameters<typeof sourceTextOf>[0];

/** The definition with all defaults. */
const fullDefinition = ({ definition }: Version) => workflowDefinitionSchema.parse(definition);

/** Export formats. */
const formats: Readonly<Record<string, { extension: string; type: string; write: (version: Version) => string }>> = {
  yaml: { extension: 'yaml', type: 'application/yaml', write: sourceTextOf },
  recording: {
    extension: 'json',
    type: 'application/json',
    write: (version) => `${JSON.stringify(exportRecording(fullDefinition(version)).recording, null, 2)}\n`,
  },
  playwright: {
    extension: 'spec.ts',
    type: 'text/plain',
    write(version) {
      const { source, problems } = exportPlaywright(fullDefinition(version));
      // An incomplete test would pass for the wrong reason.
      if (problems.length === 0) return source;
      const message = problems.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('\n');
      throw data({ code: 'VALIDATION_FAILED', message }, { status: 422 });
    },
  },
};

/** Exports a workflow as YAML, Chrome DevTools recording or Playwright test. */
export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const search = new URL(args.request.url).searchParams;
    const format = formats[search.get('as') ?? 'yaml'];
    if (!format) throw data({ code: 'NOT_FOUND', message: 'Unknown export format.' }, { status: 404 });
    const versionNumber = Number(search.get('version')) || undefined;
    const params = { path: { workflow: args.params.workflow ?? '' }, query: { version: versionNumber } };
    const { name, ...version } = await unwrapData(api.GET('/v1/workflows/{workflow}', { params }));
    const body = format.write(version);
    return new Response(body, {
      headers: {
        'content-type': `${format.type}; charset=utf-8`,
        'content-disposition': `attachment; filename="${name}.${format.extension}"`,
      },
    });
  });
