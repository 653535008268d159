import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startSite, type Site } from '@pilothouse/testing/demo-site/site-server';
import { HttpSurfaceHost } from './http.surface.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let site: Site;
let guards = 0;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
beforeEach(() => {
  guards = 0;
  site.ledger.clear();
});

const context = (ms = 5_000): ActionServices => ({
  signal: new AbortController().signal,
  deadline: performance.now() + ms,
  log,
  guard: () => void (guards += 1),
  reveal: (text) => Promise.resolve(text),
  file: () => Promise.reject(new Error('no files')),
});

const logIn: Action[] = [
  { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
  { action: 'fill', target: { label: 'Password' }, text: DEMO_ACCOUNT.password },
  { action: 'click', target: { role: 'button', name: 'Log in' } },
];
const write: Action[] = [
  { action: 'fill', target: { label: 'Your name' }, text: 'Pilothouse' },
  { action: 'fill', target: { label: 'Message' }, text: 'one & only' },
  { action: 'click', target: { role: 'button', name: 'Send message' } },
];
const open = () => new HttpSurfaceHost().open({ folder: '' }, context());

test('an HTTP surface sends one request per action to a real site', async () => {
  const surface = await open();
  await surface.act({ action: 'navigate', url: `${site.url}/login?next=/contact/frame` }, context());
  for (const action of [...logIn, ...write]) await surface.act(action, context());
  expect(guards).toBe(7);
  expect(site.ledger.entries({ kind: 'login' })).toHaveLength(1);
  expect(site.ledger.entries({ kind: 'contact' }).map(({ detail }) => detail)).toEqual([
    { name: 'Pilothouse', topic: 'An order', message: 'one & only' },
  ]);
  expect(await surface.isMet({ text: 'thank you' }, context())).toBe(true);
  expect(await surface.anchors(context())).toMatchObject({
    title: 'Thank you · Harbour Supplies',
    url: `${site.url}/contact/frame`,
  });
});

test('a second page shares the cookies, and does not change the first', async () => {
  const surface = await open();
  await surface.act({ action: 'navigate', url: `${site.url}/login?next=/contact/frame` }, context());
  for (const action of logIn) await surface.act(action, context());
  const page = await surface.openPage();
  await page.act({ action: 'navigate', url: `${site.url}/catalogue` }, context());
  const urls = [surface, page].map(async (httpSurface) => (await httpSurface.anchors(context())).url);
  expect(await Promise.all(urls)).toEqual([`${site.url}/contact/frame`, `${site.url}/catalogue`]);
});

test('it restores its address and cookies, but not after typing', async () => {
  const surface = await open();
  await surface.act({ action: 'navigate', url: `${site.url}/login?next=/contact/frame` }, context());
  for (const action of logIn) await surface.act(action, context());
  const state = await surface.save(context());
  await surface.act(write[0]!, context());
  expect(await surface.save(context())).toBeNull();

  const otherSurface = await open();
  await otherSurface.restore(state ?? '', context());
  expect(await otherSurface.isMet({ visible: { role: 'button', name: 'Send message' } }, context())).toBe(true);
});

test('a missing element is an error, or awaited until the deadline', async () => {
  const surface = await open();
  await surface.act({ action: 'navigate', url: `${site.url}/login` }, context());
  await expect(surface.act(write[2]!, context())).rejects.toMatchObject({ code: 'TARGET_NOT_FOUND' });
  await expect(surface.expect({ text: 'never' }, context(120))).rejects.toMatchObject({ code: 'CONDITION_NOT_MET' });
});
