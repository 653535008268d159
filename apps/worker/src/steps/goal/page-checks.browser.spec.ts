import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { observationSchema } from '@pilothouse/contract/observation/observation.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { BrowserHost } from '@pilothouse/surface-browser';
import { modelAnswer, call, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { NullSurfaceHost } from '../../surface/null.surface.ts';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';
import { EXPECT_TIMEOUT_MS, waitForExpectation, waitForLocation } from './page-checks.ts';

/*
 * Expected results of turns: waits for late results, but not long for missing ones.
 */

const page = (url: string, text: string) =>
  observationSchema.parse({
    url,
    title: 'Shop',
    document: 1,
    loading: false,
    viewport: { width: 1000, height: 800 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements: [],
    opaqueRegions: [],
    text: { text, length: text.length },
  });

describe('wait for a page', () => {
  /** Milliseconds that the clock advances with each observation. */
  const READ_MS = 200;

  /** A surface with one page per observation; the last one stays. @param waits observations during which the page is loading */
  async function showing(pages: ReturnType<typeof page>[], waits = 0) {
    const [log, signal] = [memoryLog(), new AbortController().signal];
    const surface: Surface = await new NullSurfaceHost().open(
      { folder: '/tmp' },
      { signal, deadline: systemClock.monotonic() + 10_000, log },
    );
    let readCount = 0;
    const startedAt = systemClock.monotonic();
    const clock = { ...systemClock, monotonic: () => startedAt + readCount * READ_MS };
    const next = async () => pages[Math.min(readCount++, pages.length - 1)] as ReturnType<typeof page>;
    surface.anchors = async () => next().then(({ url, title }) => ({ url, title }));
    surface.observe = next;
    Object.defineProperty(surface, 'isWaiting', { get: () => readCount <= waits });
    return {
      scope: { surface, signal, clock, timers: systemTimers, log },
      until: startedAt + EXPECT_TIMEOUT_MS,
      readCount: () => readCount,
    };
  }
  const shop = page('https://shop.test/', 'Nothing yet');
  const cart = page('https://shop.test/cart', 'A rope');

  test('ends when the page appears', async () => {
    const { scope, until, readCount } = await showing([shop, shop, cart]);
    expect(await waitForLocation('/cart', until, scope)).toEqual({ url: cart.url, title: 'Shop' });
    expect(readCount()).toBe(3);
    const shown = await showing([shop, shop, cart]);
    expect(await waitForExpectation({ anchor: '/cart', indicators: ['rope'] }, shown.until, shown.scope)).toEqual(cart);
  });

  test('ends after half a second without activity and changes', async () => {
    const { scope, until, readCount } = await showing([shop]);
    expect(await waitForLocation('/cart', until, scope)).toMatchObject({ url: shop.url });
    expect(readCount()).toBe(4);
  });

  test('continues while the page is loading or its text changes', async () => {
    const waiting = await showing([...Array.from({ length: 12 }, () => shop), cart], 12);
    expect(await waitForLocation('/cart', waiting.until, waiting.scope)).toMatchObject({ url: cart.url });
    const counting = Array.from({ length: 12 }, (_, index) => page('https://shop.test/', `${index} %`));
    const changing = await showing([...counting, cart]);
    expect(await waitForExpectation({ anchor: null, indicators: ['rope'] }, changing.until, changing.scope)).toEqual(
      cart,
    );
  });

  test('ends after five seconds at the latest', async () => {
    const { scope, until, readCount } = await showing([shop], 1000);
    expect(await waitForLocation('/cart', until, scope)).toMatchObject({ url: shop.url });
    expect(readCount()).toBe(EXPECT_TIMEOUT_MS / READ_MS);
  });
});

describe('in a browser', () => {
  /** Pages by their path. */
  const pages = new Map<string, string>();
  const server = new TestServer(({ url = '/' }, response) => {
    const body = pages.get(url);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>Shop ${url}</title><link rel="icon" href="data:,">${body ?? ''}`);
  });
  let host: BrowserHost;
  beforeAll(async () => {
    await server.start();
    host = new BrowserHost(headlessShellOptions());
  }, 30_000);
  afterAll(async () => {
    await host.close();
    await server.stop();
  });

  let attempts: WorkerHarness;
  beforeEach(async () => {
    pages.clear();
    attempts = await WorkerHarness.start(host);
  });
  afterEach(() => attempts.stop());

  const start = (text = 'Be ready') =>
    attempts.assign({
      steps: [
        { action: 'navigate', url: `${server.origin}/` },
        { id: 'goal', action: 'goal', goal: text },
      ],
    });
  const notes = (run: Assignment) =>
    attempts.events(run, 'agent.note').map(({ data }) => `${String(data['kind'])}: ${String(data['note'])}`);
  const ready = call('done', { title_or_url: 'Shop', indicators: ['Ready'] });

  test('emits the met expectation with its thought, and searches the whole page for it', async () => {
    pages.set(
      '/',
      '<button onclick="fetch(\'/late\').then((a) => a.text()).then((said) => (out.innerHTML = said))">Go</button><div id="out"></div>',
    );
    pages.set('/late', '<h1>Ready</h1><p style="margin-top:5000px">Far below');
    const policy: ScriptedPolicy = (prompt) =>
      /Ready/.test(prompt.page)
        ? [ready]
        : [
            call('click', {
              element: prompt.element(/button "Go"/),
              indicators: ['Ready', 'Far below'],
              sub_goals: 'done: nothing; next: go',
            }),
          ];
    attempts.follow(policy);
    const run = start();
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    const expectation = { anchor: null, indicators: ['Ready', 'Far below'] };
    expect(attempts.events(run, 'agent.turn')[0]?.data).toMatchObject({
      expects: expectation,
      subGoals: 'done: nothing; next: go',
    });
    expect(attempts.events(run, 'agent.note')[0]?.data).toMatchObject({
      kind: 'verified',
      turn: 1,
      newlyMet: expectation,
    });
    expect(attempts.requests).toHaveLength(2);
    const [part] = attempts.requests[1]?.messages[0]?.parts ?? [];
    expect(part).toMatchObject({
      text: expect.stringContaining('Sub-goals, as you reported them: done: nothing; next: go'),
    });
    // The prompt does not contain the text that only the check needed.
    expect(part).not.toMatchObject({ text: expect.stringContaining('Far below') });
  }, 60_000);

  test('reports a turn without any change as a failure in the next prompt', async () => {
    pages.set('/', '<button>Go</button><a href="/ready">Help</a>');
    pages.set('/ready', '<h1>Ready</h1>');
    attempts.follow((prompt) => {
      if (/Ready/.test(prompt.page)) return [ready];
      return /instead nothing changed/.test(prompt.text)
        ? [call('click', { element: prompt.element(/link "Help"/), title_or_url: '/nowhere' })]
        : [call('click', { element: prompt.element(/button "Go"/), title_or_url: '/ready' })];
    });
    const run = start('Go to the help');
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(notes(run)).toEqual([
      'problem: Expected title or address with "/ready"; instead nothing changed',
      // The page changed, so the wrong expectation is only a note.
      'page_changed: Expected title or address with "/nowhere"; instead the page is “Shop /ready”',
      expect.stringMatching(/^verified/),
    ]);
    expect(attempts.requests).toHaveLength(3);
  }, 60_000);

  test('verifies the second undecided turn in a row with screenshots from before and after', async () => {
    pages.set(
      '/',
      '<form onsubmit="out.textContent = `Wrong password, ${++tries}`; if (tries === 3) location = \'/ready\'; return false"><input aria-label="Password"><button>Log in</button></form><p id="out"></p><script>let tries = 0</script>',
    );
    pages.set('/ready', '<h1>Ready</h1>');
    const verdicts: ModelRequest[] = [];
    const policy: ScriptedPolicy = (prompt) =>
      /Ready/.test(prompt.page)
        ? [ready]
        : [call('click', { element: prompt.element(/button "Log in"/), title_or_url: 'Account' })];
    attempts.gateway.model = ({ request }) => {
      if (request.prompt.name !== 'verify-turn') return modelAnswer(policy(ParsedPrompt.of(request)));
      verdicts.push(request);
      return modelAnswer([], '{"verdict":"success","why":"It counts its tries"}');
    };
    const run = start();
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(verdicts).toHaveLength(1);
    expect(verdicts[0]?.messages[0]?.parts.filter((part) => 'image' in part)).toHaveLength(2);
    expect(notes(run)).toEqual([
      'problem: Expected title or address with "Account"; instead title and address did not change',
      'verified: Expected title or address with "Account"; instead title and address did not change; the screenshots show that it worked',
      'page_changed: Expected title or address with "Account"; instead the page is “Shop /ready”',
      expect.stringMatching(/^verified/),
    ]);
  }, 60_000);
});
