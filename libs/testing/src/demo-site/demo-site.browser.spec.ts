import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { headlessShellOptions } from '../headless-shell.ts';
import { until } from '../test-helpers.ts';
import { DEMO_ACCOUNT, startSite, type LedgerKind, type Site } from './site-server.ts';

const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

let site: Site;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: chromiumPath,
    ...headlessShellOptions(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
});

afterAll(() => browser?.close());

beforeEach(async () => {
  site = await startSite();
  page = await browser.newPage({ baseURL: site.url, viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(30_000);
  complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
});

afterEach(async () => {
  await page.context().close();
  await site.close();
  expect(complaints).toEqual([]);
});

async function logIn(next = '/catalogue'): Promise<void> {
  await page.goto(next);
  await page.getByLabel('E-mail').fill(DEMO_ACCOUNT.email);
  await page.getByLabel('Password').fill(DEMO_ACCOUNT.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(`**${next}`);
}

function details(kind: LedgerKind): Record<string, unknown>[] {
  return site.ledger.entries({ kind }).map((entry) => entry.detail);
}

/** Waits for a text within the deadline of the page. */
function see(text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor();
}

test('the landing page links to the login, which redirects to the catalogue', async () => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Log in to order' }).click();
  await page.getByLabel('E-mail').fill(DEMO_ACCOUNT.email);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').filter({ hasText: 'E-mail or password is wrong' }).waitFor();
  await until('the browser complains', () => complaints.length > 0);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);

  await page.getByLabel('Password').fill(DEMO_ACCOUNT.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/catalogue');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL('**/login');
  await page.goto('/catalogue');
  expect(page.url()).toBe(`${site.url}/login?next=%2Fcatalogue`);

  expect(details('login')).toEqual([
    { user: DEMO_ACCOUNT.email, ok: false },
    { user: DEMO_ACCOUNT.email, ok: true },
  ]);
});

test('the catalogue has three pages', async () => {
  await logIn();
  const skus: string[] = [];
  for (let number = 1; number <= 3; number += 1) {
    await see(`Page ${number} of 3`);
    skus.push(...(await page.locator('tbody td:first-child').allTextContents()));
    if (number < 3) await page.getByRole('link', { name: 'Next' }).click();
  }
  expect(new Set(skus).size).toBe(42);
  expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);

  await page.getByRole('link', { name: 'Page 1', exact: true }).click();
  await see('Page 1 of 3');
  const cells = await page.getByRole('row').nth(2).locator('th, td').allTextContents();
  expect(cells).toEqual(['RL-1012', 'Mooring rope, polyester 32 mm', 'Ropes & lines', '€296.50', '38']);
});

test('the search suggests while typing, and filters', async () => {
  await logIn();
  const search = page.getByRole('combobox', { name: 'Search products' });
  // Keys may be slow, so no suggestions are checked for a partial query.
  const suggest = '**/api/suggest*';
  await page.route(suggest, (route) =>
    route.request().url().endsWith('q=mooring%20rope')
      ? route.continue()
      : route.fulfill({ json: { suggestions: [] } }),
  );
  await search.pressSequentially('mooring rope');
  await page.getByRole('option', { name: 'Mooring rope, polyester 32 mm RL-1012' }).waitFor();
  await page.unroute(suggest);
  expect(await page.getByRole('option').count()).toBe(2);
  expect(await search.getAttribute('aria-expanded')).toBe('true');
  await search.press('ArrowDown');
  await search.press('ArrowDown');
  await search.press('Enter');
  await see('1 product for “Mooring rope, polyester 32 mm”');
  expect(details('search').at(-1)).toEqual({ source: 'page', q: 'Mooring rope, polyester 32 mm', page: 1, results: 1 });

  await search.fill('shackle');
  await page.getByRole('option').click();
  await see('1 product for “Bow shackle, stainless 16 mm”');

  await search.fill('zeppelin');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'Nothing found for “zeppelin”' }).waitFor();
});

test('an order passes the product, the form and the dialog, and appears in the CSV', async () => {
  await logIn('/products/RL-1012');
  expect(await page.getByTestId('unit-price').textContent()).toBe('€296.50');
  await page.getByLabel('Quantity').fill('3');
  await page.getByRole('button', { name: 'Add to order' }).click();

  await page.getByRole('heading', { name: 'New order' }).waitFor();
  expect(await page.getByLabel('Product').inputValue()).toBe('RL-1012');
  await page.getByRole('button', { name: 'Place order' }).click();
  await see('Enter a delivery date.');
  await see('Accept the terms to place the order.');
  expect(await page.getByLabel('Delivery date').getAttribute('aria-invalid')).toBe('true');

  const notes = 'Berth 12 <img src=x onerror="alert(1)">\nask for the mate';
  await page.getByLabel('Delivery date').fill('2040-05-04');
  await page.getByRole('radio', { name: 'Express' }).check();
  await page.getByLabel('Your reference').fill('NG-2204');
  await page.getByLabel('Notes').fill(notes);
  const buffer = Buffer.from('%PDF-1.4 purchase order');
  await page
    .getByLabel('Purchase order')
    .setInputFiles({ name: 'Bestellung Nº 7.pdf', mimeType: 'application/pdf', buffer });
  await page.getByLabel('I accept the terms').check();

  const dialog = page.getByRole('dialog', { name: 'Place order?' });
  await page.getByRole('button', { name: 'Place order' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(details('order')).toEqual([]);
  await page.getByRole('button', { name: 'Place order' }).click();
  await dialog.getByText('€907.50').waitFor();
  await dialog.getByRole('button', { name: 'Confirm' }).click();

  await page.waitForURL('**/orders/HS-1001');
  expect(await page.getByTestId('order-number').textContent()).toBe('HS-1001');
  await see('Berth 12 <img src=x onerror="alert(1)">');
  // Browsers submit line breaks as CRLF.
  const sentNotes = notes.replace('\n', '\r\n');
  const file = {
    name: 'Bestellung Nº 7.pdf',
    size: buffer.length,
    sha256: createHash('sha256').update(buffer).digest('hex'),
  };
  const order = { id: 'HS-1001', sku: 'RL-1012', quantity: 3, date: '2040-05-04', speed: 'express', notes: sentNotes };
  expect(details('order')).toEqual([{ ...order, reference: 'NG-2204', file, total: 90750, run: null }]);
  expect(details('upload')).toEqual([{ ...file, order: 'HS-1001' }]);

  await page.getByRole('link', { name: 'All orders' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('orders.csv');
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(lines[0]).toBe('order,sku,product,quantity,delivery,speed,total,currency,reference,notes,placed');
  expect(lines[1]).toMatch(
    /^HS-1001,RL-1012,"Mooring rope, polyester 32 mm",3,2040-05-04,express,907\.50,EUR,NG-2204,/,
  );
  expect(details('download')).toEqual([{ file: 'orders.csv', orders: 1 }]);
});

test('the contact form in a frame thanks by name', async () => {
  await logIn('/contact');
  const frame = page.frameLocator('iframe[title="Message form"]');
  await frame.getByLabel('Your name').fill('Ada <b>L.</b>');
  await frame.getByLabel('About').selectOption('A delivery');
  await frame.getByLabel('Message').fill('When does the launch come?');
  await frame.getByRole('button', { name: 'Send message' }).click();
  await frame.getByRole('heading', { name: 'Thank you, Ada <b>L.</b>!' }).waitFor();
  expect(details('contact')).toEqual([
    { name: 'Ada <b>L.</b>', topic: 'A delivery', message: 'When does the launch come?' },
  ]);
});

test('the stock checker responds in its shadow root', async () => {
  await logIn('/stock');
  const checker = page.locator('stock-checker');
  await checker.getByLabel('SKU').fill('rl-1012');
  await checker.getByRole('button', { name: 'Check stock' }).click();
  await checker.getByText('In stock: 38 in all').waitFor();
  expect(await checker.getByRole('listitem').allTextContents()).toEqual(['19Rotterdam', '12Hamburg', '7Piraeus']);
  expect(await page.evaluate(`document.querySelector('stock-checker').childElementCount`)).toBe(0);
  expect(await page.evaluate(`document.querySelector('stock-checker').shadowRoot.mode`)).toBe('open');
});

test('the tides load after the page', async () => {
  const requestSeen = Promise.withResolvers<undefined>();
  await page.route('**/api/tides*', async (route) => {
    await requestSeen.promise;
    await route.continue();
  });
  await logIn('/slow?ms=300');
  await see('Reading the gauge');
  requestSeen.resolve(undefined);
  await page.getByRole('table', { name: 'Tides today' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(5);
  expect(await page.locator('#tides').getAttribute('aria-busy')).toBe('false');
});

test('the widget gallery is public and reports events', async () => {
  await page.goto('/public/widgets');
  const last = page.locator('#last-event');
  await page.getByLabel('Berth', { exact: true }).first().selectOption('n2');
  expect(await last.textContent()).toBe('berth = n2');
  await page.getByRole('switch', { name: 'Night work' }).click();
  expect(await last.textContent()).toBe('night work on');
  await page.getByRole('button', { name: 'Double-click me' }).dblclick();
  expect(await last.textContent()).toBe('double click');
  await page.getByRole('tab', { name: 'Night' }).click();
  await see('The night watch begins at 20:00.');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Anchor' }).click();
  expect(await last.textContent()).toBe('menu: Anchor');
  await page.getByRole('button', { name: 'Open dialog' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await see('dialog: yes');
  await page.getByRole('button', { name: 'Crate' }).dragTo(page.getByRole('region', { name: 'Hold' }));
  await see('Stowed: crate');
  await page.locator('gallery-counter').getByRole('button').click();
  expect(await last.textContent()).toBe('shadow 1');
});

test('fits the width of a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await logIn();
  const paths = ['/', '/catalogue', '/products/RL-1012', '/orders', '/orders/new', '/contact', '/stock', '/slow?ms=0'];
  for (const path of [...paths, '/public/widgets']) {
    await page.goto(path);
    expect({ path, width: await page.evaluate('document.documentElement.scrollWidth') }).toEqual({ path, width: 390 });
  }
});
