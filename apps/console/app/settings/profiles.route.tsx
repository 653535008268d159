import { unwrapData } from '@pilothouse/client';
import { Card, Cell, Empty, Notice, Table } from '@pilothouse/ui-kit';
import {
  Link,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { shortId, size } from '../shared/number-format.ts';
import { textOf, intentOf } from '../api/form-fields.server.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';
import { useRole } from '../page/use-role.ts';

export const loader = (args: LoaderFunctionArgs) =>
  withApi(
    args,
    async ({ api }) => (await unwrapData(api.GET('/v1/profiles', { params: { query: { limit: 200 } } }))).items,
  );

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  intentOf(form, ['delete-profile']);
  const profile = textOf(form, 'profile');
  const { failure } = await tryApi(args, ({ api }) =>
    api.DELETE('/v1/profiles/{profile}', { params: { path: { profile } } }),
  );
  return { failure };
}

export default function Profiles({ loaderData: profiles }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const failure = useActionData<typeof action>()?.failure;
  const role = useRole();
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  return (
    <div className="grid gap-3">
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <Card flush>
        {profiles.length === 0 ? (
          <Empty title="No browser profiles">
            A profile stores cookies and local storage of a signed-in browser. A <code>saveProfile</code> step saves
            one; other workflows start from it.
          </Empty>
        ) : (
          <Table label="Browser profiles" head={['Name', 'Domains', 'Size', 'Updated', 'Updated by', '']}>
            {profiles.map(({ name, cookieDomains, size: bytes, updatedAt, run }) => (
              <tr key={name}>
                <Cell className="font-medium">{name}</Cell>
                <Cell className="text-muted">{cookieDomains.join(', ') || '—'}</Cell>
                <Cell className="whitespace-nowrap text-muted">{size(bytes)}</Cell>
                <Cell className="text-muted">
                  <TimeAgo time={updatedAt} />
                </Cell>
                <Cell>
                  {run ? (
                    <Link to={`/runs/${run}`} className="underline">
                      Run {shortId(run)}
                    </Link>
                  ) : (
                    'Import'
                  )}
                </Cell>
                <Cell>
                  {role !== 'viewer' && (
                    <div className="flex justify-end">
                      <ConfirmButton
                        disabled={busy}
                        aria-label={`Delete ${name}`}
                        confirmation={{
                          title: `Delete profile ${name}?`,
                          text: 'Its cookies and local storage are deleted. Workflows that start from it fail until it is saved again.',
                          verb: 'Delete profile',
                          onConfirm: () => void submit({ intent: 'delete-profile', profile: name }, { method: 'post' }),
                        }}
                      >
                        Delete
                      </ConfirmButton>
                    </div>
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
