import { unwrapData } from '@pilothouse/client';
import { Link, useActionData, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { redirectTo } from './redirect.ts';
import { enter } from './sign-in.server.ts';
import { Entrance, Entry } from './auth-layout.tsx';

export const meta = () => [{ title: 'Set up · Pilothouse' }];

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async ({ api }) => {
    const { needed } = await unwrapData(api.GET('/v1/setup'));
    if (!needed) throw redirectTo('/sign-in');
    return null;
  });

export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const [code = '', email = '', name = '', password = ''] = ['code', 'email', 'name', 'password'].map((field) =>
    textOf(form, field),
  );
  return enter(asked, ({ api }) => api.POST('/v1/setup', { body: { code, email, name, password } }));
}

/** The first visit makes the first admin. */
export default function Setup() {
  const failure = useActionData<typeof action>();
  return (
    <Entrance
      title="Welcome aboard"
      button="Make the first user"
      failure={failure}
      foot={<Link to="/sign-in?with=key">Use an API key instead</Link>}
    >
      <Entry
        label="Set-up code"
        name="code"
        autoComplete="off"
        first
        failure={failure}
        hint="The log of the API shows it at each start; an API key of an admin will do, too. It proves that this house is yours."
      />
      <Entry label="Your name" name="name" autoComplete="name" failure={failure} />
      <Entry label="E-mail" name="email" type="email" autoComplete="username" failure={failure} />
      <Entry
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters"
        failure={failure}
      />
    </Entrance>
  );
}
