import { dataOf } from '@pilothouse/client';
import { workflowDefinitionSchema } from '@pilothouse/contract';
import { exportPlaywright, exportRecording } from '@pilothouse/core';
import { data, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../lib/api.server.ts';
import { yamlOf } from '../lib/yaml.server.ts';

type Definition = ReturnType<typeof workflowDefinitionSchema.parse>;

/** What a workflow can be taken out as: how its file is called, and what is in it. */
const forms: Readonly<Record<string, { ending: string; type: string; write: (definition: Definition) => string }>> = {
  yaml: { ending: 'yaml', type: 'application/yaml', write: (definition) => yamlOf(definition) },
  recording: {
    ending: 'json',
    type: 'application/json',
    write: (definition) => `${JSON.stringify(exportRecording(definition).recording, null, 2)}\n`,
  },
  playwright: {
    ending: 'spec.ts',
    type: 'text/plain',
    write(definition) {
      const { source, problems } = exportPlaywright(definition);
      // A test that leaves something out would pass for the wrong reason.
      if (problems.length === 0) return source;
      const message = problems.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('\n');
      throw data({ code: 'VALIDATION_FAILED', message }, { status: 422 });
    },
  },
};

/** A workflow as a file: YAML, a recording for Chrome DevTools, or a test of Playwright. */
export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async ({ api }) => {
    const search = new URL(asked.request.url).searchParams;
    const form = forms[search.get('as') ?? 'yaml'];
    if (!form) throw data({ code: 'NOT_FOUND', message: 'There is no such form.' }, { status: 404 });
    const version = Number(search.get('version')) || undefined;
    const params = { path: { workflow: asked.params.workflow ?? '' }, query: { version } };
    const { name, definition } = await dataOf(api.GET('/v1/workflows/{workflow}', { params }));
    // YAML is the definition as it was written; the others need what has a default, too.
    const body = form.ending === 'yaml' ? yamlOf(definition) : form.write(workflowDefinitionSchema.parse(definition));
    return new Response(body, {
      headers: {
        'content-type': `${form.type}; charset=utf-8`,
        'content-disposition': `attachment; filename="${name}.${form.ending}"`,
      },
    });
  });
