import { useActionData, type ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { enter } from './sign-in.server.ts';
import { Entrance, Entry } from './auth-layout.tsx';
import { useLinkToken } from './use-link-token.ts';

export const meta = () => [{ title: 'New password · Pilothouse' }];

export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const body = { token: textOf(form, 'token'), password: textOf(form, 'password') };
  return enter(asked, ({ api }) => api.POST('/v1/password-reset', { body }));
}

/** The link that an admin made for somebody who forgot. */
export default function Password() {
  const failure = useActionData<typeof action>();
  return (
    <Entrance title="A new password" button="Set it and sign in" failure={failure}>
      <input type="hidden" name="token" value={useLinkToken()} />
      <Entry
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters"
        first
        failure={failure}
      />
    </Entrance>
  );
}
