import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { poll } from '@pilothouse/core/time/deadlines';
import { matchesUrl } from './actions/wait.actions.ts';
import { resolveUrl } from './actions/navigation.actions.ts';
import { textSimilarity } from './targeting/not-found-report.ts';
import { expectFailure, startKit, testContext, type SurfaceKit, type PageReply } from './testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const html = (title: string, body = '') =>
  `<!doctype html><html lang="en"><title>${title}</title><body>${body}</body></html>`;
const click = (text: string): Action => ({ action: 'click', target: { text } });

describe('navigate', () => {
  test('resolves relative URLs and accepts any status', async () => {
    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url: kit.serve('/shop/list', html('List')) });
    kit.serve('/shop/item', html('Item'));
    await kit.act(surface, { action: 'navigate', url: 'item?x=1' });
    expect(await surface.anchors(testContext(10_000))).toEqual({ url: `${kit.origin}/shop/item?x=1`, title: 'Item' });
    await kit.act(surface, { action: 'navigate', url: '/gone' });
    expect(await kit.title(surface)).toBe('Nothing here');
    await kit.act(surface, { action: 'navigate', url: 'about:blank' });
    await surface.close();
  });

  test.each<[string, string, string]>([
    ['file:///etc/passwd', 'ACTION_UNSUPPORTED', 'The protocol file: is not supported'],
    ['javascript:alert(1)', 'ACTION_UNSUPPORTED', 'The protocol javascript: is not supported'],
    ['chrome://crash', 'ACTION_UNSUPPORTED', 'The protocol chrome: is not supported'],
    ['data:text/html,x', 'ACTION_UNSUPPORTED', 'The protocol data: is not supported'],
    ['/list', 'NAVIGATION_FAILED', 'it is relative, and no page is open'],
    ['http://', 'NAVIGATION_FAILED', 'cannot be opened'],
    ['http://127.0.0.1:9/', 'NAVIGATION_FAILED', 'ERR_'],
    ['http://nowhere.invalid/', 'NAVIGATION_FAILED', 'ERR_NAME_NOT_RESOLVED'],
  ])('%s fails: %s', async (url, code, message) => {
    const surface = await kit.open();
    expect(await expectFailure(kit.act(surface, { action: 'navigate', url }))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    await surface.close();
  });

  test('fails at the deadline if the page does not load', async () => {
    const surface = await kit.open();
    const url = kit.serve('/never', () => {});
    const error = await expectFailure(kit.act(surface, { action: 'navigate', url }, testContext(700)));
    expect(error).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: expect.stringContaining('within the time of the step'),
    });
    await surface.close();
  });

  test('follows a page that redirects at once', async () => {
    kit.serve('/b', html('B'));
    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url: kit.serve('/a', '<script>location.replace("/b")</script>') });
    await surface.expect({ title: 'B' }, testContext(10_000));
    await surface.close();
  });

  test('downloads the URL of a file into the folder, under a name without a path', async () => {
    const url = kit.serve('/csv', (_, response) => {
      response.writeHead(200, {
        'content-type': 'text/csv',
        'content-disposition': 'attachment; filename="../../stock list.csv"',
      });
      response.end('a,b\n');
    });
    const surface = await kit.showPage('<p>Shop</p>');
    await kit.act(surface, { action: 'navigate', url });
    const name = await poll(
      async () => (await readdir(kit.folder)).find((file) => file.endsWith('stock list.csv')),
      testContext(4000),
    );
    expect(await readFile(join(kit.folder, name ?? ''), 'utf8')).toBe('a,b\n');
    await surface.expect({ text: 'Shop' }, testContext(10_000));
    await surface.close();
  });
});

describe('a click that starts a navigation', () => {
  // Both pages have the button and the text of the next step. The step must not use those of the old page.
  const pageWithNumber = (n: number) => `<b id="n">${n}</b><button>Same</button>`;
  test.each<[string, string]>([
    ['a link', '<a href="/slow-two">Go</a>'],
    ['a form', '<form method="post" action="/slow-two"><button>Go</button></form>'],
    ['a script', '<button onclick="location.href = \'/slow-two\'">Go</button>'],
    [
      'a script, a moment later',
      '<button onclick="Promise.resolve().then(() => { location.assign(\'/slow-two\') })">Go</button>',
    ],
  ])('by %s has succeeded, and the next step waits for the page', async (_, control) => {
    const released = Promise.withResolvers<undefined>();
    kit.serve('/slow-two', (_, response) => {
      void released.promise.then(() =>
        response.setHeader('content-type', 'text/html').end(html('Two', pageWithNumber(2))),
      );
    });
    const surface = await kit.showPage(`${pageWithNumber(1)}${control}`);
    await kit.act(surface, click('Go'));
    // The page loads while the next step waits.
    setTimeout(() => released.resolve(undefined), 500);
    const { value } = await kit.act(surface, { action: 'extract', target: { css: '#n' }, value: { type: 'integer' } });
    expect(value).toBe(2);
    expect(await kit.title(surface)).toBe('Two');
    await surface.close();
  });

  test('to a page that never loads ends the next step at its deadline; navigate can leave it', async () => {
    kit.serve('/hangs', () => {});
    const surface = await kit.showPage(`${pageWithNumber(1)}<a href="/hangs">Go</a>`);
    await kit.act(surface, click('Go'));
    const error = await expectFailure(kit.act(surface, click('Same'), testContext(800)));
    expect(error).toMatchObject({
      code: 'STEP_TIMED_OUT',
      message: expect.stringContaining('Loading the page'),
    });
    await kit.act(surface, { action: 'navigate', url: kit.serve('/else', html('Else')) }, testContext(4000));
    expect(await kit.title(surface)).toBe('Else');
    await surface.close();
  });

  test('to a page with a hanging script allows using existing elements', async () => {
    kit.serve('/never.js', () => {});
    const url = kit.serve('/half', html('Half', '<button>Go</button><script src="/never.js"></script>'));
    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url, waitUntil: 'commit' });
    await kit.act(surface, click('Go'));
    await surface.close();
  });

  test('without a new document (204) does not stop the next step', async () => {
    kit.serve('/nothing', (_, response) => void response.writeHead(204).end());
    const surface = await kit.showPage(`${pageWithNumber(1)}<a href="/nothing">Go</a>`);
    await kit.act(surface, click('Go'));
    expect((await kit.act(surface, { action: 'extract', target: { css: '#n' }, value: {} })).value).toBe('1');
    await surface.close();
  });

  test('within the document is not awaited', async () => {
    const surface = await kit.showPage(
      `<button onclick="history.pushState({}, '', '/pushed'); n.textContent = 'pushed'">Go</button><b id="n"></b>`,
    );
    await kit.act(surface, click('Go'));
    await surface.expect({ url: '*/pushed', text: 'pushed' }, testContext(10_000));
    await surface.close();
  });

  test.each<[string, string]>([
    ['target=_blank', '<a href="/window" target="_blank">Go</a>'],
    ['window.open', '<button onclick="window.open(\'/window\')">Go</button>'],
  ])('in a new window (%s): the surface follows, and returns when it closes', async (_, control) => {
    kit.serve('/window', html('Window', '<b id="n">2</b><button onclick="window.close()">Close</button>'));
    const surface = await kit.showPage(`${pageWithNumber(1)}${control}`);
    await kit.act(surface, click('Go'));
    expect(
      (await kit.act(surface, { action: 'extract', target: { css: '#n' }, value: { type: 'integer' } })).value,
    ).toBe(2);
    await kit.act(surface, click('Close'));
    await surface.expect({ visible: { text: 'Same' } }, testContext(10_000));
    expect(surface.lossSignal.aborted).toBe(false);
    await surface.close();
  });
});

test('dialogs do not stop a run: alerts are accepted, questions declined', async () => {
  const messages: string[] = [];
  const log = {
    debug: () => {},
    info: (_: object, message: string) => void messages.push(message),
    warn: () => {},
    error: () => {},
  };
  const surface = await kit.showPage(
    `<button onclick="alert('Hello'); n.textContent = [confirm('Sure?'), prompt('Name?')].join()">Go</button><b id="n"></b>`,
  );
  await kit.act(surface, click('Go'), testContext(5000, { log }));
  await kit.act(surface, { action: 'waitFor', condition: { text: 'false,' } });
  expect(messages.map((line) => line.replace('The page asked: ', ''))).toEqual(['Hello', 'Sure?', 'Name?']);
  await surface.close();
});

describe('conditions', () => {
  test.each<[string, Condition]>([
    ['part of the URL', { url: '/page-' }],
    ['the URL by pattern', { url: 'http://*/page-*' }],
    ['the title', { title: 'PAGE' }],
    ['text across elements and cases', { text: 'order CONFIRMED' }],
    ['text in a frame', { text: 'inner words' }],
    ['visible, by the second of a chain', { visible: [{ css: '.none' }, { role: 'heading' }] }],
    ['hidden because it is not rendered', { hidden: { css: '#h' } }],
    ['hidden because it does not exist', { hidden: { css: '.none' } }],
    ['all together, after a delay', { text: 'late words', visible: { css: '#late' }, hidden: { css: '.spinner' } }],
  ])('%s', async (_, condition) => {
    const surface = await kit.showPage(
      '<h1>Order <i>confirmed</i></h1><p id="h" style="display:none">Secret words</p><iframe srcdoc="<p>Inner words</p>"></iframe><p class="spinner">...</p><script>setTimeout(() => { document.querySelector(".spinner").outerHTML = "<p id=late>Late words</p>" }, 300)</script>',
    );
    await kit.act(surface, { action: 'waitFor', condition });
    await kit.act(surface, { action: 'assert', condition });
    await surface.close();
  });

  test.each<[Condition, string]>([
    [{ url: '/basket' }, 'the URL is http://127.0.0.1'],
    [{ title: 'Basket' }, 'the title is "Page'],
    [{ text: 'Secret' }, 'the page does not show "Secret"'],
    [{ visible: { css: '#h' } }, 'css=#h is not visible'],
    [{ hidden: { role: 'heading' } }, 'role=heading is still visible'],
  ])('%j is not met', async (condition, message) => {
    const surface = await kit.showPage('<h1>Order confirmed</h1><p id="h" style="display:none">Secret words</p>');
    const error = await expectFailure(
      kit.act(surface, { action: 'assert', condition, message: 'Basket missing' }, testContext(2000)),
    );
    expect(error).toMatchObject({ code: 'CONDITION_NOT_MET', message: expect.stringContaining(message) });
    expect(error.message).toMatch(/^Basket missing: .*Order confirmed/);
    await surface.close();
  });
});

test.each([
  ['https://x.org/a?b=1', 'x.org/a', true],
  ['https://x.org/a?b=1', 'https://x.org/*', true],
  ['https://x.org/a?b=1', '*/a?b=*', true],
  ['https://x.org/a', 'x.org/*', false],
  ['https://x.org/a', '*/b', false],
])('%s fits %s: %p', (url, pattern, fits) => expect(matchesUrl(url, pattern)).toBe(fits));

test('relative URLs and similarity', () => {
  expect(resolveUrl('../b', 'https://x.org/a/c/')).toBe('https://x.org/a/b');
  expect(textSimilarity('Sign in', 'sign in')).toBe(1);
  expect(textSimilarity('Sign in', 'Sign up')).toBeGreaterThan(textSimilarity('Sign in', 'Help'));
});

test('a full-page screenshot has the height of the page', async () => {
  const surface = await kit.showPage('<div style="height:3000px">x</div>');
  expect(await surface.screenshot({}, testContext(5000))).toMatchObject({ width: 1280, height: 800 });
  const { height, body } = await surface.screenshot({ fullPage: true }, testContext(5000));
  expect(height).toBeGreaterThan(3000);
  expect(body.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  await surface.close();
});

test('reports pending activity since the last input, not earlier activity', async () => {
  const pendingResponses: ServerResponse[] = [];
  const holdResponse: PageReply = (_, response) => void pendingResponses.push(response);
  kit.serve('/poll', holdResponse);
  kit.serve('/data', holdResponse);
  const fetchScript = "fetch('/data').then(() => (document.title = 'Here'))";
  const surface = await kit.open();
  const url = kit.serve(
    '/waiting',
    html(
      'Waiting',
      `<button onclick="${fetchScript}">Ask</button><button>Rest</button><script>fetch('/poll')</script>`,
    ),
  );
  await kit.act(surface, { action: 'navigate', url });
  // Activity started by input is known after the next call.
  const readIsWaiting = () => surface.anchors(testContext(10_000)).then(() => surface.isWaiting);
  const waits = (is: boolean) =>
    poll(async () => ((await readIsWaiting()) === is ? true : undefined), testContext(20_000));
  await kit.act(surface, click('Rest'));
  expect(await waits(false)).toBe(true);
  await kit.act(surface, click('Ask'));
  expect(await waits(true)).toBe(true);
  for (const response of pendingResponses) response.end('{}');
  expect(await waits(false)).toBe(true);
  await surface.close();
});
