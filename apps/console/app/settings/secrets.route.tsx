import { unwrapData, type Client } from '@pilothouse/client';
import { Card, Cell, Empty, Notice, Table } from '@pilothouse/ui-kit';
import {
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { intentOf, textOf } from '../api/form-fields.server.ts';
import { readPages } from '../api/read-pages.server.ts';
import { useRole } from '../page/use-role.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { failureOfProblem, FormProblem } from '../shared/form-problem.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import { NewSecretForm, ReplaceSecretButton } from './secret-forms.tsx';

const readSecrets = ({ api }: Pick<Client, 'api'>) =>
  readPages((query) => unwrapData(api.GET('/v1/secrets', { params: { query } })));
type Secret = Awaited<ReturnType<typeof readSecrets>>[number];

export const loader = (args: LoaderFunctionArgs) => withApi(args, readSecrets);

/** Creates, replaces or deletes a secret. A new one does not replace an existing one. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['create-secret', 'replace-secret', 'delete-secret']);
  const path = { secret: textOf(form, 'name').trim() };
  try {
    const { result, failure } = await tryApi(args, async (client) => {
      if (intent === 'delete-secret') {
        await unwrapData(client.api.DELETE('/v1/secrets/{secret}', { params: { path } }));
        return null;
      }
      if (intent === 'create-secret' && (await readSecrets(client)).some(({ name }) => name === path.secret))
        throw new FormProblem('name', `A secret ${path.secret} exists. Use Replace in its row, or another name.`);
      const description = textOf(form, 'description').trim();
      const body = {
        value: textOf(form, 'value'),
        ...((intent === 'create-secret' || description) && { description }),
      };
      return unwrapData(client.api.PUT('/v1/secrets/{secret}', { params: { path }, body }));
    });
    return { intent, saved: result ? { name: result.name, version: result.version } : null, failure };
  } catch (error) {
    return { intent, saved: null, failure: failureOfProblem(error) };
  }
}

export default function Secrets({ loaderData: secrets }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const answer = useActionData<typeof action>();
  const isAdmin = useRole() === 'admin';
  const failure = answer?.failure;
  const isNewSecret = answer?.intent === 'create-secret';
  const isFormFailure = isNewSecret && failure?.fields?.some(({ pointer }) => pointer !== '');
  return (
    <div className="grid gap-3">
      {failure && !isFormFailure && <Notice tone="bad">{failure.message}</Notice>}
      {answer?.saved && (
        <Notice tone="good">
          {answer.saved.version === 1 ? 'Created' : 'Replaced the value of'} {answer.saved.name}.
        </Notice>
      )}
      {isAdmin && <NewSecretForm failure={isNewSecret ? failure : undefined} saved={answer?.saved ?? null} />}
      <Card flush>
        {secrets.length === 0 ? (
          <Empty title="No secrets">
            Runs type a secret by its name, and its value is never shown.{' '}
            {isAdmin ? 'Create one above, then select it' : 'Ask an admin to create one, then select it'} for a secret
            input when you start a run.
          </Empty>
        ) : (
          <Table label="Secrets" head={['Name', 'Description', 'Used by', 'Value changed', 'Last used', '']}>
            {secrets.map((secret) => (
              <SecretRow key={secret.name} secret={secret} isAdmin={isAdmin} />
            ))}
          </Table>
        )}
      </Card>
    </div>
  );
}

function SecretRow({ secret, isAdmin }: { secret: Secret; isAdmin: boolean }) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const { name, description, workflows, version, updatedAt, updatedBy, lastUsedAt } = secret;
  return (
    <tr>
      <Cell className="min-w-36 font-medium wrap-anywhere">{name}</Cell>
      <Cell className="text-muted wrap-anywhere">{description || '—'}</Cell>
      <Cell className="text-muted wrap-anywhere">{workflows.join(', ') || '—'}</Cell>
      <Cell className="text-muted">
        <TimeAgo time={updatedAt} /> by {updatedBy?.name ?? 'Pilothouse'}, v{version}
      </Cell>
      <Cell className="whitespace-nowrap text-muted">{lastUsedAt ? <TimeAgo time={lastUsedAt} /> : 'Never'}</Cell>
      <Cell>
        {isAdmin && (
          <div className="flex justify-end gap-2">
            <ReplaceSecretButton name={name} />
            <ConfirmButton
              disabled={busy}
              aria-label={`Delete ${name}`}
              confirmation={{
                title: `Delete secret ${name}?`,
                text: deletionText(secret),
                verb: 'Delete secret',
                onConfirm: () => void submit({ intent: 'delete-secret', name }, { method: 'post' }),
              }}
            >
              Delete
            </ConfirmButton>
          </div>
        )}
      </Cell>
    </tr>
  );
}

/** Consequences of a deletion, with the known users of the secret. */
function deletionText({ openRuns, workflows }: Secret): string {
  const runs =
    openRuns === 0
      ? 'No open run uses it.'
      : `${openRuns} open ${openRuns === 1 ? 'run uses' : 'runs use'} it and will fail at the step that types it.`;
  const names = workflows.length === 0 ? '' : ` Recent runs of ${workflows.join(', ')} used it.`;
  return `${runs}${names} Its value cannot be restored.`;
}
