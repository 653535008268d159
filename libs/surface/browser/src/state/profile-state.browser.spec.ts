import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import type { BrowserSurface } from '../browser.surface.ts';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
const requests: string[] = [];
let shop = '';
let otherOriginUrl = '';
beforeAll(async () => {
  kit = await startKit();
  const note = ({ method, url, headers }: IncomingMessage) =>
    requests.push(`${method} ${headers.host?.split(':')[0]}${url}`);
  const page = (body: string) =>
    `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><body>${body}</body>`;
  kit.serve('/enter', (request: IncomingMessage, response: ServerResponse) => {
    note(request);
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': ['sid=hush; HttpOnly; SameSite=Strict', 'kept=1; Max-Age=1000; Path=/shop', 'own=1; Path=/x'],
    });
    response.end(page('<script>localStorage.basket = "3 \\u{1F34E}"; sessionStorage.tab = "b"</script>'));
  });
  shop = kit.serve('/shop', (request: IncomingMessage, response: ServerResponse) => {
    note(request);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      page(
        `<output id="out"></output><script>out.textContent =
          [localStorage.basket, sessionStorage.tab, ${JSON.stringify(request.headers.cookie ?? '')}].join('|')</script>`,
      ),
    );
  });
  otherOriginUrl = shop.replace('127.0.0.1', 'localhost');
});
afterAll(() => kit.close());
beforeEach(() => void requests.splice(0));

const navigate = (surface: BrowserSurface, url: string) => kit.act(surface, { action: 'navigate', url });
const storedData = async (surface: BrowserSurface) => {
  const [basket, tab, cookies] = String(await output(kit, surface)).split('|');
  return { basket, tab, cookies: (cookies ?? '').split('; ').sort() };
};
const profileOf = (surface: BrowserSurface) => surface.profile(testContext(10_000));

const sortProfile = ({ cookies, origins }: StorageState) => ({
  cookies: cookies.toSorted((a, b) => (a.domain + a.name < b.domain + b.name ? -1 : 1)),
  origins: origins.toSorted((a, b) => (a.origin < b.origin ? -1 : 1)),
});

/** A surface that is signed in at two sites and left the first. */
async function signedIn(): Promise<BrowserSurface> {
  const surface = await kit.open();
  await navigate(surface, `${kit.origin}/enter`);
  // As after each step of a run. This is the last read of the session storage of the site.
  await surface.save(testContext(5000));
  await navigate(surface, `${kit.origin.replace('127.0.0.1', 'localhost')}/enter`);
  return surface;
}

test('another surface starts with the cookies and storage of all sites without requests', async () => {
  const surface = await signedIn();
  const initialAnchors = await surface.anchors(testContext(5000));
  const profile = await profileOf(surface);
  // Neither reading nor restoring sends requests or is visible afterwards.
  expect(requests).toEqual(['GET 127.0.0.1/enter', 'GET localhost/enter']);
  expect(await surface.anchors(testContext(5000))).toEqual(initialAnchors);
  await surface.close();
  expect(profile.origins.map(({ localStorage }) => localStorage)).toEqual([
    [{ name: 'basket', value: '3 🍎' }],
    [{ name: 'basket', value: '3 🍎' }],
  ]);
  expect(profile.origins.map(({ sessionStorage }) => sessionStorage)).toEqual([
    [{ name: 'tab', value: 'b' }],
    [{ name: 'tab', value: 'b' }],
  ]);
  expect(profile.cookies).toHaveLength(6);
  expect(profile.cookies.find(({ name }) => name === 'sid')).toMatchObject({
    value: 'hush',
    httpOnly: true,
    sameSite: 'Strict',
    expires: -1,
  });

  requests.splice(0);
  const next = await kit.open({ profile });
  expect(requests).toEqual([]);
  expect(await next.anchors(testContext(5000))).toEqual({ url: 'about:blank', title: '' });
  for (const url of [shop, otherOriginUrl]) {
    await navigate(next, url);
    expect(await storedData(next)).toMatchObject({ basket: '3 🍎', tab: 'b', cookies: ['kept=1', 'sid=hush'] });
  }
  // The history is empty: there is no page before the first.
  for (const _ of [otherOriginUrl, shop]) await kit.act(next, { action: 'goBack' }).catch(() => undefined);
  expect((await next.anchors(testContext(5000))).url).toBe(shop);
  // It has the initial profile and returns it.
  expect(sortProfile(await profileOf(next))).toEqual(sortProfile(profile));
  await next.close();

  const emptySurface = await kit.open();
  await navigate(emptySurface, shop);
  expect(await storedData(emptySurface)).toMatchObject({ basket: '', tab: '', cookies: [''] });
  await emptySurface.close();
});

const database = `new Promise((resolve, reject) => {
  const asked = indexedDB.open('shop', 3);
  asked.onupgradeneeded = () => asked.result.createObjectStore('orders', { keyPath: 'id' }).createIndex('by', 'at');
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
})`;

test('another surface starts with the databases of all sites, including values and indexes', async () => {
  kit.serve(
    '/keep',
    `<title>...</title><script type="module">
      const db = await ${database};
      const all = db.transaction('orders', 'readwrite');
      all.objectStore('orders').put({ id: 7, at: new Date(86400000), parts: [new Uint8Array([1, 2])] });
      all.oncomplete = () => (document.title = 'Kept');
    </script>`,
  );
  kit.serve(
    '/read',
    `<title>...</title><output id="out"></output><script type="module">
      const db = await ${database};
      const asked = db.transaction('orders').objectStore('orders').index('by').get(new Date(86400000));
      asked.onsuccess = () => {
        const { id, at, parts } = asked.result ?? {};
        out.textContent = [db.version, id, at instanceof Date, parts?.[0] instanceof Uint8Array && parts[0].join('+')].join('|');
        document.title = 'Read';
      };
    </script>`,
  );
  const surface = await kit.open();
  await navigate(surface, `${kit.origin}/keep`);
  await surface.expect({ title: 'Kept' }, testContext(5000));
  await navigate(surface, otherOriginUrl);
  const profile = await profileOf(surface);
  await surface.close();
  const next = await kit.open({ profile });
  await navigate(next, `${kit.origin}/read`);
  await next.expect({ title: 'Read' }, testContext(5000));
  expect(await output(kit, next)).toBe('3|7|true|1+2');
  expect(sortProfile(await profileOf(next)).origins).toEqual(sortProfile(profile).origins);
  await next.close();
});

test('a safe point includes the initial profile', async () => {
  const surface = await signedIn();
  const profile = await profileOf(surface);
  await surface.close();
  const restored = await kit.open({ profile });
  const state = await restored.save(testContext(5000));
  await restored.close();
  const next = await kit.open();
  requests.splice(0);
  await next.restore(state ?? '', testContext(10_000));
  expect(requests).toEqual([]);
  expect(await next.anchors(testContext(5000))).toEqual({ url: 'about:blank', title: '' });
  await navigate(next, otherOriginUrl);
  expect(await storedData(next)).toMatchObject({ basket: '3 🍎', tab: 'b', cookies: ['kept=1', 'sid=hush'] });
  await next.close();
});

test('the profile includes changes after input, without a safe point', async () => {
  const surface = await kit.showPage(
    `<button onclick="localStorage.basket = '5'; document.cookie = 'late=1'">Log in</button>`,
  );
  const click: Action = { action: 'click', target: { role: 'button', name: 'Log in' } };
  await kit.act(surface, click);
  expect(await surface.save(testContext(5000))).toBeNull();
  expect(await profileOf(surface)).toMatchObject({
    cookies: [{ name: 'late', value: '1', domain: '127.0.0.1' }],
    origins: [{ origin: kit.origin, localStorage: [{ name: 'basket', value: '5' }] }],
  });
  await surface.close();
});

test('does not start the service worker of a site without a page', async () => {
  const script = `self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    self.onfetch = (event) => event.request.mode === 'navigate' && event.respondWith(new Response(
      '<title>Shell</title><script>localStorage.shells = Number(localStorage.shells ?? 0) + 1</script>', { headers: { 'content-type': 'text/html' } }))`;
  kit.serve('/worker.js', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(script);
  });
  const surface = await kit.showPage(`<script>
    localStorage.basket = '7';
    navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => (document.title = 'Ready'));
  </script>`);
  await surface.expect({ title: 'Ready' }, testContext(5000));
  await navigate(surface, kit.origin);
  await surface.expect({ title: 'Shell' }, testContext(5000));
  await kit.act(surface, { action: 'navigate', url: otherOriginUrl });
  const { origins } = await profileOf(surface);
  const storageEntries = origins.flatMap(({ localStorage }) => localStorage.map(({ name, value }) => [name, value]));
  expect(Object.fromEntries(storageEntries)).toEqual({ basket: '7', shells: '1' });
  await surface.close();
});

test('a rejected profile is reported without its values and the next surface opens', async () => {
  const cookie = { name: 'sid', value: 'hush', path: '/', expires: -1, httpOnly: true, secure: false };
  const wrong: StorageState = { cookies: [{ ...cookie, domain: '%', sameSite: 'Lax' }], origins: [] };
  const error = await expectFailure(kit.open({ profile: wrong }));
  expect(error.code).toBe('PROFILE_INVALID');
  expect(error.message).not.toContain('hush');
  const right: StorageState = { cookies: [{ ...cookie, domain: '127.0.0.1', sameSite: 'Lax' }], origins: [] };
  const surface = await kit.open({ profile: right });
  await navigate(surface, shop);
  expect(await storedData(surface)).toMatchObject({ cookies: ['sid=hush'] });
  await surface.close();
});
