import { unwrapData } from '@pilothouse/client';
import { Badge, Button, Card, Cell, Empty, Field, Input, Notice, Table } from '@pilothouse/ui-kit';
import { useEffect, useRef } from 'react';
import {
  Form,
  Link,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { intentOf, textOf } from '../api/form-fields.server.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { roleLabels } from '../shared/labels.ts';
import { countOf } from '../shared/number-format.ts';
import { RemainingTime, TimeAgo } from '../shared/relative-time.tsx';
import { readAccountPage, type AccountPage } from './account.loader.server.ts';

export const loader = (args: LoaderFunctionArgs) => withApi(args, (client) => readAccountPage(client, args.request));

/** Changes the password, or ends the other sessions. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['change-password', 'end-sessions']);
  const { result, failure } = await tryApi(args, async ({ api }) => {
    if (intent === 'end-sessions') {
      const { ended } = await unwrapData(api.DELETE('/v1/account/sessions'));
      return `Signed out of ${countOf(ended, 'other session')}.`;
    }
    const body = { current: textOf(form, 'current'), password: textOf(form, 'password') };
    await api.PUT('/v1/sessions/current/password', { body });
    return 'Password changed. Your other sessions have ended.';
  });
  return { intent, message: result, failure };
}

type Answer = Awaited<ReturnType<typeof action>> | undefined;

export default function Account({ loaderData }: { loaderData: AccountPage }) {
  const answer = useActionData<typeof action>();
  const { me, account, projects, ownKeys } = loaderData;
  if (!account)
    return (
      <Card title="Account">
        <Empty title={`Signed in with the API key ${me.key?.name ?? ''}`}>
          Its role in the project {me.project.name} is {roleLabels[me.role]}. Sign in with an email address to see
          sessions and change a password.
        </Empty>
      </Card>
    );
  const { user, hasPassword, providers } = account;
  return (
    <div className="grid max-w-5xl gap-3">
      {answer?.message && <Notice tone="good">{answer.message}</Notice>}
      {answer?.failure && !answer.failure.fields?.length && <Notice tone="bad">{answer.failure.message}</Notice>}
      <Card title="Account">
        <dl className="grid gap-x-4 gap-y-2 text-sm md:grid-cols-[8rem_1fr]">
          <dt className="text-muted">Name</dt>
          <dd className="wrap-anywhere">{user.name}</dd>
          <dt className="text-muted">Email</dt>
          <dd className="wrap-anywhere">{user.email}</dd>
          <dt className="text-muted">Sign-in</dt>
          <dd className="wrap-anywhere">
            {[...(hasPassword ? ['Password'] : []), ...providers.map((issuer) => `Single sign-on: ${issuer}`)].join(
              ', ',
            ) || 'Single sign-on'}
          </dd>
        </dl>
      </Card>
      <Card title="Projects" flush>
        <Table label="Your projects" head={['Project', 'Role']}>
          {projects.map(({ id, name, role }) => (
            <tr key={id}>
              <Cell className="font-medium wrap-anywhere">
                {name} {id === me.project.id && <Badge>Selected</Badge>}
              </Cell>
              <Cell>{roleLabels[role]}</Cell>
            </tr>
          ))}
        </Table>
      </Card>
      <Sessions sessions={account.sessions} />
      {hasPassword && <PasswordCard answer={answer} />}
      {ownKeys && <OwnKeys keys={ownKeys} />}
    </div>
  );
}

function Sessions({ sessions }: { sessions: NonNullable<AccountPage['account']>['sessions'] }) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;
  return (
    <Card title="Active sessions" flush>
      <Table label="Active sessions" head={['Session', 'Signed in', 'Last used', 'Ends']}>
        {sessions.map(({ isCurrent, createdAt, lastSeenAt, expiresAt }) => (
          <tr key={`${createdAt} ${isCurrent}`}>
            <Cell>{isCurrent ? <Badge tone="good">This browser</Badge> : 'Other browser'}</Cell>
            <Cell className="text-muted">
              <TimeAgo time={createdAt} />
            </Cell>
            <Cell className="text-muted">
              <TimeAgo time={lastSeenAt} />
            </Cell>
            <Cell className="whitespace-nowrap text-muted">
              <RemainingTime time={expiresAt} />
            </Cell>
          </tr>
        ))}
      </Table>
      <p className="border-t border-line p-3">
        {others === 0 ? (
          <span className="text-sm text-muted">You are signed in only here.</span>
        ) : (
          <ConfirmButton
            disabled={busy}
            confirmation={{
              title: `Sign out of ${countOf(others, 'other session')}?`,
              text: 'Other browsers must sign in again. This browser stays signed in.',
              verb: 'Sign out',
              onConfirm: () => void submit({ intent: 'end-sessions' }, { method: 'post' }),
            }}
          >
            Sign out other sessions
          </ConfirmButton>
        )}
      </p>
    </Card>
  );
}

function PasswordCard({ answer }: { answer: Answer }) {
  const busy = useNavigation().state !== 'idle';
  const form = useRef<HTMLFormElement>(null);
  const isChange = answer?.intent === 'change-password';
  useEffect(() => {
    if (isChange && !answer.failure) form.current?.reset();
  }, [answer, isChange]);
  const errorOf = (pointer: string) =>
    isChange ? answer.failure?.fields?.find((field) => field.pointer === pointer)?.detail : undefined;
  return (
    <Card title="Change password">
      <Form ref={form} method="post" className="flex flex-wrap items-start gap-3">
        <Field label="Current password" className="min-w-56 flex-1" error={errorOf('/current')}>
          {(controlProps) => (
            <Input {...controlProps} name="current" type="password" autoComplete="current-password" required />
          )}
        </Field>
        <Field
          label="New password"
          hint="At least 12 characters. Your other sessions end."
          className="min-w-56 flex-1"
          error={errorOf('/password')}
        >
          {(controlProps) => (
            <Input {...controlProps} name="password" type="password" autoComplete="new-password" required />
          )}
        </Field>
        <Button
          type="submit"
          name="intent"
          value="change-password"
          variant="primary"
          disabled={busy}
          className="max-md:w-full md:mt-6"
        >
          Change password
        </Button>
      </Form>
    </Card>
  );
}

/** Keys that the user created in the selected project. */
const OwnKeys = ({ keys }: { keys: NonNullable<AccountPage['ownKeys']> }) => (
  <Card title="API keys that you created" flush>
    {keys.length === 0 ? (
      <Empty title="No API keys">
        <Link to="/settings/keys" className="underline">
          Create an API key
        </Link>{' '}
        for a program or the command line.
      </Empty>
    ) : (
      <Table label="API keys that you created" head={['Name', 'Role', 'Prefix', 'Last used', '']}>
        {keys.map(({ id, name, role, prefix, lastUsedAt, revokedAt }) => (
          <tr key={id}>
            <Cell className="min-w-28 font-medium wrap-anywhere">{name}</Cell>
            <Cell>{roleLabels[role]}</Cell>
            <Cell className="font-mono text-xs text-muted">{prefix}…</Cell>
            <Cell className="whitespace-nowrap text-muted">
              {lastUsedAt ? <TimeAgo time={lastUsedAt} /> : 'Never used'}
            </Cell>
            <Cell>
              {revokedAt ? (
                <Badge>Revoked</Badge>
              ) : (
                <Link to="/settings/keys" className="underline" aria-label={`Manage ${name}`}>
                  Manage
                </Link>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);
