import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { MAX_SAFE_POINT_CHARS } from '@pilothouse/contract/worker/assignment.schema';
import { poll } from '@pilothouse/core/time/deadlines';
import { launchChromium } from './process/launch-browser.ts';
import { prepareContext } from './context/browser-context.ts';
import { BrowserSurface } from './browser.surface.ts';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit({});
});
afterAll(() => kit.close());

const click = (name: string): Action => ({ action: 'click', target: { role: 'button', name } });
const html = (title: string, body: string) => `<!doctype html><title>${title}</title><body>${body}</body>`;
const save = (surface: BrowserSurface) => surface.save(testContext(5000));

/** Saves the state, closes the surface and restores the state on another one. */
async function moveToNewSurface(surface: BrowserSurface): Promise<BrowserSurface> {
  const state = await save(surface);
  if (state === null) throw new Error('The surface is not at a safe point');
  await surface.close();
  const next = await kit.open();
  await next.restore(state, testContext(10_000));
  return next;
}

/** Shows stored and sent data on the page. */
const showStorage = (request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    html(
      'Shop',
      `<output id="out"></output><script>
        out.textContent = [localStorage.basket, sessionStorage.tab, ${JSON.stringify(request.headers.cookie ?? '')}].join('|')
      </script><button onclick="out.textContent = history.length">History</button>`,
    ),
  );
};

/** A page that creates a database with this script and then has the title Made. */
const making = (script: string) =>
  html(
    'Making',
    `<script>
      const asked = indexedDB.open('shop', 7);
      asked.onupgradeneeded = async () => { const db = asked.result; ${script} };
      asked.onsuccess = () => { asked.result.close(); document.title = 'Made' };
    </script>`,
  );

describe('databases', () => {
  const visit = async (surface: BrowserSurface, path: string, title: string) => {
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}${path}` });
    await surface.expect({ title }, testContext(5000));
  };

  test('are restored with stores, indexes, keys, and values beyond JSON', async () => {
    kit.serve(
      '/make',
      making(`
        const orders = db.createObjectStore('orders', { keyPath: ['shop', 'no'] });
        orders.createIndex('tags', 'tags', { multiEntry: true });
        orders.add({ shop: 'a', no: 1, tags: ['x', 'y'], at: new Date(86400000), none: undefined, big: 12n, low: -0, odd: NaN,
          map: new Map([['k', new Set([1, { $: 'own' }])]]), bytes: new Uint16Array([1, 65535]), buffer: new ArrayBuffer(3), like: /a+/gi });
        const plain = db.createObjectStore('plain', { autoIncrement: true });
        plain.add('one'); plain.add({ nested: { list: [null, true, 'ü'] } }); plain.add('at a date', new Date(1000));`),
    );
    kit.serve(
      '/shows',
      html(
        'Shows',
        `<output id="out"></output><script type="module">
          const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error) });
          const db = await done(indexedDB.open('shop'));
          const within = db.transaction(['orders', 'plain'], 'readwrite');
          const [orders, plain] = [within.objectStore('orders'), within.objectStore('plain')];
          const order = await done(orders.index('tags').get('y'));
          const say = (v) => v instanceof Map ? ['map', ...[...v].map(([k, one]) => [k, say(one)])] : v instanceof Set ? ['set', ...[...v].map(say)]
            : ArrayBuffer.isView(v) ? [v.constructor.name, ...v] : v instanceof ArrayBuffer ? ['buffer', v.byteLength] : v instanceof Date ? ['date', +v]
            : v instanceof RegExp ? String(v) : typeof v === 'bigint' ? v + 'n' : v === undefined ? 'undefined' : Object.is(v, -0) ? '-0' : Number.isNaN(v) ? 'NaN' : v;
          out.textContent = JSON.stringify([db.version, Object.entries(order).sort().map(([k, v]) => [k, say(v)]), orders.keyPath,
            (await done(plain.getAllKeys())).map(say), await done(plain.getAll()), await done(plain.add('next'))]);
          document.title = 'Shown';
        </script>`,
      ),
    );
    const surface = await kit.open();
    await visit(surface, '/make', 'Made');
    const next = await moveToNewSurface(surface);
    await visit(next, '/shows', 'Shown');
    expect(JSON.parse(String(await output(kit, next)))).toEqual([
      7,
      [
        ['at', ['date', 86_400_000]],
        ['big', '12n'],
        ['buffer', ['buffer', 3]],
        ['bytes', ['Uint16Array', 1, 65_535]],
        ['like', '/a+/gi'],
        ['low', '-0'],
        ['map', ['map', ['k', ['set', 1, { $: 'own' }]]]],
        ['no', 1],
        ['none', 'undefined'],
        ['odd', 'NaN'],
        ['shop', 'a'],
        ['tags', ['x', 'y']],
      ],
      ['shop', 'no'],
      [1, 2, ['date', 1000]],
      ['one', { nested: { list: [null, true, 'ü'] } }, 'at a date'],
      3,
    ]);
    await next.close();
  });

  test('that are too large or contain keys are omitted and the rest is restored', async () => {
    const large = (name: string, value: string) =>
      making(
        `localStorage.kept = 'yes'; const store = db.createObjectStore('${name}', { autoIncrement: true }); ${value}`,
      );
    kit.serve('/large', large('large', `store.add('x'.repeat(500000));`));
    kit.serve('/holds', large('holds', `store.add(new Blob(['file'])); store.add('beside');`));
    for (const [path, databases] of [
      ['/large', undefined],
      ['/holds', [{ stores: [{ name: 'holds', records: [[2, 'beside']] }] }]],
    ] as const) {
      const surface = await kit.open();
      await visit(surface, path, 'Made');
      const { origins } = JSON.parse((await save(surface)) ?? '') as { origins: Record<string, unknown>[] };
      expect(origins).toHaveLength(1);
      expect(origins[0]).toMatchObject({ local: [['kept', 'yes']] });
      if (databases) expect(origins[0]?.['databases']).toMatchObject(databases);
      else expect(origins[0]).not.toHaveProperty('databases');
      await surface.close();
    }
  });
});

describe('restored state', () => {
  test('includes all cookies and the storage of every visited origin, without requests except for the page', async () => {
    const requests: string[] = [];
    const shop = (request: IncomingMessage, response: ServerResponse) => {
      requests.push(`${request.method} ${request.headers.host?.split(':')[0]}${request.url}`);
      showStorage(request, response);
    };
    kit.serve('/enter', (_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': ['id=secret; HttpOnly; SameSite=Lax', 'kept=1; Max-Age=1000; Path=/shop', 'elsewhere=1; Path=/x'],
      });
      response.end(html('Enter', '<script>localStorage.basket = "3 \\u{1F34E}"; sessionStorage.tab = "b"</script>'));
    });
    const url = kit.serve('/shop', shop);
    const otherOriginUrl = url.replace('127.0.0.1', 'localhost');
    kit.serve('/other', html('Other', '<script>localStorage.basket = "5"; sessionStorage.tab = "o"</script>'));

    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}/enter` });
    expect(await save(surface)).toContain('secret');
    await kit.act(surface, { action: 'navigate', url: otherOriginUrl.replace('/shop', '/other') });
    expect(await save(surface)).toContain('basket');
    await kit.act(surface, { action: 'navigate', url });
    const original = String(await output(kit, surface));
    expect(original).toMatch(/^3 🍎\|b\|.*id=secret/);
    requests.length = 0;

    const next = await moveToNewSurface(surface);
    expect(requests).toEqual(['GET 127.0.0.1/shop']);
    const restored = String(await output(kit, next));
    expect(restored.split('|').slice(0, 2)).toEqual(original.split('|').slice(0, 2));
    expect(restored.split('|')[2]?.split('; ').sort()).toEqual(['id=secret', 'kept=1']);
    await kit.act(next, click('History'));
    expect(await output(kit, next)).toBe('1');
    await kit.act(next, { action: 'navigate', url: otherOriginUrl });
    expect(await output(kit, next)).toBe('5|o|');
    await next.close();
  });

  test('is saved again by the restored surface', async () => {
    const surface = await kit.showPage('<script>localStorage.a = "1"</script>');
    const second = await moveToNewSurface(surface);
    await kit.act(second, {
      action: 'navigate',
      url: kit.serve('/plain', showStorage).replace('127.0.0.1', 'localhost'),
    });
    const third = await moveToNewSurface(second);
    await kit.act(third, {
      action: 'navigate',
      url: kit.serve('/a', html('A', '<b id="out"></b><script>out.textContent = localStorage.a</script>')),
    });
    expect(await output(kit, third)).toBe('1');
    await third.close();
  });

  test('ignores expired cookies', async () => {
    const surface = await kit.showPage('<h1>Here</h1>');
    const state = JSON.parse((await save(surface)) ?? '') as Record<string, unknown>;
    const cookie = { name: 'old', value: '1', domain: '127.0.0.1', path: '/', expires: 1_000_000, secure: false };
    const next = await kit.open();
    await next.restore(JSON.stringify({ ...state, cookies: [cookie] }), testContext(5000));
    expect(await next.isMet({ text: 'Here' }, testContext(5000))).toBe(true);
    await surface.close();
    await next.close();
  });

  test('fails with NAVIGATION_FAILED for a missing page and rejects the state of another browser', async () => {
    const surface = await kit.showPage('');
    const state = JSON.parse((await save(surface)) ?? '') as Record<string, unknown>;
    const [first, second] = [await kit.open(), await kit.open()];
    const restored = (next: BrowserSurface, changes: object) =>
      expectFailure(next.restore(JSON.stringify({ ...state, ...changes }), testContext(5000)));
    expect((await restored(first, { url: 'http://127.0.0.1:9/' })).code).toBe('NAVIGATION_FAILED');
    for (const changes of [
      { url: 'file:///etc/passwd' },
      { cookies: [{ name: 'x' }] },
      { cookies: [{ name: 'x', value: 'y', domain: '', path: '/' }] },
      { origins: [{ origin: 'javascript:1', local: [], session: [] }] },
      { origins: [{ origin: kit.origin, local: [[1, 2]], session: [] }] },
    ])
      expect((await restored(second, changes)).code).toBe('PROTOCOL_INVALID');
    await Promise.all([surface, first, second].map((each) => each.close()));
  });
});

describe('a safe point', () => {
  beforeAll(() => {
    kit.serve('/got', html('Got', '<button>Go</button><label>Note <input></label>'));
    kit.serve('/see-other', (_, response) => void response.writeHead(303, { location: '/got' }).end());
    kit.serve('/again', (_, response) => void response.writeHead(307, { location: '/got' }).end());
    kit.serve('/none', (_, response) => void response.writeHead(204).end());
  });
  const form = (action: string, method: string) =>
    `<form action="${action}" method="${method}"><button>Go</button></form>`;

  test.each<[string, string, boolean]>([
    ['a link', '<a href="/got" role="button">Go</a>', true],
    ['a form that asks', form('/got', 'get'), true],
    ['a script', '<button onclick="location.href = \'/got\'">Go</button>', true],
    ['a form that sends, and is sent on', form('/see-other', 'post'), true],
    ['a form that sends', form('/got', 'post'), false],
    ['a submitted form that is redirected', form('/again', 'post'), false],
    ['a form that sends, without a page', form('/none', 'post'), false],
    [
      'a step in the history of the document',
      "<button onclick=\"history.pushState({}, '', '/got')\">Go</button>",
      false,
    ],
    ['a fragment', '<a href="#there" role="button">Go</a>', false],
    ['a click that goes nowhere', '<button>Go</button>', false],
    [
      'a document that the page writes',
      "<button onclick=\"location.href = URL.createObjectURL(new Blob(['x'], { type: 'text/html' }))\">Go</button>",
      false,
    ],
    ['a page that is not there', '<a href="http://127.0.0.1:9/" role="button">Go</a>', false],
  ])('after %s', async (_, body, isSafe) => {
    const surface = await kit.showPage(body);
    await kit.act(surface, click('Go'));
    await surface.anchors(testContext(5000));
    expect((await save(surface)) !== null).toBe(isSafe);
    // A page opened by its URL always is.
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}/got` });
    expect(await save(surface)).not.toBeNull();
    await surface.close();
  });

  test('persists when scripts change the URL', async () => {
    const surface = await kit.showPage('<script>history.replaceState({}, "", "/got?view=1")</script>');
    expect(JSON.parse((await save(surface)) ?? '')).toMatchObject({ url: `${kit.origin}/got?view=1` });
    await surface.close();
  });

  test('does not return with the history or a reload of a submitted form', async () => {
    const surface = await kit.showPage(`${form('/send', 'post')}`);
    const buttons = '<button onclick="location.reload()">Reload</button><button onclick="history.back()">Back</button>';
    kit.serve('/send', html('Sent', `<b id="out">sent</b>${buttons}`));
    await kit.act(surface, click('Go'));
    await kit.act(surface, click('Reload'));
    await surface.expect({ title: 'Sent' }, testContext(5000));
    expect(await save(surface)).toBeNull();
    await surface.close();
  });

  test('does not exist during a navigation', async () => {
    const pendingResponses: (() => void)[] = [];
    kit.serve('/slow', (_, response) => void pendingResponses.push(() => void response.end(html('Slow', ''))));
    const surface = await kit.showPage('<script>setTimeout(() => { location.href = "/slow" }, 200)</script>');
    const isNavigating = poll(async () => ((await save(surface)) === null ? true : undefined), testContext(5000));
    expect(await isNavigating).toBe(true);
    // It is known before the request arrives.
    expect(await poll(async () => pendingResponses.length > 0 || undefined, testContext(5000))).toBe(true);
    pendingResponses.forEach((respond) => respond());
    await surface.expect({ title: 'Slow' }, testContext(5000));
    expect(await save(surface)).not.toBeNull();
    await surface.close();
  });

  test('and the expected title is not that of a loading document', async () => {
    const pendingResponses: (() => void)[] = [];
    kit.serve('/held', (_, response) => void pendingResponses.push(() => void response.end(html('Here', ''))));
    const surface = await kit.showPage('<script>setTimeout(() => { location.href = "/held" }, 100)</script>');
    expect(await poll(async () => pendingResponses.length > 0 || undefined, testContext(5000))).toBe(true);
    await expect(surface.expect({ title: 'held' }, testContext(1500))).rejects.toMatchObject({
      code: 'CONDITION_NOT_MET',
    });
    pendingResponses.forEach((respond) => respond());
    await surface.expect({ title: 'Here' }, testContext(5000));
    await surface.close();
  });

  test('does not exist while two windows are open', async () => {
    const surface = await kit.showPage('<a href="/got" target="_blank" role="button">Go</a>');
    await kit.act(surface, click('Go'));
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}/got` });
    expect(await save(surface)).toBeNull();
    await surface.close();
  });

  test('does not exist on a crashed page', async () => {
    const browser = await launchChromium({}, testContext(60_000));
    const room = await prepareContext(browser);
    const surface = new BrowserSurface(room, { folder: kit.folder }, testContext(1).log);
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}/got` });
    const wire = await room.context.newCDPSession(room.tab.page);
    wire.send('Page.crash').catch(() => undefined);
    expect(await save(surface)).toBeNull();
    await surface.close();
    await browser.close();
  });

  test('does not exist if the state is too large, which is logged', async () => {
    const warnings: string[] = [];
    const log = {
      debug: () => {},
      info: () => {},
      warn: (_: object, message: string) => void warnings.push(message),
      error: () => {},
    };
    const surface = await kit.showPage(`<script>localStorage.big = "x".repeat(${MAX_SAFE_POINT_CHARS})</script>`);
    expect(await surface.save(testContext(5000, { log }))).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('too large')]);
    await surface.close();
  });

  test('includes the storage of same-site frames', async () => {
    const inner = kit.serve(
      '/inner',
      html('Inner', '<h1>Inner</h1><script>localStorage.inner = "of the frame"</script>'),
    );
    const surface = await kit.showPage(
      `<iframe src="${inner.replace('127.0.0.1', 'localhost')}"></iframe><iframe src="/inner"></iframe>`,
    );
    await surface.expect({ text: 'Inner' }, testContext(5000));
    const { origins } = JSON.parse((await save(surface)) ?? '') as { origins: unknown[] };
    expect(origins).toEqual([{ origin: kit.origin, local: [['inner', 'of the frame']], session: [] }]);
    await surface.close();
  });
});
