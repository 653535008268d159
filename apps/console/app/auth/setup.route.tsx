import { unwrapData } from '@pilothouse/client';
import { Link, useActionData, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { signIn } from './sign-in.server.ts';
import { AuthLayout, AuthField } from './auth-layout.tsx';

export const meta = () => [{ title: 'Set up · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { needed: isSetupNeeded } = await unwrapData(api.GET('/v1/setup'));
    if (!isSetupNeeded) throw redirectTo('/sign-in');
    return null;
  });

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const [code = '', email = '', name = '', password = ''] = ['code', 'email', 'name', 'password'].map((field) =>
    textOf(form, field),
  );
  return signIn(args, ({ api }) => api.POST('/v1/setup', { body: { code, email, name, password } }));
}

/** Creates the first user, an admin. */
export default function Setup() {
  const failure = useActionData<typeof action>();
  return (
    <AuthLayout
      title="Set up Pilothouse"
      button="Create admin account"
      failure={failure}
      footer={<Link to="/sign-in?with=key">Use an API key instead</Link>}
    >
      <AuthField
        label="Setup code"
        name="code"
        autoComplete="off"
        autoFocus
        failure={failure}
        hint="Printed in the API log at start. An admin API key works too. Confirms that you own this installation."
      />
      <AuthField label="Name" name="name" autoComplete="name" failure={failure} />
      <AuthField label="Email" name="email" type="email" autoComplete="username" failure={failure} />
      <AuthField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters"
        failure={failure}
      />
    </AuthLayout>
  );
}
