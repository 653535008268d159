import { dataOf } from '@pilothouse/client';
import { Button, buttonClass } from '@pilothouse/ui-kit';
import {
  data,
  Form,
  Link,
  redirect,
  useActionData,
  useNavigation,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { refusedOf, updateWorkflow } from '../lib/workflows.server.ts';
import { yamlOf } from '../lib/yaml.server.ts';
import { PageHead } from '../ui/page-head.tsx';
import { YamlEditor } from '../ui/yaml-editor.tsx';

export const meta = () => [{ title: 'Edit · Pilothouse' }];

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async ({ api }) => {
    const version = Number(new URL(asked.request.url).searchParams.get('version')) || undefined;
    const params = { path: { workflow: asked.params.workflow ?? '' }, query: { version } };
    const {
      name,
      version: shown,
      latestVersion,
      definition,
    } = await dataOf(api.GET('/v1/workflows/{workflow}', { params }));
    return { name, version: shown, latestVersion, yaml: yamlOf(definition) };
  });

export async function action(asked: ActionFunctionArgs) {
  const workflow = asked.params.workflow ?? '';
  const text = textOf(await asked.request.formData(), 'text');
  let version = 0;
  const { done, failure } = await tryApi(asked, (client) =>
    refusedOf(async () => {
      ({ version } = await updateWorkflow(client, workflow, text));
    }),
  );
  if (version) throw redirect(`/workflows/${workflow}?version=${version}`);
  return data({ refused: done ?? [{ line: 1, column: 1, detail: failure?.message ?? '' }] }, { status: 400 });
}

/** A new version begins with an old one; versions never change. */
export default function EditWorkflow({
  loaderData: { name, version, latestVersion, yaml },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const refused = useActionData<typeof action>()?.refused;
  const busy = useNavigation().state !== 'idle';
  return (
    <Form method="post">
      <PageHead
        title={name}
        actions={
          <>
            <Link to={`/workflows/${name}`} className={buttonClass()}>
              Leave
            </Link>
            <Button type="submit" look="primary" disabled={busy}>
              Save as v{latestVersion + 1}
            </Button>
          </>
        }
      >
        <span className="text-sm text-muted">from v{version}; comments of a file are not kept</span>
      </PageHead>
      <YamlEditor key={`${name} ${version}`} name="text" initial={yaml} refused={refused} />
    </Form>
  );
}
