import { unwrapData } from '@pilothouse/client';
import { roles, type Role } from '@pilothouse/contract/project/project-roles';
import { Button, Card, Cell, Field, Input, Notice, Select, Table } from '@pilothouse/ui-kit';
import { useState } from 'react';
import {
  Form,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf, assertNever, intentOf, choiceOf } from '../api/form-fields.server.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { roleLabels } from '../shared/labels.ts';
import { ReadOnlyValue } from '../shared/copyable-values.tsx';
import { TimeAgo, RemainingTime } from '../shared/relative-time.tsx';

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const query = { limit: 200 };
    const [members, invitations] = await Promise.all([
      unwrapData(api.GET('/v1/members', { params: { query } })),
      unwrapData(api.GET('/v1/invitations', { params: { query } })),
    ]);
    return { members: members.items, invitations: invitations.items };
  });

/** Invites, changes or removes members, and creates password links. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['invite', 'reset-password', 'change-role', 'revoke-invitation', 'remove-member']);
  const id = textOf(form, 'id');
  const params = { path: { user: id } };
  const { result, failure } = await tryApi(args, async ({ api }) => {
    switch (intent) {
      case 'invite': {
        const body = { email: textOf(form, 'email'), role: choiceOf(form, 'role', roles) };
        const { url } = await unwrapData(api.POST('/v1/invitations', { body: body as never }));
        return { url, label: `Invitation link for ${body.email}. Copy it now; it is not shown again.` };
      }
      case 'reset-password': {
        const { url } = await unwrapData(api.POST('/v1/members/{user}/password-reset', { params }));
        return { url, label: 'Password reset link, valid for 24 hours. Copy it now; it is not shown again.' };
      }
      case 'change-role':
        await api.PATCH('/v1/members/{user}', { params, body: { role: choiceOf(form, 'role', roles) } });
        return null;
      case 'revoke-invitation':
        await api.DELETE('/v1/invitations/{invitation}', { params: { path: { invitation: id } } });
        return null;
      case 'remove-member':
        await api.DELETE('/v1/members/{user}', { params });
        return null;
      default:
        return assertNever(intent);
    }
  });
  return { link: result, failure };
}

const Roles = () => (
  <>
    {roles.map((role) => (
      <option key={role} value={role}>
        {roleLabels[role]}
      </option>
    ))}
  </>
);

/** Role of a member. A change takes effect when it is saved. */
function RoleForm({ user, role, busy }: { user: { id: string; name: string }; role: Role; busy: boolean }) {
  const [selectedRole, setSelectedRole] = useState<string>(role);
  return (
    <Form method="post" className="flex items-center gap-2">
      <input type="hidden" name="id" value={user.id} />
      <Select
        name="role"
        aria-label={`Role of ${user.name}`}
        value={selectedRole}
        disabled={busy}
        className="w-auto!"
        onChange={({ target }) => setSelectedRole(target.value)}
      >
        <Roles />
      </Select>
      {selectedRole !== role && (
        <Button
          type="submit"
          name="intent"
          value="change-role"
          disabled={busy}
          aria-label={`Save role of ${user.name}`}
        >
          Save role
        </Button>
      )}
    </Form>
  );
}

export default function Members({
  loaderData: { members, invitations },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const answer = useActionData<typeof action>();
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  return (
    <div className="grid gap-3">
      {answer?.failure && <Notice tone="bad">{answer.failure.message}</Notice>}
      {answer?.link && <ReadOnlyValue label={answer.link.label} value={answer.link.url} />}
      <Card title="Invite member">
        {/* A new link resets the form. */}
        <Form key={answer?.link?.url} method="post" className="flex flex-wrap items-end gap-3">
          <Field label="Email" className="min-w-56 flex-1">
            {(controlProps) => <Input {...controlProps} name="email" type="email" required />}
          </Field>
          <Field label="Role">
            {(controlProps) => (
              <Select {...controlProps} name="role" defaultValue="operator">
                <Roles />
              </Select>
            )}
          </Field>
          <Button type="submit" name="intent" value="invite" variant="primary" disabled={busy}>
            Create invitation link
          </Button>
        </Form>
      </Card>
      <Card title="Members" flush>
        {members.length === 0 ? (
          <p className="p-3 text-sm text-muted">No members yet. This project is used with API keys only.</p>
        ) : (
          <Table label="Members" head={['Name', 'Email', 'Role', 'Last active', '']}>
            {members.map(({ user, role, lastSeenAt }) => (
              <tr key={user.id}>
                <Cell className="font-medium">{user.name}</Cell>
                <Cell className="text-muted">{user.email}</Cell>
                <Cell>
                  <RoleForm key={role} user={user} role={role} busy={busy} />
                </Cell>
                <Cell className="text-muted">{lastSeenAt ? <TimeAgo time={lastSeenAt} /> : '—'}</Cell>
                <Cell>
                  <Form method="post" className="flex justify-end gap-2">
                    <input type="hidden" name="id" value={user.id} />
                    <Button
                      type="submit"
                      name="intent"
                      value="reset-password"
                      disabled={busy}
                      aria-label={`Reset password of ${user.name}`}
                    >
                      Reset password
                    </Button>
                    <ConfirmButton
                      disabled={busy}
                      aria-label={`Remove ${user.name}`}
                      confirmation={{
                        title: `Remove ${user.name} from this project?`,
                        text: `${user.email} loses access to this project. Runs and workflows of this member are kept.`,
                        verb: 'Remove member',
                        onConfirm: () => void submit({ intent: 'remove-member', id: user.id }, { method: 'post' }),
                      }}
                    >
                      Remove
                    </ConfirmButton>
                  </Form>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      {invitations.length > 0 && (
        <Card title="Pending invitations" flush>
          <Table label="Pending invitations" head={['Email', 'Role', 'Invited by', 'Expires', '']}>
            {invitations.map(({ id, email, role, invitedBy, expiresAt }) => (
              <tr key={id}>
                <Cell className="min-w-48 font-medium wrap-anywhere">{email}</Cell>
                <Cell>{roleLabels[role]}</Cell>
                <Cell className="text-muted">{invitedBy}</Cell>
                <Cell className="text-muted">
                  <RemainingTime time={expiresAt} />
                </Cell>
                <Cell>
                  <div className="flex justify-end">
                    <ConfirmButton
                      disabled={busy}
                      aria-label={`Revoke invitation for ${email}`}
                      confirmation={{
                        title: `Revoke invitation for ${email}?`,
                        text: 'The invitation link stops working. You can invite the same address again.',
                        verb: 'Revoke invitation',
                        onConfirm: () => void submit({ intent: 'revoke-invitation', id }, { method: 'post' }),
                      }}
                    >
                      Revoke
                    </ConfirmButton>
                  </div>
                </Cell>
              </tr>
            ))}
          </Table>
        </Card>
      )}
    </div>
  );
}
