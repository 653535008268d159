import { unwrapData } from '@pilothouse/client';
import { roles } from '@pilothouse/contract/project/project-roles';
import { Badge, Button, Card, Cell, Empty, Field, Input, Notice, Select, Table } from '@pilothouse/ui-kit';
import {
  Form,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf, intentOf, choiceOf } from '../api/form-fields.server.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { roleLabels } from '../shared/labels.ts';
import { ReadOnlyValue } from '../shared/copyable-values.tsx';
import { TimeAgo, RemainingTime } from '../shared/relative-time.tsx';

const DAY_SECONDS = 86_400;

export const loader = (args: LoaderFunctionArgs) =>
  withApi(
    args,
    async ({ api }) => (await unwrapData(api.GET('/v1/api-keys', { params: { query: { limit: 200 } } }))).items,
  );

/** Creates or revokes a key. A new key is shown once. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['create-key', 'revoke-key']);
  const { result, failure } = await tryApi(args, async ({ api }) => {
    if (intent === 'revoke-key') {
      await api.DELETE('/v1/api-keys/{key}', { params: { path: { key: textOf(form, 'id') } } });
      return null;
    }
    const days = Number(textOf(form, 'days'));
    const body = {
      name: textOf(form, 'name'),
      role: choiceOf(form, 'role', roles),
      ...(days > 0 && { expiresIn: days * DAY_SECONDS }),
    };
    return unwrapData(api.POST('/v1/api-keys', { body }));
  });
  return { createdKey: result?.key, failure };
}

export default function Keys({ loaderData: keys }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const answer = useActionData<typeof action>();
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  return (
    <div className="grid gap-3">
      {answer?.failure && <Notice tone="bad">{answer.failure.message}</Notice>}
      {answer?.createdKey && (
        <ReadOnlyValue label="New API key. Copy it now; it is not shown again." value={answer.createdKey} />
      )}
      <Card title="Create API key">
        {/* A new key resets the form. */}
        <Form key={answer?.createdKey} method="post" className="flex flex-wrap items-end gap-3">
          <Field label="Name" className="min-w-48 flex-1">
            {(controlProps) => <Input {...controlProps} name="name" required maxLength={100} />}
          </Field>
          <Field label="Role">
            {(controlProps) => (
              <Select {...controlProps} name="role" defaultValue="operator">
                <option value="viewer">Viewer: read only</option>
                <option value="operator">Operator: start and control runs</option>
                <option value="admin">Admin: full access</option>
              </Select>
            )}
          </Field>
          <Field label="Expires">
            {(controlProps) => (
              <Select {...controlProps} name="days" defaultValue="">
                <option value="">Never</option>
                <option value="7">7 days</option>
                <option value="90">90 days</option>
                <option value="365">1 year</option>
              </Select>
            )}
          </Field>
          <Button type="submit" name="intent" value="create-key" variant="primary" disabled={busy}>
            Create key
          </Button>
        </Form>
      </Card>
      <Card flush>
        {keys.length === 0 ? (
          <Empty title="No API keys">Programs and the command line sign in with an API key.</Empty>
        ) : (
          <Table label="API keys" head={['Name', 'Role', 'Prefix', 'Created', 'Last used', 'Expires', '']}>
            {keys.map(({ id, name, role, prefix, createdAt, lastUsedAt, expiresAt, revokedAt }) => (
              <tr key={id}>
                <Cell className="min-w-36 py-1.5 font-medium wrap-anywhere">{name}</Cell>
                <Cell>{roleLabels[role]}</Cell>
                <Cell className="font-mono text-xs text-muted">{prefix}…</Cell>
                <Cell className="text-muted">
                  <TimeAgo time={createdAt} />
                </Cell>
                <Cell className="whitespace-nowrap text-muted">
                  {lastUsedAt ? <TimeAgo time={lastUsedAt} /> : 'Never used'}
                </Cell>
                <Cell className="whitespace-nowrap text-muted">
                  {expiresAt ? <RemainingTime time={expiresAt} /> : 'Never expires'}
                </Cell>
                <Cell className="text-right">
                  {revokedAt ? (
                    <Badge>Revoked</Badge>
                  ) : (
                    <ConfirmButton
                      disabled={busy}
                      aria-label={`Revoke ${name}`}
                      confirmation={{
                        title: `Revoke key ${name}?`,
                        text: 'Requests with this key fail immediately. A revoked key cannot be restored.',
                        verb: 'Revoke key',
                        onConfirm: () => void submit({ intent: 'revoke-key', id }, { method: 'post' }),
                      }}
                    >
                      Revoke
                    </ConfirmButton>
                  )}
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </div>
  );
}
