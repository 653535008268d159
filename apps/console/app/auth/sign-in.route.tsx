import { unwrapData } from '@pilothouse/client';
import { oidcErrorReasons, type OidcErrorReason } from '@pilothouse/contract/project/oidc-error-reasons';
import { buttonClass } from '@pilothouse/ui-kit';
import {
  Link,
  useActionData,
  useLoaderData,
  useSearchParams,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { apiClientOf } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { signIn, signInWithKey, redirectToProvider } from './sign-in.server.ts';
import { AuthLayout, AuthField } from './auth-layout.tsx';

export const meta = () => [{ title: 'Sign in · Pilothouse' }];

/** Redirects to the setup page while there are no users. If the API is unavailable, the form reports it on submit. */
export async function loader(args: LoaderFunctionArgs) {
  const search = new URL(args.request.url).searchParams;
  if (search.get('with') === 'key') return null;
  if (search.get('with') === 'provider') throw redirectToProvider(args.request);
  const setup = await unwrapData(apiClientOf(args, {}).api.GET('/v1/setup')).catch(() => undefined);
  if (setup?.needed) throw redirectTo('/setup');
  return setup?.oidc ?? null;
}

/** Messages for failed sign-ins with the identity provider. */
const oidcErrorMessages: Record<OidcErrorReason, string> = {
  failed: 'Single sign-on failed or timed out. Try again.',
  unverified: 'Your identity provider has not verified your email address.',
  domain: 'Your email domain is not allowed to sign in.',
  uninvited: 'You have no project yet. Ask an admin to invite you.',
};

const oidcFailureOf = (reasonParam: string | null) => {
  const reason = oidcErrorReasons.find((knownReason) => knownReason === reasonParam);
  return reason && { message: oidcErrorMessages[reason] };
};

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const key = textOf(form, 'key').trim();
  if (key) return signInWithKey(args, key);
  const body = { email: textOf(form, 'email'), password: textOf(form, 'password') };
  return signIn(args, ({ api }) => api.POST('/v1/sessions/current', { body }));
}

export default function SignIn() {
  const provider = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const failure = useActionData<typeof action>() ?? oidcFailureOf(search.get('error'));
  const withKey = search.get('with') === 'key';
  const alternativeSearch = new URLSearchParams(search);
  alternativeSearch.delete('error');
  const providerSearch = new URLSearchParams(alternativeSearch);
  providerSearch.set('with', 'provider');
  if (withKey) alternativeSearch.delete('with');
  else alternativeSearch.set('with', 'key');
  return (
    <AuthLayout
      title="Pilothouse"
      button="Sign in"
      failure={failure}
      footer={
        <div className="grid gap-4">
          {provider && (
            <Link to={`?${providerSearch}`} reloadDocument className={buttonClass()}>
              Sign in with {provider.name}
            </Link>
          )}
          <Link to={`?${alternativeSearch}`}>
            {withKey ? 'Sign in with email and password' : 'Use an API key instead'}
          </Link>
        </div>
      }
    >
      {withKey ? (
        <AuthField
          key="key"
          label="API key"
          name="key"
          type="password"
          autoComplete="off"
          autoFocus
          hint={
            <>
              <code>./scripts/up</code> prints where your key is stored. On Kubernetes see <code>helm get notes</code>.
            </>
          }
        />
      ) : (
        <>
          <AuthField
            key="email"
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            failure={failure}
          />
          <AuthField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            failure={failure}
          />
        </>
      )}
    </AuthLayout>
  );
}
