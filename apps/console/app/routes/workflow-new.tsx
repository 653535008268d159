import { Button } from '@pilothouse/ui-kit';
import { data, Form, redirect, useActionData, useNavigation, type ActionFunctionArgs } from 'react-router';
import { tryApi } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { createWorkflow, refusedOf } from '../lib/workflows.server.ts';
import { PageHead } from '../ui/page-head.tsx';
import { YamlEditor } from '../ui/yaml-editor.tsx';

export const meta = () => [{ title: 'New workflow · Pilothouse' }];

const example = `name: my-workflow
title: What it is for
inputs:
  url: { type: string, format: uri, default: https://example.com }
steps:
  - action: navigate
    url: '{{inputs.url}}'
  - id: heading
    action: extract
    target: { css: h1 }
    value: {}
output:
  heading: '{{steps.heading.value}}'
`;

export async function action(asked: ActionFunctionArgs) {
  const text = textOf(await asked.request.formData(), 'text');
  let name = '';
  const { done, failure } = await tryApi(asked, (client) =>
    refusedOf(async () => {
      name = (await createWorkflow(client, text)).name;
    }),
  );
  if (name) throw redirect(`/workflows/${name}`);
  return data({ refused: done ?? [{ line: 1, column: 1, detail: failure?.message ?? '' }] }, { status: 400 });
}

export default function NewWorkflow() {
  const refused = useActionData<typeof action>()?.refused;
  const busy = useNavigation().state !== 'idle';
  return (
    <Form method="post">
      <PageHead
        title="New workflow"
        actions={
          <Button type="submit" look="primary" disabled={busy}>
            Create
          </Button>
        }
      />
      <YamlEditor name="text" initial={example} refused={refused} />
    </Form>
  );
}
