import type { BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';
import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

/** Evaluates an expression of a page in a browser with these options. */
async function evaluateInPage(browser: BrowserOptions, expression: string): Promise<string> {
  const url = kit.serve(
    '/options',
    `<output id="out">-</output><script>Promise.resolve(${expression}).then((it) => { out.textContent = String(it); }, (error) => { out.textContent = 'failed'; })</script>`,
  );
  const surface = await kit.host.open({ folder: kit.folder, browser }, testContext(10_000));
  await kit.act(surface, { action: 'navigate', url });
  await kit.act(surface, { action: 'waitFor', condition: { loadState: 'networkidle' } });
  const { value } = await kit.act(surface, { action: 'extract', target: { css: '#out' }, value: {} });
  await surface.close();
  return String(value);
}

const position = 'new Promise((ok, no) => navigator.geolocation.getCurrentPosition((p) => ok(p.coords.latitude), no))';

test.each<[BrowserOptions, string, string]>([
  [{ viewport: { width: 500, height: 400 } }, 'innerWidth + "x" + innerHeight', '500x400'],
  [{ userAgent: 'Harbour/1' }, 'navigator.userAgent', 'Harbour/1'],
  [{ locale: 'de-DE' }, 'navigator.language + (1.5).toLocaleString()', 'de-DE1,5'],
  [{ timezoneId: 'Asia/Tokyo' }, 'Intl.DateTimeFormat().resolvedOptions().timeZone', 'Asia/Tokyo'],
  [{ geolocation: { latitude: 53.5, longitude: 8 } }, position, '53.5'],
  [{ device: 'Pixel 7' }, '/Android/.test(navigator.userAgent) + "/" + navigator.maxTouchPoints', 'true/1'],
  [{ blockUrls: ['*/blocked*'] }, `fetch('/blocked?x').then(() => 'came')`, 'failed'],
  [{ blockUrls: ['*/other*'] }, `fetch('/blocked?x').then(() => 'came')`, 'came'],
])('%j: %s is %s', async (browser, expression, expected) =>
  expect(await evaluateInPage(browser, expression)).toBe(expected),
);

test('sends HTTP credentials only to their origin', async () => {
  const authorizations: (string | undefined)[] = [];
  kit.serve('/secret', (request, response) => {
    authorizations.push(request.headers.authorization);
    if (request.headers.authorization) return void response.end('<title>Let in</title>');
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('<title>Kept out</title>');
  });
  const auth = { username: 'robin', password: 'hush' };
  const titles = [];
  for (const origin of [kit.origin, 'http://elsewhere.test']) {
    const surface = await kit.host.open(
      { folder: kit.folder, browser: { httpCredentials: { ...auth, origin } } },
      testContext(10_000),
    );
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}/secret` }).catch(() => undefined);
    titles.push(await kit.title(surface));
    await surface.close();
  }
  expect(titles[0]).toBe('Let in');
  expect(titles[1]).not.toBe('Let in');
  expect(authorizations.filter(Boolean)).toEqual([`Basic ${Buffer.from('robin:hush').toString('base64')}`]);
});

test.each<[BrowserOptions, string]>([
  [{ device: 'Typewriter' }, 'Unknown device "Typewriter"'],
  [{ timezoneId: 'Mars/Base' }, 'rejected the browser options: Invalid time zone specified: Mars/Base'],
  [{ locale: 'no language' }, 'rejected the browser options: Incorrect locale'],
])('%j is refused, and the browser goes on', async (browser, message) => {
  const error = await expectFailure(kit.host.open({ folder: kit.folder, browser }, testContext(10_000)));
  expect(error).toMatchObject({ code: 'ACTION_UNSUPPORTED', message: expect.stringContaining(message) });
  const surface = await kit.showPage('<p>Still here</p>');
  await surface.expect({ text: 'Still here' }, testContext(10_000));
  await surface.close();
});
