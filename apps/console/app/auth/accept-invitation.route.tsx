import { unwrapData } from '@pilothouse/client';
import { Notice } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { data, useActionData, useFetcher, type ActionFunctionArgs } from 'react-router';
import { apiClientOf, tryApi } from '../api/api-client.server.ts';
import { textOf, intentOf } from '../api/form-fields.server.ts';
import { signIn } from './sign-in.server.ts';
import { AuthLayout, AuthField, IncompleteLink } from './auth-layout.tsx';
import { useLinkToken } from './use-link-token.ts';

export const meta = () => [{ title: 'Invitation · Pilothouse' }];

/** Looks up or accepts an invitation. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const token = textOf(form, 'token');
  if (intentOf(form, ['look-up', 'accept']) === 'look-up') {
    const invitation = await tryApi(args, () =>
      unwrapData(apiClientOf(args, {}).api.POST('/v1/invitations/lookup', { body: { token } })),
    );
    return data({ invitation: invitation.result, message: invitation.failure?.message ?? '' });
  }
  const name = textOf(form, 'name');
  const body = { token, password: textOf(form, 'password'), ...(name && { name }) };
  return signIn(args, ({ api }) => api.POST('/v1/invitations/accept', { body }));
}

/** Page behind an invitation link. Its token is in the fragment of the URL, which browsers do not send to servers. */
export default function AcceptInvitation() {
  const token = useLinkToken();
  const {
    data: lookup,
    submit,
    state,
  } = useFetcher<{
    invitation?: { email: string; role: string; hasAccount: boolean; project: { name: string } };
    message: string;
  }>();
  const failure = useActionData() as Parameters<typeof AuthField>[0]['failure'];
  useEffect(() => {
    if (token) void submit({ token, intent: 'look-up' }, { method: 'post' });
  }, [token, submit]);
  const invitation = lookup?.invitation;
  if (token === '') return <IncompleteLink title="Invitation" />;
  return (
    <AuthLayout
      title={invitation ? `Join ${invitation.project.name}` : "You're invited"}
      button="Join"
      failure={failure}
    >
      <input type="hidden" name="intent" value="accept" />
      <input type="hidden" name="token" value={token ?? ''} />
      {invitation ? (
        <p className="text-sm text-muted">
          You join as {invitation.role} with {invitation.email}.
        </p>
      ) : (
        <Notice tone={lookup && state === 'idle' ? 'bad' : 'plain'}>
          {lookup && state === 'idle' ? lookup.message : 'Loading invitation…'}
        </Notice>
      )}
      {invitation && !invitation.hasAccount && (
        <AuthField label="Name" name="name" autoComplete="name" autoFocus failure={failure} />
      )}
      {invitation && (
        <AuthField
          label={invitation.hasAccount ? 'Your password' : 'Choose a password'}
          name="password"
          type="password"
          autoComplete={invitation.hasAccount ? 'current-password' : 'new-password'}
          hint={invitation.hasAccount ? undefined : 'At least 12 characters'}
          failure={failure}
        />
      )}
    </AuthLayout>
  );
}
