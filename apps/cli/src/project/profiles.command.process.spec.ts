import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProfileView } from '@pilothouse/contract/project/profile.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { profilesCommand } from './profiles.command.ts';

const api = new ApiFixture();
let folder: string;
beforeAll(async () => {
  await api.start();
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-profiles-'));
});
beforeEach(() => {
  api.requests.splice(0);
  for (const route of Object.keys(api.handlers)) delete api.handlers[route as keyof typeof api.handlers];
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const now = new Date('2026-05-04T12:04:00.000Z');
const timestamp = '2026-05-04T12:00:00.000Z';
const run = (...args: string[]) => runCli(profilesCommand, args, { url: api.url, now });
const shop: ProfileView = {
  name: 'shop',
  version: 3,
  size: 2048,
  cookies: 2,
  cookieDomains: ['auth.example', 'shop.example'],
  origins: ['https://app.shop.example:8443'],
  run: id(7),
  createdAt: timestamp,
  updatedAt: timestamp,
};
const state = {
  cookies: [
    {
      name: 'sid',
      value: 'hush',
      domain: 'shop.example',
      path: '/',
      expires: -1,
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    },
  ],
  origins: [],
};
const file = async (content: string) => {
  const path = join(folder, 'state.json');
  await writeFile(path, content);
  return path;
};

test('lists all pages, with the sites and without a value', async () => {
  const tax = { ...shop, name: 'tax', cookieDomains: [], origins: [], run: null };
  api.handlers.listProfiles = ({ query }) =>
    query['cursor'] === 'next' ? { items: [tax], nextCursor: null } : { items: [shop], nextCursor: 'next' };
  const { code, out } = await run('list');
  expect(code).toBe(0);
  expect(out).toMatch(
    new RegExp(
      `shop +3 +4 min ago +2\\.0 kB +${id(7).slice(0, 13)} +app\\.shop\\.example, auth\\.example, shop\\.example`,
    ),
  );
  expect(out).toMatch(/tax .* imported +no domains/);
  expect(JSON.parse((await run('list', '--json')).out)).toEqual({ items: [shop, tax] });
});

test('an empty list prints how to save or import a profile', async () => {
  api.handlers.listProfiles = () => ({ items: [], nextCursor: null });
  const { code, out, err } = await run('list');
  expect([code, out]).toEqual([0, '']);
  expect(err).toMatch(/^No profiles\. Save one in a workflow \(action: saveProfile\) or import one: /);
});

test('imports a file', async () => {
  api.handlers.importProfile = () => ({ ...shop, cookies: 1 });
  const { code, out } = await run('import', 'shop', await file(JSON.stringify(state)));
  expect([code, out]).toEqual([
    0,
    'Imported profile shop, version 3: 1 cookie, app.shop.example, auth.example, shop.example\n',
  ]);
  expect(api.requests).toMatchObject([{ params: { profile: 'shop' }, body: state }]);
});

test.each([
  ['{"cookies": [', /: invalid JSON\./],
  ['{"log": {}}', /\/cookies: .*\n.*\/origins: /],
  [JSON.stringify({ ...state, cookies: [{ ...state.cookies[0], domain: 1 }] }), /\/cookies\/0\/domain: /],
])('a file with %j is rejected before a request', async (content, problem) => {
  const { code, err } = await run('import', 'shop', await file(content));
  expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  expect(err).not.toContain('hush');
  expect(api.requests).toEqual([]);
});

test('a missing file and an invalid name are invalid usage', async () => {
  expect(await run('import', 'shop', join(folder, 'none.json'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('Cannot read'),
  });
  for (const args of [
    ['delete', '../runs'],
    ['import', 'Shop', await file(JSON.stringify(state))],
  ])
    expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining('Invalid profile name') });
  expect(api.requests).toEqual([]);
});

test('deletes a profile; an unknown one is an error', async () => {
  api.handlers.deleteProfile = () => shop;
  expect(await run('delete', 'shop')).toMatchObject({ code: 0, out: 'Deleted profile shop.\n' });
  expect(JSON.parse((await run('delete', 'shop', '--json')).out)).toEqual(shop);
  api.handlers.deleteProfile = () => {
    throw new PilothouseError('NOT_FOUND', 'There is no profile "shop"');
  };
  expect(await run('delete', 'shop')).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no profile "shop"'),
  });
});
