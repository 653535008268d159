import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { BrowserSurface } from '../browser.surface.ts';
import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

type Extract = Omit<Action & { action: 'extract' }, 'action'>;

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const shop = `
  <h1>Rope</h1>
  <script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
    {"@type": "Organization", "name": "Harbour"},
    {"@type": ["Product", "Thing"], "name": "Rope", "offers": {"@type": "Offer", "price": "1,234.50", "priceCurrency": "EUR"}},
    {"@type": "https://schema.org/Product", "name": "Buoy", "offers": {"price": 7}}
  ]}</script>
  <script type="application/ld+json">this is not JSON</script>
  <script id="__NEXT_DATA__" type="application/json">{"props": {"pageProps": {"products": [
    {"sku": "A", "price": "12.00", "left": 3}, {"sku": "B", "price": 7.5, "left": null}]}}}</script>
  <script id="state">window.__STATE__ = {"user": {"name": "Robin"}};</script>`;

const runExtract = (surface: BrowserSurface, extract: Extract, ms = 3000) =>
  kit.act(surface, { action: 'extract', ...extract }, testContext(ms));

describe('scripts', () => {
  let surface: BrowserSurface;
  beforeAll(async () => {
    surface = await kit.showPage(shop);
  });

  const next = (path: string) => ({ script: '#__NEXT_DATA__', path });
  const sku = { sku: { path: '$.sku' }, price: { path: '$.price', type: 'number' } } as const;

  test.each<[string, Extract, Json]>([
    [
      'linked data of one type',
      {
        json: { jsonLd: 'Product' },
        list: { name: { path: '$.name' }, price: { path: '$.offers.price', type: 'number' } },
      },
      [
        { name: 'Rope', price: 1234.5 },
        { name: 'Buoy', price: 7 },
      ],
    ],
    [
      'one of them',
      {
        json: { jsonLd: 'Product', path: '$[?@.offers.priceCurrency == "EUR"]' },
        value: { path: '$.offers.price', type: 'money', currency: 'EUR' },
      },
      { amount: 1234.5, currency: 'EUR' },
    ],
    [
      'a list of a script',
      { json: next('$.props.pageProps.products'), list: sku },
      [
        { sku: 'A', price: 12 },
        { sku: 'B', price: 7.5 },
      ],
    ],
    ['its elements', { json: next('$.props.pageProps.products[*].sku'), list: {} }, ['A', 'B']],
    ['what it is', { json: next('$.props.pageProps.products[1]'), value: {} }, { sku: 'B', price: 7.5, left: null }],
    ['null', { json: next('$.props.pageProps.products[1].left'), value: { optional: true } }, null],
    ['what is given to a variable', { json: { script: '#state', path: '$.user.name' }, value: {} }, 'Robin'],
    ['nothing, where that is allowed', { json: { jsonLd: 'Event' }, list: { optional: true } }, []],
  ])('%s', async (_, extract, value) => expect((await runExtract(surface, extract)).value).toEqual(value));

  test('the evidence names the source', async () => {
    const { evidence } = await runExtract(surface, { json: next('$.props.pageProps.products'), list: sku });
    expect(evidence).toEqual({
      url: expect.stringContaining('/page-'),
      total: 4,
      values: [
        { pointer: '/0/sku', source: "$['props']['pageProps']['products'][0]['sku']", text: 'A' },
        { pointer: '/0/price', source: "$['props']['pageProps']['products'][0]['price']", text: '12' },
        { pointer: '/1/sku', source: "$['props']['pageProps']['products'][1]['sku']", text: 'B' },
        { pointer: '/1/price', source: "$['props']['pageProps']['products'][1]['price']", text: '7.5' },
      ],
    });
  });

  test.each<[string, Extract, string, string]>([
    [
      'a value of another type',
      { json: next('$.props.pageProps.products'), list: { n: { path: '$.sku', type: 'integer' } } },
      'EXTRACTION_FAILED',
      'element 0, n: "A" cannot be read as integer',
    ],
    [
      'a value that is not there',
      { json: next('$.props.pageProps.products'), list: { n: { path: '$.left', type: 'integer' } } },
      'EXTRACTION_FAILED',
      'element 1, n: $.left is null, but integer is expected',
    ],
    [
      'two where one is wanted',
      { json: { jsonLd: 'Product' }, value: { path: '$.name' } },
      'TARGET_AMBIGUOUS',
      'linked data Product matches 2 values',
    ],
    [
      'no such type',
      { json: { jsonLd: 'Event' }, value: {} },
      'TARGET_NOT_FOUND',
      'types: Organization, Product, Thing',
    ],
    [
      'no script matches',
      { json: { script: '#none' }, value: {} },
      'TARGET_NOT_FOUND',
      'scripts: script[type="application/ld+json"]',
    ],
    ['no such place', { json: next('$.none'), value: {} }, 'TARGET_NOT_FOUND', 'there is no $.none in #__NEXT_DATA__'],
    ['no JSON', { json: { script: 'h1' }, value: {} }, 'TARGET_NOT_FOUND', 'holds no JSON: Rope'],
  ])('%s', async (_, extract, code, message) => {
    expect(await expectFailure(runExtract(surface, extract, 1500))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

test('reports existing values although the page hangs at the last attempt', async () => {
  const hanging = await kit.showPage(`<script type="application/ld+json">{"@type": "Product"}</script><script>
    const all = document.querySelectorAll;
    document.querySelectorAll = (css) => {
      setTimeout(() => { for (const end = Date.now() + 6_000; Date.now() < end; ); });
      return all.call(document, css);
    };</script>`);
  expect(await expectFailure(runExtract(hanging, { json: { script: '#none' }, value: {} }, 1500))).toMatchObject({
    code: 'TARGET_NOT_FOUND',
    message: expect.stringContaining('scripts: script[type="application/ld+json"]'),
  });
  await hanging.close();
});

describe('responses', () => {
  const open = async () => {
    let requestCount = 0;
    kit.serve('/api/rows', (request, response) => {
      requestCount += 1;
      const page = new URL(request.url ?? '', kit.origin).searchParams.get('page');
      if (page === '9') return void response.writeHead(500).end('broken');
      response.writeHead(200, { 'content-type': 'application/json' });
      // Delayed, so that the step has to wait.
      const timer = setInterval(() => {
        clearInterval(timer);
        response.end(JSON.stringify({ rows: [{ sku: `${page}-${requestCount}`, price: '3.50' }] }));
      }, 150);
    });
    const url = kit.serve(
      '/rows',
      `<button id="more">More</button><button id="bad">Bad</button><script>
        const get = (page) => fetch('/api/rows?page=' + page);
        get(1); more.onclick = () => get(2); bad.onclick = () => get(9);</script>`,
    );
    const surface = await kit.open({ recordResponses: true });
    await kit.act(surface, { action: 'navigate', url });
    return surface;
  };
  const rows = { json: { response: '*/api/rows?page=*', path: '$.rows' }, list: { sku: { path: '$.sku' } } };

  test('waits for and reads the newest response', async () => {
    const surface = await open();
    expect((await runExtract(surface, rows)).value).toEqual([{ sku: '1-1' }]);
    await kit.act(surface, { action: 'click', target: { css: '#more' } });
    const { value, evidence } = await runExtract(surface, rows);
    expect(value).toEqual([{ sku: '2-2' }]);
    expect(evidence).toMatchObject({ url: `${kit.origin}/api/rows?page=2`, total: 1 });
    await surface.close();
  });

  test('reports a failed response and one without a request', async () => {
    const surface = await open();
    expect(await expectFailure(runExtract(surface, { ...rows, json: { response: '*/none' } }, 800))).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining(`last requests: ${kit.origin}/rows, ${kit.origin}/api/rows?page=1`),
    });
    await kit.act(surface, { action: 'click', target: { css: '#bad' } });
    expect(await expectFailure(runExtract(surface, rows, 1500))).toMatchObject({
      message: expect.stringContaining('answered 500'),
    });
    await surface.close();
  });

  test('fails on a surface that does not record responses', async () => {
    const surface = await kit.showPage('<p>x</p>');
    expect(await expectFailure(runExtract(surface, rows, 1500))).toMatchObject({ code: 'ACTION_UNSUPPORTED' });
    await surface.close();
  });
});
