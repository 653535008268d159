import { dataOf } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract';
import { Button, Field, Input, Notice } from '@pilothouse/ui-kit';
import { data, Form, redirect, useActionData, useNavigation, type ActionFunctionArgs } from 'react-router';
import { keyCookie, setCookie } from '../../src/session.ts';
import { apiOf, failureOf, nextOf } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { Logo } from '../ui/logo.tsx';

/** Seconds that a browser keeps the key: a working week. */
const keptSeconds = 7 * 86_400;

export const meta = () => [{ title: 'Sign in · Pilothouse' }];

export async function action({ request, context }: ActionFunctionArgs) {
  const key = textOf(await request.formData(), 'key').trim();
  if (!/^ph_\w+$/.test(key))
    return data({ message: 'An API key begins with ph_. Copy the whole of it.' }, { status: 400 });
  try {
    await dataOf(apiOf({ request, context }, { authorization: `Bearer ${key}` }).api.GET('/v1/me'));
  } catch (error) {
    if (!(error instanceof PilothouseError)) throw error;
    const refused = error.code === 'UNAUTHENTICATED';
    const message = refused ? 'No such key, or it was revoked or has expired.' : failureOf(error).message;
    return data({ message }, { status: error.http });
  }
  const secure = new URL(request.url).protocol === 'https:';
  return redirect(nextOf(request), { headers: { 'set-cookie': setCookie(keyCookie, key, keptSeconds, secure) } });
}

export default function SignIn() {
  const failure = useActionData<typeof action>();
  const busy = useNavigation().state !== 'idle';
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center justify-center gap-3">
          <Logo className="size-9" />
          <h1 className="text-xl font-semibold">Pilothouse</h1>
        </div>
        <Form method="post" className="grid gap-4 rounded-lg border border-line bg-surface p-5">
          {failure && <Notice tone="bad">{failure.message}</Notice>}
          <Field
            label="API key"
            hint={
              <>
                On this machine <code>./scripts/up</code> says where yours lies; in a cluster the notes of the chart do.
              </>
            }
          >
            {(given) => (
              <Input
                {...given}
                name="key"
                type="password"
                autoComplete="current-password"
                autoFocus
                required
                placeholder="ph_…"
              />
            )}
          </Field>
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? 'Signing in…' : 'Sign in'}
          </Button>
        </Form>
      </div>
    </main>
  );
}
