import { unwrapData } from '@pilothouse/client';
import { roleSchema } from '@pilothouse/contract';
import { Badge, Button, Card, Cell, Field, Input, Notice, Select, Table } from '@pilothouse/ui-kit';
import {
  Form,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { intentOf, choiceOf } from '../api/intent.server.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { ReadOnlyValue } from '../shared/read-only-value.tsx';
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
      role: choiceOf(form, 'role', roleSchema.options),
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
        <ReadOnlyValue label="The new key. It is shown now and never again" value={answer.createdKey} />
      )}
      <Card title="New key">
        <Form method="post" className="flex flex-wrap items-end gap-3">
          <Field label="Who or what uses it" className="min-w-48 flex-1">
            {(controlProps) => <Input {...controlProps} name="name" required maxLength={100} />}
          </Field>
          <Field label="Role">
            {(controlProps) => (
              <Select {...controlProps} name="role" defaultValue="operator">
                <option value="viewer">viewer: reads</option>
                <option value="operator">operator: runs</option>
                <option value="admin">admin: all</option>
              </Select>
            )}
          </Field>
          <Field label="Expires">
            {(controlProps) => (
              <Select {...controlProps} name="days" defaultValue="">
                <option value="">Never</option>
                <option value="7">In a week</option>
                <option value="90">In 90 days</option>
                <option value="365">In a year</option>
              </Select>
            )}
          </Field>
          <Button type="submit" name="intent" value="create-key" variant="primary" disabled={busy}>
            Make it
          </Button>
        </Form>
      </Card>
      <Card flush>
        <Table label="API keys" head={['Name', 'Role', 'Begins with', 'Made', 'Last used', 'Expires', '']}>
          {keys.map(({ id, name, role, prefix, createdAt, lastUsedAt, expiresAt, revokedAt }) => (
            <tr key={id}>
              <Cell className="font-medium">{name}</Cell>
              <Cell>{role}</Cell>
              <Cell className="font-mono text-xs text-muted">{prefix}…</Cell>
              <Cell className="text-muted">
                <TimeAgo at={createdAt} />
              </Cell>
              <Cell className="text-muted">{lastUsedAt ? <TimeAgo at={lastUsedAt} /> : 'never'}</Cell>
              <Cell className="text-muted">{expiresAt ? <RemainingTime at={expiresAt} /> : 'never'}</Cell>
              <Cell className="text-right">
                {revokedAt ? (
                  <Badge>Revoked</Badge>
                ) : (
                  <ConfirmButton
                    disabled={busy}
                    aria-label={`Revoke ${name}`}
                    confirmation={{
                      title: `Revoke key ${name}?`,
                      text: 'Requests with this key fail from now on. A revoked key cannot be restored.',
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
      </Card>
    </div>
  );
}
