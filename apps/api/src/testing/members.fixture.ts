import { randomUUID } from 'node:crypto';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { SessionView } from '@pilothouse/contract/project/user.schema';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { csrfTokenFor } from '../auth/session-cookie.ts';
import { newId } from '../common/new-id.ts';
import type { TestApi } from './test-api.fixture.ts';
import { openBrowserClient, type BrowserClient } from './browser-client.fixture.ts';

/** Signs in a member of projects without hashing a password. */
export async function signInAs(api: TestApi, roles: Readonly<Record<string, Role>>): Promise<BrowserClient> {
  const { pool, stores } = api.context;
  const user = { id: newId(), email: `${randomUUID().slice(0, 8)}@example.com`, name: 'Some User' };
  await pool.query('INSERT INTO user_account (id, email, name) VALUES ($1, $2, $3)', [user.id, user.email, user.name]);
  for (const [slug, role] of Object.entries(roles)) {
    const { id } = await stores.projects.ensure({ id: newId(), slug, name: slug });
    await pool.query('INSERT INTO membership (user_id, project_id, role) VALUES ($1, $2, $3)', [user.id, id, role]);
  }
  const token = newToken('phs_');
  await stores.sessions.open({ hash: hashToken(token), user: user.id, lifeSeconds: 3600, idleSeconds: 3600 });
  const visitor = openBrowserClient(api);
  visitor.cookie = `pilothouse=${token}`;
  visitor.session = { user, projects: [], csrf: csrfTokenFor(token), expiresAt: '' };
  visitor.session = (await visitor.call<SessionView>('GET', '/v1/sessions/current')).body;
  return visitor;
}

/** Header that selects a project of a user. */
export const projectHeader = ({ session }: BrowserClient, slug: string): Record<string, string> => ({
  'pilothouse-project': session?.projects.find((project) => project.slug === slug)?.id ?? slug,
});
