import { connect } from 'node:net';
import { once } from 'node:events';
import { DEMO_ACCOUNT, startSite, type LedgerEntry, type Site } from './site-server.ts';

let site: Site;
const now = () => new Date('2026-10-01T12:00:00Z');

beforeEach(async () => {
  site = await startSite({ now });
});

afterEach(() => site.close());

interface Call {
  cookie?: string;
  method?: string;
  body?: string | FormData | URLSearchParams;
  headers?: Record<string, string>;
}

function call(path: string, { cookie = '', headers = {}, ...rest }: Call = {}): Promise<Response> {
  return fetch(site.url + path, { redirect: 'manual', headers: { cookie, ...headers }, ...rest });
}

async function logIn(next = ''): Promise<{ cookie: string; location: string | null }> {
  const body = new URLSearchParams({ email: DEMO_ACCOUNT.email, password: DEMO_ACCOUNT.password, next });
  const response = await call('/login', { method: 'POST', body });
  expect(response.status).toBe(303);
  const cookie = response.headers.getSetCookie()[0] ?? '';
  expect(cookie).toMatch(/; HttpOnly; SameSite=Lax$/);
  return { cookie: cookie.split(';')[0] ?? '', location: response.headers.get('location') };
}

function orderForm(fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  const usual = { sku: 'SF-3006', quantity: '2', date: '2026-10-02', speed: 'standard', terms: 'accepted' };
  for (const [name, value] of Object.entries({ ...usual, ...fields })) form.set(name, value);
  return form;
}

async function readLedger(query = ''): Promise<{ entries: LedgerEntry[]; last: number }> {
  return (await call(`/__ledger${query}`)).json() as Promise<{ entries: LedgerEntry[]; last: number }>;
}

test('without a session a page redirects to the login and back, a script gets 401', async () => {
  const page = await call('/catalogue?q=rope&page=1');
  expect([page.status, page.headers.get('location')]).toEqual([303, '/login?next=%2Fcatalogue%3Fq%3Drope%26page%3D1']);
  expect((await call('/nowhere')).headers.get('location')).toBe('/login?next=%2Fnowhere');
  expect((await call('/orders/new', { method: 'POST', body: orderForm() })).headers.get('location')).toBe('/login');
  expect((await call('/api/suggest?q=rope')).status).toBe(401);
  for (const path of ['/', '/login', '/public/widgets', '/healthz']) expect((await call(path)).status).toBe(200);
  expect(site.ledger.entries({ kind: 'order' })).toEqual([]);
});

test.each([
  ['/orders?x=1', '/orders?x=1'],
  ['', '/catalogue'],
  ['https://evil.example/', '/catalogue'],
  ['//evil.example/', '/catalogue'],
  ['/\\evil.example', '/catalogue'],
  ['/\t/evil.example', '/catalogue'],
  ['/logout', '/catalogue'],
])('the login redirects from next=%j to %s', async (next, location) => {
  expect((await logIn(next)).location).toBe(location);
});

test('escapes user input', async () => {
  const { cookie } = await logIn();
  const attack = '"><script>alert(1)</script>';
  const response = await call(`/catalogue?q=${encodeURIComponent(attack)}`, { cookie });
  const markup = await response.text();
  expect(markup).not.toContain('<script>alert');
  expect(markup).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");

  await call('/orders/new', { cookie, method: 'POST', body: orderForm({ notes: attack }) });
  expect(await (await call('/orders/HS-1001', { cookie })).text()).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('creates one order per accepted submission, including duplicates', async () => {
  const { cookie } = await logIn();
  const send = (headers = {}) =>
    call('/orders/new', { cookie, method: 'POST', body: orderForm({ reference: 'A-1' }), headers });
  expect((await send({ 'x-run': 'run_7' })).headers.get('location')).toBe('/orders/HS-1001');
  expect((await send()).headers.get('location')).toBe('/orders/HS-1002');
  const { entries } = await readLedger('?kind=order');
  expect(entries.map(({ session, method, path, at }) => [session, method, path, at])).toEqual(
    Array(2).fill(['S-1', 'POST', '/orders/new', now().toISOString()]),
  );
  expect(entries.map(({ detail }) => [detail.id, detail.reference, detail.run, detail.file])).toEqual([
    ['HS-1001', 'A-1', 'run_7', null],
    ['HS-1002', 'A-1', null, null],
  ]);
});

test.each([
  ['Choose a product.', { sku: 'XX-1' }],
  ['Enter a whole number from 1 to 500.', { quantity: '0' }],
  ['Enter a whole number from 1 to 500.', { quantity: '1e2' }],
  ['Enter a delivery date.', { date: '2027-02-31' }],
  ['The delivery date must be in the future.', { date: '2026-10-01' }],
  ['Choose how fast we deliver.', { speed: 'toString' }],
  ['Accept the terms to place the order.', { terms: '' }],
  ['Keep the notes under 500 characters.', { notes: 'x'.repeat(501) }],
])('rejects an order with an error at its field: %s', async (sentence, fields) => {
  const { cookie } = await logIn();
  const response = await call('/orders/new', { cookie, method: 'POST', body: orderForm(fields) });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain(`id="${Object.keys(fields)[0]}-error">${sentence}</p>`);
  expect(site.ledger.entries({ kind: 'order' })).toEqual([]);
});

test('checking an order creates none', async () => {
  const { cookie } = await logIn();
  const check = await call('/api/orders/check', { cookie, method: 'POST', body: orderForm() });
  expect(await check.json()).toMatchObject({ summary: { Total: '€93.50' } });
  expect(await (await call('/orders', { cookie })).text()).toContain('0 orders');
});

test('rejects a body over 2 MB with 413 and changes nothing', async () => {
  const { cookie } = await logIn();
  const form = orderForm();
  form.set('purchaseOrder', new File([new Uint8Array(3 * 1024 * 1024)], 'large.pdf'));
  const response = await call('/orders/new', { cookie, method: 'POST', body: form });
  expect(response.status).toBe(413);
  expect(await response.text()).toContain('larger than 2 MB');
  expect(site.ledger.entries().filter(({ kind }) => kind === 'order' || kind === 'upload')).toEqual([]);
});

test('a connection that breaks during the body creates no order', async () => {
  const { cookie } = await logIn();
  const { hostname, port } = new URL(site.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /orders/new HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Length: 500\r\n`;
  socket.end(`${head}Content-Type: application/x-www-form-urlencoded\r\n\r\nsku=SF-3006&quantity=2`);
  socket.resume();
  await once(socket, 'close');
  expect(site.ledger.entries({ kind: 'order' })).toEqual([]);
});

test('escapes formulas in the CSV export', async () => {
  const { cookie } = await logIn();
  await call('/orders/new', { cookie, method: 'POST', body: orderForm({ reference: '=1+1', notes: 'a "b", c' }) });
  const response = await call('/orders.csv', { cookie });
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="orders.csv"');
  expect(await response.text()).toContain(`,EUR,'=1+1,"a ""b"", c",`);
});

test('the ledger is read, filtered and cleared over HTTP; its numbers continue', async () => {
  const { cookie } = await logIn();
  await call('/catalogue?q=rope', { cookie });
  const ledger = await readLedger();
  expect(ledger.entries.map(({ n, kind, path }) => [n, kind, path])).toEqual([
    [1, 'login', '/login'],
    [2, 'search', '/catalogue'],
    [3, 'visit', '/catalogue'],
  ]);
  expect((await readLedger('?kind=search')).entries[0]?.detail).toMatchObject({ q: 'rope', results: 6 });
  expect((await readLedger('?since=2')).entries.map(({ n }) => n)).toEqual([3]);
  expect(ledger.entries).toEqual(site.ledger.entries());
  expect((await call('/__ledger?kind=orders')).status).toBe(400);
  expect((await call('/__ledger?until=two', { method: 'DELETE' })).status).toBe(400);
  expect((await call('/__ledger?until=2', { method: 'DELETE' })).status).toBe(204);
  expect((await readLedger()).entries.map(({ n }) => n)).toEqual([3]);
  expect((await call('/__ledger', { method: 'DELETE' })).status).toBe(204);
  expect(await readLedger()).toEqual({ entries: [], last: 3 });
  await call('/');
  expect(site.ledger.entries()).toMatchObject([{ n: 4, kind: 'visit', session: null }]);
});

test('the ledger contains no password and no cookie', async () => {
  const { cookie } = await logIn();
  const body = new URLSearchParams({ email: DEMO_ACCOUNT.password, password: 'x' });
  expect((await call('/login', { method: 'POST', body })).status).toBe(401);
  const ledgerText = JSON.stringify(site.ledger.entries());
  expect(ledgerText).not.toContain(DEMO_ACCOUNT.password);
  expect(ledgerText).not.toContain(cookie.split('=')[1]);
  expect(site.ledger.entries({ kind: 'login' }).at(-1)?.detail).toEqual({ user: null, ok: false });
});

test('unknown pages, wrong methods and wrong forms get an error status', async () => {
  const { cookie } = await logIn();
  expect((await call('/products/NO-1', { cookie })).status).toBe(404);
  expect((await call('/orders/HS-9', { cookie })).status).toBe(404);
  const wrong = await call('/orders', { cookie, method: 'DELETE' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
  const headers = { 'content-type': 'application/json' };
  expect((await call('/orders/new', { cookie, method: 'POST', body: '{}', headers })).status).toBe(415);
  const broken = { 'content-type': 'multipart/form-data; boundary=x' };
  expect((await call('/orders/new', { cookie, method: 'POST', body: 'nonsense', headers: broken })).status).toBe(400);
});

test('sites are isolated, and close does not wait for a slow page', async () => {
  const secondSite = await startSite();
  const { cookie } = await logIn();
  expect((await fetch(`${secondSite.url}/orders`, { redirect: 'manual', headers: { cookie } })).status).toBe(303);
  const slow = call('/api/tides?ms=10000', { cookie }).catch(() => 'broken off');
  await call('/healthz');
  await Promise.all([site.close(), secondSite.close(), secondSite.close()]);
  expect(await slow).toBe('broken off');
});

test('rejects a port in use', async () => {
  await expect(startSite({ port: Number(new URL(site.url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
