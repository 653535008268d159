import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

type Extract = Omit<Action & { action: 'extract' }, 'action'>;

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

async function extractFrom(body: string, extract: Extract, ms = 5000) {
  const surface = await kit.showPage(body);
  try {
    return await kit.act(surface, { action: 'extract', ...extract }, testContext(ms));
  } finally {
    await surface.close();
  }
}

describe('value', () => {
  const card =
    '<div class="card" data-id="7"><h3>Rope <small>new</small></h3><span class="price">1,234.50 €</span><a href="/rope?x=1">more</a><time>21.11.2026</time><p style="display:none" class="h">hidden  text</p><span class="two">a</span><span class="two">b</span></div>';

  test.each<[string, Extract, Json]>([
    ['text', { target: { css: 'h3' }, value: {} }, 'Rope new'],
    ['inner css', { target: { css: '.card' }, value: { css: 'small' } }, 'new'],
    ['number', { target: { css: '.price' }, value: { type: 'number' } }, 1234.5],
    ['date', { target: { css: 'time' }, value: { type: 'date' } }, '2026-11-21'],
    ['attribute', { target: { css: '.card' }, value: { attribute: 'data-id', type: 'integer' } }, 7],
    ['pattern', { target: { css: '.price' }, value: { pattern: '[.](\\d+)', type: 'integer' } }, 50],
    [
      'attribute of an invisible element',
      { target: { css: 'title' }, value: { attribute: 'lang', optional: true } },
      null,
    ],
    ['optional target', { target: { css: '.none' }, value: { optional: true } }, null],
    ['optional inner', { target: { css: '.card' }, value: { css: '.none', optional: true } }, null],
    ['optional pattern', { target: { css: '.price' }, value: { pattern: '\\$', optional: true } }, null],
  ])('%s', async (_, extract, value) => expect((await extractFrom(card, extract)).value).toEqual(value));

  test('returns absolute URLs', async () => {
    const { value } = await extractFrom(card, { target: { css: 'a' }, value: { attribute: 'href' } });
    expect(value).toBe(`${kit.origin}/rope?x=1`);
  });

  test.each<[string, Extract, string, string]>([
    [
      'no number',
      { target: { css: 'h3' }, value: { type: 'number' } },
      'EXTRACTION_FAILED',
      '"Rope new" cannot be read as number: it has no digit',
    ],
    [
      'inner css missing',
      { target: { css: '.card' }, value: { css: '.none' } },
      'EXTRACTION_FAILED',
      'there is no .none',
    ],
    [
      'inner css twice',
      { target: { css: '.card' }, value: { css: '.two' } },
      'EXTRACTION_FAILED',
      '.two matches 2 elements: <span class="two">a</span>',
    ],
    [
      'attribute missing',
      { target: { css: '.card' }, value: { attribute: 'title' } },
      'EXTRACTION_FAILED',
      'there is no attribute title',
    ],
    [
      'pattern missing',
      { target: { css: '.price' }, value: { pattern: '\\$' } },
      'EXTRACTION_FAILED',
      'does not match \\$',
    ],
    ['no target', { target: { css: '.none' }, value: {} }, 'TARGET_NOT_FOUND', 'css=.none: nothing'],
  ])('%s', async (_, extract, code, message) => {
    expect(await expectFailure(extractFrom(card, extract, 2000))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

describe('list', () => {
  const list = '<ul><li><b>A</b> <i>1</i><li><b>B</b> <i>2</i><li style="display:none"><b>C</b> <i>3</i></ul>';

  test.each<[string, Extract, Json]>([
    ['of texts', { target: { css: 'li' }, list: {} }, ['A 1', 'B 2']],
    ['of numbers', { target: { css: 'li' }, list: { css: 'i', type: 'integer' } }, [1, 2]],
    [
      'of objects',
      { target: [{ css: '.none' }, { css: 'li' }], list: { name: { css: 'b' }, n: { css: 'i', type: 'integer' } } },
      [
        { name: 'A', n: 1 },
        { name: 'B', n: 2 },
      ],
    ],
    [
      'with what is not there',
      { target: { css: 'li' }, list: { name: { css: 'u', optional: true } } },
      [{ name: null }, { name: null }],
    ],
    ['of nothing, where that is allowed', { target: { css: 'p' }, list: { optional: true } }, []],
  ])('%s', async (_, extract, value) => expect((await extractFrom(list, extract)).value).toEqual(value));

  test.each<[string, Extract, string, string]>([
    [
      'one of them is wrong',
      { target: { css: 'li' }, list: { n: { css: 'b', type: 'integer' } } },
      'EXTRACTION_FAILED',
      'css=li, element 0, n: "A" cannot be read as integer',
    ],
    ['nothing there', { target: { css: 'p' }, list: {} }, 'TARGET_NOT_FOUND', 'css=p: nothing'],
  ])('%s', async (_, extract, code, message) => {
    expect(await expectFailure(extractFrom(list, extract, 1500))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

test('returns an empty optional list once the page is idle, and not before', async () => {
  const optional = { action: 'extract', target: { css: 'li' }, list: { optional: true } } as const;
  const idleSurface = await kit.showPage('<ul></ul>');
  // A busy machine may not become idle in time, so several attempts are allowed.
  const times: number[] = [];
  while (times.length < 8 && !times.some((ms) => ms < 1500)) {
    const startedAt = performance.now();
    expect((await kit.act(idleSurface, optional)).value).toEqual([]);
    times.push(performance.now() - startedAt);
  }
  expect(Math.min(...times)).toBeLessThan(1500);
  await idleSurface.close();

  kit.serve('/rows', (_, response) => void setTimeout(() => response.end('late'), 600));
  const busy = await kit.showPage(
    `<ul id="l"></ul><script>fetch('/rows').then((one) => one.text()).then((text) => { l.innerHTML = '<li>' + text })</script>`,
  );
  expect((await kit.act(busy, optional)).value).toEqual(['late']);
  await busy.close();
});

describe('table', () => {
  const columns = {
    sku: 'SKU',
    price: { header: 'unit  price', type: 'number' },
    link: { header: 'Name', attribute: 'href', optional: true },
  } as const;
  const head =
    '<thead><tr><th colspan="2">Goods</th><th>Money</th></tr><tr><th>SKU ▲</th><th>Name</th><th>Unit price</th></tr></thead>';

  test.each<[string, string, Json]>([
    [
      'plain',
      `<table>${head}<tr><td>A-1</td><td><a href="#a">Rope</a></td><td>1.50</td></tr></table>`,
      [{ sku: 'A-1', price: 1.5, link: expect.stringContaining('#a') as unknown as string }],
    ],
    [
      'footer, hidden rows and rows across are none',
      `<table>${head}<tbody><tr><td colspan="3">Nothing else</td></tr><tr hidden><td>x</td></tr><tr><td>A</td><td>b</td><td>2</td></tr></tbody><tfoot><tr><td colspan="2">Sum</td><td>9</td></tr></tfoot></table>`,
      [{ sku: 'A', price: 2, link: null }],
    ],
    [
      'cells that span',
      `<table>${head}<tr><td rowspan="2">A</td><td>b</td><td>2</td></tr><tr><td>c</td><td>3</td></tr><tr><td colspan="2">D</td><td>4</td></tr></table>`,
      [
        { sku: 'A', price: 2, link: null },
        { sku: 'A', price: 3, link: null },
        { sku: 'D', price: 4, link: null },
      ],
    ],
    [
      'header in the first row',
      '<table><tr><th>sku</th><th>name</th><th>UNIT PRICE</th></tr><tr><th scope="row">A</th><td>b</td><td>2</td></tr></table>',
      [{ sku: 'A', price: 2, link: null }],
    ],
    [
      'ARIA grid',
      '<div role="table"><div role="row"><span role="columnheader">SKU</span> <span role="columnheader">Name</span> <span role="columnheader">Unit price</span></div><div role="row"><span role="cell">A</span> <span role="cell">b</span> <span role="cell">2</span></div></div>',
      [{ sku: 'A', price: 2, link: null }],
    ],
    ['no rows', `<table>${head}</table>`, []],
    [
      'rows that come late',
      `<table>${head}<tbody></tbody></table><script>setTimeout(() => { document.querySelector('tbody').innerHTML = '<tr><td>A</td><td>b</td><td>2</td></tr>' }, 300)</script>`,
      [{ sku: 'A', price: 2, link: null }],
    ],
  ])('%s', async (_, body, value) => {
    const { value: rows } = await extractFrom(body, { target: { role: 'table' }, table: { columns } });
    expect(rows).toEqual(value);
  });

  test.each<[string, string, string]>([
    [
      'no such column',
      '<table><tr><th>Sku</th><th>Price</th></tr><tr><td>1</td><td>2</td></tr></table>',
      'no column "unit  price"; there are: "Sku", "Price"',
    ],
    [
      'two such columns',
      '<table><tr><th>Sku</th><th>SKU</th></tr><tr><td>1</td><td>2</td></tr></table>',
      '2 columns "SKU"',
    ],
    ['no header', '<table><tr><td>1</td><td>2</td></tr></table>', 'no header row'],
    [
      'another number of cells',
      `<table>${head}<tr><td>A</td><td>b</td><td>2</td></tr><tr><td>B</td><td>c</td></tr></table>`,
      '2 cells in row 2, but 3 in the header: B | c',
    ],
    [
      'a wrong cell',
      `<table>${head}<tr><td>A</td><td>b</td><td>soon</td></tr></table>`,
      'column "unit  price" of row 1: "soon" cannot be read as number',
    ],
  ])('%s', async (_, body, message) => {
    const error = await expectFailure(extractFrom(body, { target: { role: 'table' }, table: { columns } }));
    expect(error).toMatchObject({ code: 'EXTRACTION_FAILED', message: expect.stringContaining(message) });
  });

  // Three pages that a script switches. `last` replaces the control on the last one.
  const paged = (
    last: string,
    delay: number,
  ) => `<table><thead><tr><th>N</th></tr></thead><tbody></tbody></table><button id="next">Next</button><script>
    let page = 0; const next = document.getElementById('next');
    const show = () => { document.querySelector('tbody').innerHTML = [1, 2].map((n) => '<tr><td>' + (page * 2 + n) + '</td></tr>').join(''); if (page === 2) { ${last} } };
    next.onclick = () => { page = Math.min(2, page + 1); setTimeout(show, ${delay}); }; show();</script>`;
  const next = { role: 'button', name: 'Next' };

  test.each<[string, string]>([
    ['gone', paged('next.remove()', 0)],
    ['disabled', paged('next.disabled = true', 150)],
    ['aria-disabled', paged("next.setAttribute('aria-disabled', 'true')", 0)],
    ['without effect', paged('', 0)],
  ])('pages until the control is %s', async (_, body) => {
    const { value } = await extractFrom(
      body,
      { target: { css: 'table' }, table: { columns: { n: { header: 'N', type: 'integer' } }, next } },
      20_000,
    );
    expect(value).toEqual([1, 2, 3, 4, 5, 6].map((n) => ({ n })));
  });

  test('reads at most the requested number of pages', async () => {
    const { value } = await extractFrom(paged('', 0), {
      target: { css: 'table' },
      table: { columns: { n: 'N' }, next, maxPages: 2 },
    });
    expect(value).toHaveLength(4);
  });

  test('reads pages in separate documents, also slow ones', async () => {
    const page = (n: number) =>
      `<title>${n}</title><table><tr><th>N</th></tr><tr><td>${n}</td></tr></table>${n < 3 ? `<a href="/list-${n + 1}">Next</a>` : '<a aria-disabled="true">Next</a>'}`;
    kit.serve(
      '/list-2',
      (_, response) => void setTimeout(() => response.setHeader('content-type', 'text/html').end(page(2)), 400),
    );
    kit.serve('/list-3', page(3));
    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url: kit.serve('/list-1', page(1)) });
    const { value } = await kit.act(
      surface,
      {
        action: 'extract',
        target: { css: 'table' },
        table: { columns: { n: { header: 'N', type: 'integer' } }, next: { text: 'Next' } },
      },
      testContext(10_000),
    );
    expect(value).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await surface.close();
  });
});

describe('evidence', () => {
  test('for a value, a list and a table', async () => {
    const table = `<table id="goods"><tr><th>SKU<th>Price<tr><td>A<td><b>1</b><tr><td>B<td>2</table><p lang="de">1.234,50 €</p>`;
    const surface = await kit.showPage(`<main>${table}</main>`);
    const readEvidence = async (extract: Extract) =>
      (await kit.act(surface, { action: 'extract', ...extract })).evidence;
    expect(await readEvidence({ target: { css: 'p' }, value: { type: 'money' } })).toEqual({
      url: expect.stringContaining('/page-'),
      total: 1,
      values: [{ pointer: '', source: 'html > body > main > p', text: '1.234,50 €' }],
    });
    expect(
      await readEvidence({ target: { css: '#goods tr:has(td)' }, list: { price: { css: 'b', optional: true } } }),
    ).toMatchObject({
      total: 2,
      values: [
        { pointer: '/0/price', source: '#goods > tbody > tr:nth-of-type(2) > td:nth-of-type(2) > b', text: '1' },
        { pointer: '/1/price', source: '#goods > tbody > tr:nth-of-type(3)', text: null },
      ],
    });
    expect(await readEvidence({ target: { css: '#goods' }, table: { columns: { price: 'Price' } } })).toMatchObject({
      values: [
        { pointer: '/0/price', source: '#goods > tbody > tr:nth-of-type(2) > td:nth-of-type(2)', text: '1' },
        { pointer: '/1/price', source: '#goods > tbody > tr:nth-of-type(3) > td:nth-of-type(2)', text: '2' },
      ],
    });
    await surface.close();
  });

  test('in a shadow root, and only for the first of many rows', async () => {
    const items = Array.from({ length: 150 }, (_, n) => `<li>${n}</li>`).join('');
    const surface = await kit.showPage(
      `<div id="host"></div><ul>${items}</ul><script>host.attachShadow({ mode: 'open' }).innerHTML = '<i>in</i>';</script>`,
    );
    const readEvidence = async (extract: Extract) =>
      (await kit.act(surface, { action: 'extract', ...extract })).evidence;
    expect(await readEvidence({ target: { css: '#host i' }, value: {} })).toMatchObject({
      values: [{ source: '#host >> i' }],
    });
    const { total, values } = (await readEvidence({ target: { css: 'li' }, list: { type: 'integer' } })) ?? {
      values: [],
    };
    expect([total, values.length, values.at(-1)?.pointer]).toEqual([150, 100, '/99']);
    await surface.close();
  });
});

describe('languages', () => {
  test('uses the nearest language unless the step overrides it', async () => {
    const surface = await kit.showPage('<p id="de" lang="de">03/04/2026</p><p id="en">03/04/2026</p>');
    const readDate = async (css: string, locale?: string) =>
      (await kit.act(surface, { action: 'extract', target: { css }, value: { type: 'date' }, locale })).value;
    expect(await readDate('#de')).toBe('2026-04-03');
    expect(await readDate('#en', 'en-US')).toBe('2026-03-04');
    expect(await expectFailure(readDate('#en'))).toMatchObject({
      code: 'EXTRACTION_FAILED',
      message:
        'css=#en: "03/04/2026" cannot be read as date: it may begin with the day or the month: set `locale`, e.g. en-GB',
      details: { field: 'css=#en', text: '03/04/2026', type: 'date' },
    });
    await surface.close();
  });
});
