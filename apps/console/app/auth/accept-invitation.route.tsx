import { unwrapData } from '@pilothouse/client';
import { Notice } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { data, useActionData, useFetcher, type ActionFunctionArgs } from 'react-router';
import { apiClientOf, tryApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { intentOf } from '../api/intent.server.ts';
import { signIn } from './sign-in.server.ts';
import { AuthLayout, AuthField } from './auth-layout.tsx';
import { useLinkToken } from './use-link-token.ts';

export const meta = () => [{ title: 'Invitation · Pilothouse' }];

/** Looks at an invitation, or accepts it. */
export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const token = textOf(form, 'token');
  if (intentOf(form, ['look-up', 'accept']) === 'look-up') {
    const look = await tryApi(asked, () =>
      unwrapData(apiClientOf(asked, {}).api.POST('/v1/invitations/lookup', { body: { token } })),
    );
    return data({ invited: look.done, message: look.failure?.message ?? '' });
  }
  const name = textOf(form, 'name');
  const body = { token, password: textOf(form, 'password'), ...(name && { name }) };
  return signIn(asked, ({ api }) => api.POST('/v1/invitations/accept', { body }));
}

/** A link that somebody was given: its token is behind the `#`, where no server sees it by chance. */
export default function AcceptInvitation() {
  const token = useLinkToken();
  const {
    data: looked,
    submit,
    state,
  } = useFetcher<{
    invited?: { email: string; role: string; hasAccount: boolean; project: { name: string } };
    message: string;
  }>();
  const failure = useActionData() as Parameters<typeof AuthField>[0]['failure'];
  useEffect(() => {
    if (token) void submit({ token, intent: 'look-up' }, { method: 'post' });
  }, [token, submit]);
  const invited = looked?.invited;
  return (
    <AuthLayout title={invited ? `Join ${invited.project.name}` : 'An invitation'} button="Join" failure={failure}>
      <input type="hidden" name="intent" value="accept" />
      <input type="hidden" name="token" value={token} />
      {invited ? (
        <p className="text-sm text-muted">
          As {invited.role}, with {invited.email}
        </p>
      ) : (
        <Notice tone={looked && state === 'idle' ? 'bad' : 'plain'}>
          {looked && state === 'idle' ? looked.message : 'Looking at the invitation…'}
        </Notice>
      )}
      {invited && !invited.hasAccount && (
        <AuthField label="Your name" name="name" autoComplete="name" autoFocus failure={failure} />
      )}
      {invited && (
        <AuthField
          label={invited.hasAccount ? 'Your password' : 'Choose a password'}
          name="password"
          type="password"
          autoComplete={invited.hasAccount ? 'current-password' : 'new-password'}
          hint={invited.hasAccount ? undefined : 'At least 12 characters'}
          failure={failure}
        />
      )}
    </AuthLayout>
  );
}
