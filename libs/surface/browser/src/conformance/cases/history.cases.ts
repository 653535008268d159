import type { Action } from '@pilothouse/contract/actions/action-sets';
import { click, press, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-history.spec.ts';
const GOTO = 'page-goto.spec.ts';

const goBack: Action = { action: 'goBack' };
const goForward: Action = { action: 'goForward' };
const reload: Action = { action: 'reload' };
const open = (url: string, fields: Partial<Extract<Action, { action: 'navigate' }>> = {}): Action => ({
  action: 'navigate',
  url,
  ...fields,
});
const arrived = `<script>note('arrived')</script>`;

const moves = (
  name: string,
  steps: readonly Action[],
  outcome: ConformanceCase['outcome'],
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: FROM,
  html: '<p>Start</p>',
  documents: { '/next': arrived },
  steps,
  playwright: outcome.path === undefined ? 'goes there' : `is at ${outcome.path || 'the start'}`,
  outcome,
  ...overrides,
});

const goes = (
  name: string,
  url: string,
  outcome: ConformanceCase['outcome'],
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => moves(name, [open(url)], outcome, { from: GOTO, ...overrides });

const fails = (name: string, url: string, message: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase =>
  goes(name, url, { error: 'NAVIGATION_FAILED', message }, { playwright: `error: ${message}`, ...overrides });

const states = `<script>history.pushState({}, '', 'PATH/first'); history.pushState({}, '', 'PATH/second')</script>`;
const redirect = (location: string) => ({ status: 302, headers: { location } });
const trapped: Partial<ConformanceCase> = {
  from: null,
  playwright: 'goes back; the page is where it was',
  ours: 'unverifiable',
  deviation: 'The step is to leave the page, and the page is the same.',
};

/** Pages of the history, and URLs that are opened. */
export const historyCases: ConformanceGroup = {
  name: 'navigation',
  cases: [
    moves('back', [open('PATH/next'), goBack], { path: '' }),
    moves('back and forward', [open('PATH/next'), goBack, goForward], { notes: 'arrived', path: '/next' }),
    moves(
      'back without a page',
      [goBack],
      { error: 'NAVIGATION_FAILED', message: 'no page before' },
      {
        playwright: 'null',
        ours: 'error',
        deviation: 'The step is to go back, and there is no page.',
      },
    ),
    moves(
      'forward without a page',
      [goForward],
      { error: 'NAVIGATION_FAILED', message: 'no page after' },
      {
        playwright: 'null',
        ours: 'error',
        deviation: 'The step is to go forward, and there is no page.',
      },
    ),
    moves('back over states of the page', [goBack], { path: '/first' }, { html: states }),
    moves('back over two states of the page', [goBack, goBack], { path: '' }, { html: states }),
    moves(
      'back and forward over states of the page',
      [goBack, goBack, goForward],
      { path: '/first' },
      { html: states },
    ),
    moves(
      'back to a page that a link left',
      [click('a'), goBack],
      { path: '' },
      { html: '<a href="PATH/next">Next</a>' },
    ),
    moves(
      'forward to a page that a link opened',
      [click('a'), goBack, goForward],
      { path: '/next', notes: 'arrived' },
      {
        html: '<a href="PATH/next">Next</a>',
      },
    ),
    moves(
      'back over a fragment',
      [click('a'), goBack],
      { path: '' },
      { html: '<a href="#part">Part</a><p id="part">Part</p>' },
    ),
    moves(
      'a page that puts itself back into the history',
      [press('x'), goBack],
      { path: '/trap', effect: 'unverifiable', message: 'same page' },
      {
        ...trapped,
        html: `<script>history.pushState({}, '', 'PATH/trap'); addEventListener('popstate', () => history.pushState({}, '', 'PATH/trap'))</script>`,
      },
    ),
    moves(
      'a page that leads back to the next',
      [open('PATH/hop'), open('PATH/next'), goBack],
      { notes: 'arrived', path: '/next', effect: 'unverifiable', message: 'same page' },
      {
        ...trapped,
        documents: {
          '/next': arrived,
          '/hop': `<script>if (performance.getEntriesByType('navigation')[0].type === 'back_forward') location.href = 'PATH/next'</script>`,
        },
      },
    ),
    moves(
      'a reload',
      [press('x'), reload],
      { notes: '0', path: '' },
      {
        html: `<script>note(performance.getEntriesByType('navigation')[0].type === 'reload' ? 0 : 1)</script>`,
        playwright: 'loads the page again',
      },
    ),
    moves('a reload with a fragment', [open('PATH/next#hash'), reload], { notes: 'arrived', path: '/next#hash' }),
    moves(
      'a reload that is redirected',
      [open('PATH/once'), reload],
      { notes: 'arrived', path: '/next' },
      {
        documents: {
          '/next': arrived,
          '/once': `<script>if (performance.getEntriesByType('navigation')[0].type === 'reload') location.replace('PATH/next')</script>`,
        },
      },
    ),
    moves(
      'a reload in a window',
      [click('a'), reload],
      { notes: 'arrived', path: '/next' },
      { html: '<a target="_blank" href="PATH/next">Open</a>' },
    ),
    moves(
      'a reload while a form is sent',
      [click('button'), reload],
      { notes: 'again', path: '' },
      {
        html: `<form method="post" action="PATH/hang"><button>Send</button></form><script>if (performance.getEntriesByType('navigation')[0].type === 'reload') note('again')</script>`,
        responses: { '/hang': { body: null } },
        timeoutMs: 4000,
        playwright: 'loads the page again',
      },
    ),
    goes('a URL', 'PATH/next', { notes: 'arrived', path: '/next' }),
    goes('a URL of another origin', 'OTHER/next', { notes: 'arrived' }),
    goes(
      'a URL with Cross-Origin-Opener-Policy',
      'PATH/opener',
      { path: '/opener' },
      {
        responses: {
          '/opener': { headers: { 'cross-origin-opener-policy': 'same-origin' }, body: '<title>-</title>' },
        },
      },
    ),
    moves(
      'a relative URL',
      [open('PATH/next'), open('other')],
      { path: '/other', notes: 'arrived' },
      {
        from: null,
        documents: { '/next': '', '/other': arrived },
        playwright: 'error: invalid URL',
        ours: 'opens it',
        deviation: 'A URL may be relative to the current page.',
      },
    ),
    goes('a fragment', 'PATH/next#foo', { notes: 'arrived', path: '/next#foo' }),
    moves(
      'another fragment',
      [open('PATH/next#foo'), open('PATH/next#bar')],
      { notes: 'arrived', path: '/next#bar' },
      { from: GOTO },
    ),
    goes(
      'a redirect',
      'PATH/one',
      { notes: 'arrived', path: '/next' },
      { responses: { '/one': redirect('PATH/two'), '/two': redirect('PATH/next') } },
    ),
    goes('an empty page', 'about:blank', { notes: '' }),
    goes(
      'a page that changes its URL',
      'PATH/state',
      { path: '/changed' },
      {
        documents: { '/state': `<script>history.pushState({}, '', 'PATH/changed')</script>` },
      },
    ),
    goes(
      'a frame without content',
      'PATH/frames',
      { notes: 'arrived', path: '/frames' },
      {
        documents: { '/frames': `<iframe src="PATH/none"></iframe>${arrived}` },
        responses: { '/none': { status: 204 } },
      },
    ),
    moves(
      'a page whose image hangs, until its content',
      [open('PATH/slow', { waitUntil: 'domcontentloaded' })],
      { notes: 'arrived', path: '/slow' },
      {
        from: GOTO,
        documents: { '/slow': `<img src="PATH/hang">${arrived}` },
        responses: { '/hang': { body: null } },
      },
    ),
    goes(
      'a page that does not exist',
      'PATH/missing',
      { notes: 'Nothing here', path: '/missing' },
      { playwright: 'shows it: 404' },
    ),
    moves(
      'a page that does not exist, but has to',
      [open('PATH/missing', { status: '2xx' })],
      { error: 'NAVIGATION_FAILED', message: '404', notes: 'Nothing here' },
      {
        from: null,
        playwright: 'the response is not ok',
        ours: 'error',
        deviation: 'The step names its status.',
      },
    ),
    goes(
      'an error of the server',
      'PATH/broken',
      { error: 'NAVIGATION_FAILED', message: '500', notes: 'Broken' },
      {
        from: null,
        responses: { '/broken': { status: 500, body: '<title>Broken</title>' } },
        playwright: 'shows it: 500',
        ours: 'error',
        deviation: 'A page with an error of the server is not the page of the step; `status` accepts it.',
      },
    ),
    fails('a URL without content', 'PATH/none', 'ERR_ABORTED', { responses: { '/none': { status: 204 } } }),
    fails('no URL', 'http://[bad', 'is not a URL', { playwright: 'error: invalid URL' }),
    fails('no server', 'http://127.0.0.1:1/', 'ERR_UNSAFE_PORT', {
      playwright: 'error: connection refused',
      outcome: { error: 'NAVIGATION_FAILED', message: 'ERR_UNSAFE_PORT', notes: '' },
    }),
    fails('a page that never answers', 'PATH/hang', 'within the time', {
      timeoutMs: 800,
      responses: { '/hang': { body: null } },
      playwright: 'times out',
      outcome: { error: 'NAVIGATION_FAILED', message: 'within the time', notes: '' },
    }),
    goes(
      'a file',
      'file:///etc/hostname',
      { error: 'ACTION_UNSUPPORTED', message: 'file:' },
      {
        playwright: 'opens it',
        ours: 'error',
        deviation: 'A run has no access to the files of its worker.',
      },
    ),
    goes(
      'data as a URL',
      'data:text/html,hello',
      { error: 'ACTION_UNSUPPORTED', message: 'data:' },
      {
        playwright: 'opens it',
        ours: 'error',
        deviation: 'A run opens pages of a site only.',
      },
    ),
    goes(
      'a page that leads on at once',
      'PATH/on',
      { notes: 'arrived', path: '/next' },
      {
        documents: { '/on': `<script>location.replace('PATH/next')</script>`, '/next': arrived },
      },
    ),
  ],
};
