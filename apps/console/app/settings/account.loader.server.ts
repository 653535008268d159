import { unwrapData, type Client } from '@pilothouse/client';
import { identityOf } from '../../server/session-cookies.ts';

/** Data of the account page. */
export type AccountPage = Awaited<ReturnType<typeof readAccountPage>>;

/** Reads account, projects and own keys of the viewer. A viewer with an API key has no account. */
export async function readAccountPage({ api }: Client, request: Request) {
  const me = await unwrapData(api.GET('/v1/me'));
  if (identityOf(request.headers.get('cookie')).cookie === undefined)
    return { me, account: null, projects: [], ownKeys: null };
  const [account, { projects }, ownKeys] = await Promise.all([
    unwrapData(api.GET('/v1/account')),
    unwrapData(api.GET('/v1/sessions/current')),
    me.role === 'admin' && me.user ? readOwnKeys(api, me.user.id) : null,
  ]);
  return { me, account, projects, ownKeys };
}

/** Keys that a user created. The audit log knows who created a key. */
async function readOwnKeys(api: Client['api'], user: string) {
  const query = { limit: 200 };
  const [created, keys] = await Promise.all([
    unwrapData(api.GET('/v1/audit', { params: { query: { ...query, actor: user, action: 'createApiKey' } } })),
    unwrapData(api.GET('/v1/api-keys', { params: { query } })),
  ]);
  const ids = new Set(created.items.map(({ target }) => target));
  return keys.items.filter(({ id }) => ids.has(id));
}
