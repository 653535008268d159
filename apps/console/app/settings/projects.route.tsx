import { unwrapData } from '@pilothouse/client';
import { Badge, Button, Card, Cell, Field, Input, Notice, Table } from '@pilothouse/ui-kit';
import { Form, useActionData, useNavigation, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { identityOf } from '../../server/session-cookies.ts';
import { apiClientOf, tryApi, withApi } from '../api/api-client.server.ts';
import { intentOf, textOf } from '../api/form-fields.server.ts';
import { roleLabels } from '../shared/labels.ts';

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { project: selected, role } = await unwrapData(api.GET('/v1/me'));
    if (identityOf(args.request.headers.get('cookie')).cookie === undefined)
      return { selected: selected.id, projects: [{ ...selected, role }], isUser: false };
    const { projects } = await unwrapData(api.GET('/v1/sessions/current'));
    return { selected: selected.id, projects, isUser: true };
  });

/** Creates or renames a project. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['create-project', 'rename-project']);
  const name = textOf(form, 'name').trim();
  const { failure } = await tryApi<unknown>(args, ({ api }) => {
    if (intent === 'create-project') return api.POST('/v1/projects', { body: { slug: textOf(form, 'slug'), name } });
    // The API changes the project of the request, which may be another than the selected one.
    const identity = identityOf(args.request.headers.get('cookie'));
    const client = apiClientOf(args, {
      ...identity,
      ...(identity['cookie'] !== undefined && { 'pilothouse-project': textOf(form, 'id') }),
    });
    return client.api.PATCH('/v1/projects/current', { body: { name } });
  });
  const message = intent === 'create-project' ? `Project ${name} created.` : `Project renamed to ${name}.`;
  return { intent, name, message, failure };
}

export default function Projects({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { selected, projects, isUser } = loaderData;
  const answer = useActionData<typeof action>();
  const busy = useNavigation().state !== 'idle';
  const isRejectedCreation = answer?.intent === 'create-project' && answer.failure !== undefined;
  const hasFieldErrors = isRejectedCreation && (answer.failure?.fields?.length ?? 0) > 0;
  const errorOf = (pointer: string) =>
    isRejectedCreation ? answer.failure?.fields?.find((field) => field.pointer === pointer)?.detail : undefined;
  return (
    <div className="grid max-w-5xl gap-3">
      {answer && !answer.failure && <Notice tone="good">{answer.message}</Notice>}
      {answer?.failure && !hasFieldErrors && <Notice tone="bad">{answer.failure.message}</Notice>}
      <Card title="Projects" flush>
        <Table label="Projects" head={['Name', '', 'Identifier', 'Your role']}>
          {projects.map((project) => (
            <tr key={project.id}>
              <Cell className="min-w-60 py-1.5">
                {project.role === 'admin' ? <RenameForm project={project} busy={busy} /> : project.name}
              </Cell>
              <Cell>
                {project.id === selected ? (
                  <Badge tone="good">Selected</Badge>
                ) : (
                  <Form method="post" action="/switch-project">
                    <input type="hidden" name="project" value={project.id} />
                    <Button type="submit" disabled={busy} aria-label={`Switch to ${project.name}`}>
                      Switch
                    </Button>
                  </Form>
                )}
              </Cell>
              <Cell className="font-mono text-xs text-muted">{project.slug}</Cell>
              <Cell>{roleLabels[project.role]}</Cell>
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Create project">
        {isUser ? (
          // A new project resets the form.
          <Form
            key={answer?.intent === 'create-project' && !answer.failure ? answer.name : ''}
            method="post"
            className="flex flex-wrap items-start gap-3"
          >
            <Field label="Name" hint="Shown in the console" className="min-w-48 flex-1" error={errorOf('/name')}>
              {(controlProps) => <Input {...controlProps} name="name" required maxLength={100} />}
            </Field>
            <Field
              label="Identifier"
              hint="Lower-case letters, digits and hyphens. It cannot be changed."
              className="min-w-48 flex-1"
              error={errorOf('/slug')}
            >
              {(controlProps) => (
                <Input
                  {...controlProps}
                  name="slug"
                  required
                  maxLength={63}
                  autoCapitalize="none"
                  className="font-mono"
                />
              )}
            </Field>
            <Button
              type="submit"
              name="intent"
              value="create-project"
              variant="primary"
              disabled={busy}
              className="max-md:w-full md:mt-6"
            >
              Create project
            </Button>
          </Form>
        ) : (
          <p className="text-sm text-muted">
            An API key belongs to one project. Sign in with an email address to create a project.
          </p>
        )}
        <p className="mt-3 text-sm text-muted">
          Workflows, runs, profiles, keys and members belong to one project. You become the admin of a project that you
          create.
        </p>
      </Card>
    </div>
  );
}

const RenameForm = ({ project: { id, name }, busy }: { project: { id: string; name: string }; busy: boolean }) => (
  <Form key={name} method="post" className="flex items-center gap-2">
    <input type="hidden" name="id" value={id} />
    <Input name="name" aria-label={`Name of ${name}`} defaultValue={name} required maxLength={100} />
    <Button type="submit" name="intent" value="rename-project" disabled={busy} aria-label={`Rename ${name}`}>
      Rename
    </Button>
  </Form>
);
