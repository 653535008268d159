import { useActionData, type ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { signIn } from './sign-in.server.ts';
import { AuthLayout, AuthField, IncompleteLink } from './auth-layout.tsx';
import { useLinkToken } from './use-link-token.ts';

export const meta = () => [{ title: 'Reset password · Pilothouse' }];

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const body = { token: textOf(form, 'token'), password: textOf(form, 'password') };
  return signIn(args, ({ api }) => api.POST('/v1/password-reset', { body }));
}

/** Page behind a password reset link that an admin created. */
export default function ResetPassword() {
  const failure = useActionData<typeof action>();
  const token = useLinkToken();
  if (token === '') return <IncompleteLink title="Reset password" />;
  return (
    <AuthLayout title="Reset password" button="Set password and sign in" failure={failure}>
      <input type="hidden" name="token" value={token ?? ''} />
      <AuthField
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters"
        autoFocus
        failure={failure}
      />
    </AuthLayout>
  );
}
