import { Button, buttonClass, Notice } from '@pilothouse/ui-kit';
import {
  data,
  Form,
  Link,
  useActionData,
  useNavigation,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { requireRole, tryApi, withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { actionForms } from './form/action-forms.server.ts';
import {
  readVersion,
  submitProblemsOf,
  updateWorkflow,
  versionOf,
  fileProblem,
} from '../workflows/workflow-files.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { sourceTextOf, yamlOf } from '../workflows/workflow-yaml.server.ts';
import { workflowBreadcrumbs } from '../page/breadcrumbs.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { replaceTarget } from '../workflow-document/replace-target.ts';
import { WorkflowEditor } from './workflow-editor.tsx';

export const meta = ({ params }: { params: { workflow?: string } }) => [
  { title: `Edit ${params.workflow} · Pilothouse` },
];

export async function loader(args: LoaderFunctionArgs) {
  await requireRole(args, 'operator');
  return withApi(args, async (client) => {
    const id = args.params.workflow ?? '';
    const workflow = await readVersion(client, id, versionOf(args.request));
    const { name, latestVersion, publishedVersion, source } = workflow;
    const published = publishedVersion === null ? undefined : await readVersion(client, id, publishedVersion);
    const yaml = sourceTextOf(workflow);
    const search = new URL(args.request.url).searchParams;
    const [runStep, role, controlName] = ['step', 'role', 'name'].map((field) => search.get(field) ?? '');
    const control = runStep && role && controlName ? { role, name: controlName } : undefined;
    return {
      name,
      version: workflow.version,
      latestVersion,
      yaml,
      replacement: control && { ...control, step: runStep, text: replaceTarget(yaml, runStep ?? '', control) },
      published: published && {
        version: published.version,
        yaml: source === null ? yamlOf(published.definition) : sourceTextOf(published),
      },
      forms: actionForms(),
    };
  });
}

export async function action(args: ActionFunctionArgs) {
  const workflow = args.params.workflow ?? '';
  const text = textOf(await args.request.formData(), 'text');
  let version = 0;
  const { result, failure } = await tryApi(args, (client) =>
    submitProblemsOf(async () => {
      ({ version } = await updateWorkflow(client, workflow, text));
    }),
  );
  if (version) throw redirectTo(`/workflows/${workflow}?version=${version}`);
  return data({ serverProblems: result ?? [fileProblem(failure?.message ?? '')] }, { status: 400 });
}

/** Edits a version. Saving creates a new version, because versions are immutable. */
export default function EditWorkflow({
  loaderData: { name, version, latestVersion, yaml, replacement, published, forms },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const serverProblems = useActionData<typeof action>()?.serverProblems;
  const busy = useNavigation().state !== 'idle';
  return (
    <>
      <PageHeader
        breadcrumbs={workflowBreadcrumbs('Edit', name)}
        title={`Edit ${name}`}
        actions={
          <Form method="post" id="save" className="flex gap-2">
            <Link to={`/workflows/${name}`} className={buttonClass()}>
              Cancel
            </Link>
            <Button type="submit" variant="primary" disabled={busy}>
              Save draft (v{latestVersion + 1})
            </Button>
          </Form>
        }
      >
        <span className="text-sm text-muted">
          Based on v{version}
          {version !== latestVersion && (
            <>
              . The latest is v{latestVersion}:{' '}
              <Link to={`?version=${latestVersion}`} className="underline">
                edit v{latestVersion}
              </Link>
            </>
          )}
        </span>
      </PageHeader>
      {replacement && (
        <div className="mb-3">
          {replacement.text === null ? (
            <Notice tone="bad">
              Step {replacement.step} of this version has no target to replace. Select the step that uses{' '}
              {replacement.role} “{replacement.name}”, and set its target.
            </Notice>
          ) : (
            <Notice>
              Step {replacement.step} uses {replacement.role} “{replacement.name}” in this draft. Test it, then save it.
            </Notice>
          )}
        </div>
      )}
      <WorkflowEditor
        key={`${name} ${version} ${replacement?.step} ${replacement?.name}`}
        form="save"
        initial={replacement?.text ?? yaml}
        savedText={yaml}
        forms={forms}
        serverProblems={serverProblems}
        published={published}
      />
    </>
  );
}
