import type { Action } from '@pilothouse/contract/actions/action-sets';
import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
  for (const name of ['a', 'b', 'c']) {
    kit.serve(`/${name}`, `<title>${name}</title><input id="f"><a href="/${name === 'a' ? 'b' : 'c'}">Next</a>`);
  }
});
afterAll(() => kit.close());

const next: Action = { action: 'click', target: { text: 'Next' } };
const navigation = (name: string): Action => ({ action: 'navigate', url: `${kit.origin}/${name}` });
type Surface = Awaited<ReturnType<SurfaceKit['open']>>;

async function surfaceAfter(...actions: Action[]): Promise<Surface> {
  const surface = await kit.open();
  for (const action of actions) await kit.act(surface, action);
  return surface;
}

describe('back, forward and reload', () => {
  test('follow the browser history', async () => {
    const surface = await surfaceAfter(navigation('a'), next, next);
    const titles = [];
    for (const action of ['goBack', 'goBack', 'goForward', 'reload'] as const) {
      await kit.act(surface, { action });
      titles.push(await kit.title(surface));
    }
    expect(titles).toEqual(['b', 'a', 'b', 'b']);
    await surface.close();
  });

  test('within a page that changes its history', async () => {
    const surface = await kit.showPage(
      `<b>one</b><script>history.pushState(2, '', '?two'); document.querySelector('b').textContent = 'two'; onpopstate = () => { document.querySelector('b').textContent = 'one'; }</script>`,
    );
    await kit.act(surface, { action: 'goBack' });
    await surface.expect({ text: 'one' }, testContext(10_000));
    await surface.close();
  });

  test.each(['goBack', 'goForward'] as const)('%s without such a page fails', async (action) => {
    const surface = await surfaceAfter(navigation('a'));
    expect(await expectFailure(kit.act(surface, { action }))).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: expect.stringContaining(`This tab has no page ${action === 'goBack' ? 'before' : 'after'}`),
    });
    await surface.close();
  });

  describe('to a page that answers without content', () => {
    const tickers = [
      ['history.pushState(null, "", "?" + n)'],
      ['history.replaceState(null, "", "?" + n)'],
      ['location.hash = n'],
      ['history.replaceState(null, "", location.href)'],
    ];

    test.each(tickers)('goBack is not green, although the page runs %s', async (code) => {
      let visits = 0;
      kit.serve('/once', (_, response) => {
        visits += 1;
        response.writeHead(visits > 1 ? 204 : 200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
        response.end(visits > 1 ? '' : '<title>once</title>');
      });
      // The state is added during the navigation, so that the previous page stays the one before.
      kit.serve(
        '/ticks',
        `<title>ticks</title><script>let n = 0; onbeforeunload = () => { setInterval(() => { n += 1; ${code}; }, 20); };</script><input>`,
      );
      const surface = await surfaceAfter(navigation('once'), navigation('ticks'));
      // Chromium reports the aborted navigation before or after the next state of the page.
      const outcome = await kit.act(surface, { action: 'goBack' }).catch((error: Error) => error.message);
      if (typeof outcome === 'string') expect(outcome).toContain('ERR_ABORTED');
      else expect(outcome).toMatchObject({ effect: 'unverifiable' });
      expect(await kit.title(surface)).toBe('ticks');
      await surface.close();
    });

    test.each(tickers)('reload fails, although the page runs %s', async (code) => {
      let visits = 0;
      kit.serve('/once', (_, response) => {
        visits += 1;
        response.writeHead(visits > 1 ? 204 : 200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
        response.end(
          `<title>once</title><script>let n = 0; onbeforeunload = () => { setInterval(() => { n += 1; ${code}; }, 20); };</script>`,
        );
      });
      const surface = await surfaceAfter(navigation('once'));
      expect(await expectFailure(kit.act(surface, { action: 'reload' }))).toMatchObject({ code: 'NAVIGATION_FAILED' });
      await surface.close();
    });
  });

  test('their page is not a safe point because it may contain typed text; the next page is', async () => {
    const surface = await surfaceAfter(navigation('a'), next);
    await surface.expect({ title: 'b' }, testContext(10_000));
    expect(await surface.save(testContext(10_000))).not.toBeNull();
    for (const action of ['goBack', 'goForward', 'reload'] as const) {
      await kit.act(surface, { action });
      expect(await surface.save(testContext(10_000))).toBeNull();
    }
    await kit.act(surface, navigation('a'));
    expect(await surface.save(testContext(10_000))).not.toBeNull();
    await surface.close();
  });

  test('a restored surface goes back to previous pages and forward again', async () => {
    const lost = await surfaceAfter(navigation('a'), next, next);
    await lost.expect({ title: 'c' }, testContext(10_000));
    const state = await lost.save(testContext(10_000));
    await lost.close();
    const surface = await kit.open();
    await surface.restore(state ?? '', testContext(5000));
    const titles = [await kit.title(surface)];
    for (const action of ['goBack', 'goBack', 'goForward'] as const) {
      await kit.act(surface, { action });
      titles.push(await kit.title(surface));
    }
    expect(titles).toEqual(['c', 'b', 'a', 'b']);
    await surface.close();
  });

  test('call the guard', async () => {
    const surface = await surfaceAfter(navigation('a'), next);
    const guard = () => {
      throw new Error('LEASE');
    };
    for (const action of ['goBack', 'reload', 'closeTab', 'handleDialog'] as const) {
      const step = action === 'handleDialog' ? { action, accept: true } : { action };
      const { message } = await expectFailure(kit.act(surface, step, testContext(2000, { guard })));
      expect(message).toContain(action === 'closeTab' ? 'The only tab' : 'LEASE');
    }
    expect(await kit.title(surface)).toBe('b');
    await surface.close();
  });
});

describe('HTTP status', () => {
  let code = 200;
  const answering = () =>
    kit.serve('/answer', (_, response) => {
      response.writeHead(code, { 'content-type': 'text/html', 'cache-control': 'no-store' });
      response.end(`<title>Status ${code}</title><img src="/status-500"><p>Page</p>`);
    });
  const statusOf = async (surface: Surface) => (await surface.anchors(testContext(10_000))).status;
  beforeAll(() => {
    kit.serve('/status-500', (_, response) => void response.writeHead(500).end());
  });

  test.each([
    [404, undefined, 404],
    [503, 'any', 503],
    [503, '5xx', 503],
    [500, 500, 500],
    [200, '2xx', undefined],
    [200, undefined, undefined],
  ] as const)('%s with the expectation %s is shown', async (status, expected, shown) => {
    code = status;
    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url: answering(), ...(expected && { status: expected }) });
    expect(await statusOf(surface)).toBe(shown);
    await surface.close();
  });

  test.each([
    [502, undefined, 'HTTP status 502; '],
    [404, '2xx', 'HTTP status 404, not 2xx'],
    [200, 404, 'HTTP status 200, not 404'],
  ] as const)('%s with the expectation %s fails', async (status, expected, message) => {
    code = status;
    const surface = await kit.open();
    const action: Action = { action: 'navigate', url: answering(), ...(expected && { status: expected }) };
    expect(await expectFailure(kit.act(surface, action))).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: expect.stringContaining(message),
      details: { status },
    });
    await surface.close();
  });

  test('reload and goBack fail, and a click shows the status until the next page', async () => {
    code = 200;
    const surface = await surfaceAfter({ action: 'navigate', url: answering() }, navigation('a'));
    code = 503;
    expect((await expectFailure(kit.act(surface, { action: 'goBack' }))).message).toContain('503');
    expect((await expectFailure(kit.act(surface, { action: 'reload' }))).message).toContain('503');
    await kit.act(surface, { action: 'reload', status: '5xx' });
    kit.serve('/link', '<a href="/answer">Answer</a>');
    await kit.act(surface, { action: 'navigate', url: `${kit.origin}/link` });
    await kit.act(surface, { action: 'click', target: { text: 'Answer' } });
    expect(await statusOf(surface)).toBe(503);
    await kit.act(surface, navigation('b'));
    expect(await statusOf(surface)).toBeUndefined();
    await surface.close();
  });
});

describe('tabs', () => {
  const opener = () =>
    kit.showPage(
      `<button onclick="window.open('/a')">A</button><button onclick="setTimeout(() => window.open('/b', 'x', 'popup'), 300)">B</button>`,
    );
  const press = (name: string): Action => ({ action: 'click', target: { role: 'button', name } });

  test('switches by title, URL or index and waits for a popup', async () => {
    const surface = await opener();
    await kit.act(surface, press('A'));
    await surface.expect({ title: 'a' }, testContext(10_000));
    await kit.act(surface, { action: 'switchTab', index: 0 });
    await kit.act(surface, press('B'));
    await kit.act(surface, { action: 'switchTab', title: 'B' });
    expect((await surface.observe({}, testContext(10_000))).tabs).toMatchObject([
      { title: expect.stringMatching(/^Page/), isCurrent: false },
      { title: 'a', isCurrent: false },
      { title: 'b', isCurrent: true },
    ]);
    expect(await kit.title(surface)).toBe('b');
    await kit.act(surface, { action: 'switchTab', url: '*/a' });
    expect(await kit.title(surface)).toBe('a');
    await kit.act(surface, { action: 'closeTab' });
    expect(await kit.title(surface)).toBe('b');
    await kit.act(surface, { action: 'closeTab', title: 'b' });
    expect(await kit.title(surface)).toMatch(/^Page/);
    await surface.close();
  });

  test('reports missing and ambiguous tabs with all tabs', async () => {
    const surface = await opener();
    await kit.act(surface, press('A'));
    await kit.act(surface, { action: 'switchTab', index: 0 });
    await kit.act(surface, press('A'));
    await kit.act(surface, { action: 'waitFor', condition: { title: 'a' } });
    expect(await expectFailure(kit.act(surface, { action: 'switchTab', title: 'z' }, testContext(1000)))).toMatchObject(
      {
        code: 'TARGET_NOT_FOUND',
        message: expect.stringMatching(/title "z"; open tabs: 0: "Page \d+" http.*, 1: "a" http.*, 2: "a" http/),
      },
    );
    expect(await expectFailure(kit.act(surface, { action: 'switchTab', url: '*/a' }, testContext(1000)))).toMatchObject(
      {
        code: 'TARGET_AMBIGUOUS',
        message: expect.stringContaining('2 tabs have the url "*/a"'),
      },
    );
    await surface.close();
  });

  test('has no safe point with a second tab, and one on the next page after it closes', async () => {
    const surface = await opener();
    await kit.act(surface, press('A'));
    expect(await surface.save(testContext(10_000))).toBeNull();
    await kit.act(surface, { action: 'closeTab' });
    expect(await surface.save(testContext(10_000))).toBeNull();
    await kit.act(surface, navigation('b'));
    expect(await surface.save(testContext(10_000))).not.toBeNull();
    await surface.close();
  });
});

describe('dialogs', () => {
  const asking = `<button onclick="out.textContent = String(confirm('Sure?'))">Confirm</button><button onclick="out.textContent = String(prompt('Name?', 'Guest'))">Prompt</button><output id="out">-</output>`;

  test.each<[string, Partial<Action & { action: 'handleDialog' }> | null, string]>([
    ['Confirm', null, 'false'],
    ['Confirm', { accept: true }, 'true'],
    ['Prompt', null, 'null'],
    ['Prompt', { accept: true, text: 'Robin' }, 'Robin'],
    ['Prompt', { accept: true }, 'Guest'],
    ['Prompt', { accept: false }, 'null'],
  ])('%s gets %j', async (name, answer, expected) => {
    const surface = await kit.showPage(asking);
    if (answer) await kit.act(surface, { action: 'handleDialog', accept: true, ...answer });
    await kit.act(surface, { action: 'click', target: { text: name } });
    await surface.expect({ visible: { css: '#out', hasText: expected } }, testContext(10_000));
    await surface.close();
  });

  const draft = `<input id="t"><a href="/a">Leave</a><script>t.oninput = () => { addEventListener('beforeunload', (event) => event.preventDefault()); };</script>`;
  const refuse: Action = { action: 'handleDialog', accept: false };
  const write: Action = { action: 'fill', target: { css: '#t' }, text: 'draft' };

  test.each<[string, (surface: Surface) => Action]>([
    ['reload', () => ({ action: 'reload' })],
    ['navigate', () => navigation('b')],
    ['goBack', () => ({ action: 'goBack' })],
    ['closeTab', () => ({ action: 'closeTab' })],
  ])('%s fails at once if the answer keeps the page', async (name, actionOf) => {
    kit.serve('/draft', `<title>Draft</title>${draft}`);
    const surface = await kit.showPage('<button onclick="window.open(\'/a\')">Open</button>');
    await kit.act(surface, { action: 'click', target: { text: 'Open' } });
    await kit.act(surface, navigation('draft'));
    for (const action of [write, refuse]) await kit.act(surface, action);
    // The deadline is later than the time limit of a test.
    expect(await expectFailure(kit.act(surface, actionOf(surface), testContext(600_000)))).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: expect.stringContaining('the page asked before leaving, and the answer was Cancel'),
    });
    expect(await kit.title(surface)).toBe('Draft');
    const { value } = await kit.act(surface, { action: 'extract', target: { css: '#t' }, value: {} });
    expect(value).toBe('draft');
    // Without an answer the page is left.
    await kit.act(surface, actionOf(surface));
    if (name !== 'reload') expect(await kit.title(surface)).not.toBe('Draft');
    await surface.close();
  });

  test('a tab that was not left stays open', async () => {
    kit.serve('/draft', `<title>Draft</title>${draft}`);
    const surface = await kit.showPage('<button onclick="window.open(\'/a\')">Open</button>');
    await kit.act(surface, { action: 'click', target: { text: 'Open' } });
    await kit.act(surface, navigation('draft'));
    for (const action of [write, refuse]) await kit.act(surface, action);
    await expectFailure(kit.act(surface, { action: 'closeTab' }, testContext(600)));
    // A page that does not answer is closed at half of the time.
    await kit.act(surface, { action: 'wait', seconds: 0.6 });
    expect(await kit.title(surface)).toBe('Draft');
    await surface.close();
  });

  test('a click whose navigation is refused is unverified, and the next step does not wait', async () => {
    kit.serve('/draft', `<title>Draft</title>${draft}`);
    const surface = await surfaceAfter(navigation('draft'), write, refuse);
    const outcome = await kit.act(surface, { action: 'click', target: { text: 'Leave' } });
    expect(outcome).toMatchObject({ effect: 'unverifiable', effectReason: expect.stringContaining('Cancel') });
    await kit.act(surface, { action: 'click', target: { text: 'Leave' } });
    await surface.expect({ title: 'a' }, testContext(10_000));
    await surface.close();
  });

  test('an answer applies to one dialog, and there is no safe point while it waits', async () => {
    const surface = await kit.showPage(asking);
    expect(await surface.save(testContext(10_000))).not.toBeNull();
    await kit.act(surface, { action: 'handleDialog', accept: true });
    await kit.act(surface, navigation('a'));
    expect(await surface.save(testContext(10_000))).toBeNull();
    await kit.act(surface, { action: 'goBack' });
    for (const expected of ['true', 'false']) {
      await kit.act(surface, { action: 'click', target: { text: 'Confirm' } });
      await surface.expect({ visible: { css: '#out', hasText: expected } }, testContext(10_000));
    }
    await surface.close();
  });
});

describe('waiting', () => {
  test('wait stops with the signal, and fails if the step has less time', async () => {
    const surface = await kit.showPage('');
    await kit.act(surface, { action: 'wait', seconds: 0.2 });
    const error = await expectFailure(kit.act(surface, { action: 'wait', seconds: 60 }, testContext(300)));
    expect(error).toMatchObject({ code: 'STEP_TIMED_OUT', message: expect.stringContaining('60 s') });
    const stop = new AbortController();
    const waiting = expectFailure(
      kit.act(surface, { action: 'wait', seconds: 60 }, testContext(60_000, { signal: stop.signal })),
    );
    stop.abort(new Error('enough'));
    expect((await waiting).message).toBe('enough');
    await surface.close();
  });

  test('waits for the network to become idle', async () => {
    let isAnswered = false;
    const released = Promise.withResolvers<undefined>();
    kit.serve('/slow-data', (_, response) => {
      void released.promise.then(() => {
        isAnswered = true;
        response.end('data');
      });
    });
    const surface = await kit.showPage(`<script>fetch('/slow-data')</script>`);
    expect(await surface.isMet({ loadState: 'load' }, testContext(10_000))).toBe(true);
    expect(await surface.isMet({ loadState: 'networkidle' }, testContext(500))).toBe(false);
    setTimeout(() => released.resolve(undefined), 500);
    await kit.act(surface, { action: 'waitFor', condition: { loadState: 'networkidle' } });
    expect(isAnswered).toBe(true);
    await surface.close();
  });

  test('observe returns the element list', async () => {
    const surface = await kit.showPage('<p>Words</p><button>Go</button>');
    const { value } = await kit.act(surface, { action: 'observe' });
    expect(value).toContain('[0] button "Go"');
    expect(value).not.toContain('Words');
    const { value: viewText } = await kit.act(surface, { action: 'observe', level: 'view' });
    expect(viewText).toContain('Words');
    await surface.close();
  });
});
