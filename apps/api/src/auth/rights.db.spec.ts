import type { SessionView } from '@pilothouse/contract/project/user.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { hashPassword } from '@pilothouse/infra-vault';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { signInAs } from '../testing/members.fixture.ts';
import { openBrowserClient } from '../testing/browser-client.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

/** Milliseconds in which a stream must end after its authorization. */
const SOON_MS = 5_000;

const submit = async () => {
  const body = { steps: [{ action: 'screenshot' }] };
  return (await api.call<RunView>('POST', '/v1/runs', { body })).body.id;
};

/** Reads an answer until it ends or breaks. @returns elapsed milliseconds */
async function lasts(answer: Response): Promise<number> {
  const startedAtMs = performance.now();
  const streamEnd = (async () => {
    for await (const _ of answer.body as ReadableStream<Uint8Array>);
  })();
  await Promise.race([
    streamEnd.catch(() => undefined),
    new Promise((_, reject) => AbortSignal.timeout(20_000).addEventListener('abort', reject)),
  ]);
  return performance.now() - startedAtMs;
}

const streams: [name: string, method: string, path: (run: string) => string, body?: object][] = [
  ['events', 'GET', (run) => `/v1/runs/${run}/events`],
  ['a live view', 'GET', (run) => `/v1/runs/${run}/live`],
  ['a drawn run', 'GET', (run) => `/v1/runs/${run}/a2ui?a2ui=0.9`],
];

describe.each(streams)('a stream of %s', (_, method, path) => {
  const accept = { accept: '*/*' };

  test('ends when its key is revoked', async () => {
    const run = await submit();
    const created = await api.call<{ id: string; key: string }>('POST', '/v1/api-keys', {
      body: { name: 'short', role: 'viewer' },
    });
    const stream = await api.fetch(method, path(run), { key: created.body.key, headers: accept });
    const response = await api.fetch(method, path(run), { headers: accept });
    expect([stream.status, response.status]).toEqual([200, 200]);
    expect((await api.call('DELETE', `/v1/api-keys/${created.body.id}`)).status).toBe(200);
    expect(await lasts(stream)).toBeLessThan(SOON_MS);
    // The streams of other keys continue.
    expect((await api.fetch('GET', '/v1/me')).status).toBe(200);
    await response.body?.cancel();
  });

  test('ends with the session, and when its user leaves the project', async () => {
    const run = await submit();
    for (const end of [
      (user: string) => api.context.pool.query('DELETE FROM membership WHERE user_id = $1', [user]),
      (user: string) => api.context.pool.query('DELETE FROM user_session WHERE user_id = $1', [user]),
    ]) {
      const member = await signInAs(api, { default: 'viewer', second: 'viewer' });
      const project = member.session?.projects.find(({ slug }) => slug === 'default')?.id ?? '';
      const headers = { ...accept, cookie: member.cookie ?? '', 'pilothouse-project': project };
      const stream = await api.fetch(method, path(run), { key: null, headers });
      expect(stream.status).toBe(200);
      await end(member.session?.user.id ?? '');
      expect(await lasts(stream)).toBeLessThan(SOON_MS);
    }
  });
});

test('a password change ends the streams of the other sessions only', async () => {
  const run = await submit();
  const [browserA, browserB] = [await signInAs(api, { default: 'viewer' }), openBrowserClient(api)];
  const user = browserA.session?.user.id ?? '';
  const originalText = 'the boat leaves at noon';
  await api.context.pool.query('UPDATE user_account SET password = $2 WHERE id = $1', [
    user,
    await hashPassword(originalText),
  ]);
  const email = browserA.session?.user.email;
  expect(
    (await browserB.call<SessionView>('POST', '/v1/sessions/current', { body: { email, password: originalText } }))
      .status,
  ).toBe(200);
  const events = (cookie = '') =>
    api.fetch('GET', `/v1/runs/${run}/events`, { key: null, headers: { accept: 'text/event-stream', cookie } });
  const [mine, theirs] = [await events(browserA.cookie), await events(browserB.cookie)];
  expect([mine.status, theirs.status]).toEqual([200, 200]);
  const body = { current: originalText, password: 'the boat leaves at dawn' };
  expect((await browserA.call('PUT', '/v1/sessions/current/password', { body })).status).toBe(204);
  expect(await lasts(theirs)).toBeLessThan(SOON_MS);
  expect((await events(browserA.cookie)).status).toBe(200);
  await mine.body?.cancel();
});
