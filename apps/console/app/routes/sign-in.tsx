import { dataOf } from '@pilothouse/client';
import {
  Link,
  redirect,
  useActionData,
  useSearchParams,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { apiOf } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { enter, enterWithKey } from '../lib/sign-in.server.ts';
import { Entrance, Entry } from '../ui/entrance.tsx';

export const meta = () => [{ title: 'Sign in · Pilothouse' }];

/** A house without users asks for its first; an API that is away is said once somebody tries. */
export async function loader(asked: LoaderFunctionArgs) {
  const search = new URL(asked.request.url).searchParams;
  if (search.get('with') === 'key') return null;
  const setup = await dataOf(apiOf(asked, {}).api.GET('/v1/setup')).catch(() => undefined);
  if (setup?.needed) throw redirect('/setup');
  return null;
}

export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const key = textOf(form, 'key').trim();
  if (key) return enterWithKey(asked, key);
  const body = { email: textOf(form, 'email'), password: textOf(form, 'password') };
  return enter(asked, ({ api }) => api.POST('/v1/session', { body }));
}

export default function SignIn() {
  const failure = useActionData<typeof action>();
  const [search] = useSearchParams();
  const withKey = search.get('with') === 'key';
  const other = new URLSearchParams(search);
  if (withKey) other.delete('with');
  else other.set('with', 'key');
  return (
    <Entrance
      title="Pilothouse"
      button="Sign in"
      failure={failure}
      foot={<Link to={`?${other}`}>{withKey ? 'Sign in with e-mail and password' : 'Use an API key instead'}</Link>}
    >
      {withKey ? (
        <Entry
          key="key"
          label="API key"
          name="key"
          type="password"
          autoComplete="off"
          first
          hint="On one machine ./scripts/up says where yours lies; in a cluster the notes of the chart do."
        />
      ) : (
        <>
          <Entry key="email" label="E-mail" name="email" type="email" autoComplete="username" first failure={failure} />
          <Entry label="Password" name="password" type="password" autoComplete="current-password" failure={failure} />
        </>
      )}
    </Entrance>
  );
}
