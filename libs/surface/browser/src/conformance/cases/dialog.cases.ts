import type { Action } from '@pilothouse/contract/actions/action-sets';
import { click, css, inFrame, press, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-dialog.spec.ts';
const UNLOAD = 'beforeunload.spec.ts';

const answer = (accept: boolean, text?: string): Action => ({
  action: 'handleDialog',
  accept,
  ...(text !== undefined && { text }),
});
const asks = (code: string, id = 'go') => `<button id="${id}" onclick="${code}">Ask</button>`;

const dialogCase = (
  name: string,
  html: string,
  steps: readonly Action[],
  notes: string,
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({ name, from: FROM, html, steps, playwright: notes, outcome: { notes }, ...overrides });

/** A page that asks before it is left, once it received input. */
const leaving = `<input id="f"><a id="go" href="PATH/next">Next</a><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`;
const next = { '/next': `<script>note('arrived')</script>` };
const touched = press('x', '#f');

const leaves = (
  name: string,
  steps: readonly Action[],
  outcome: ConformanceCase['outcome'],
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: UNLOAD,
  html: leaving,
  documents: next,
  steps: [touched, ...steps],
  playwright: 'leaves',
  outcome,
  ...overrides,
});

const stays: Partial<ConformanceCase> = {
  playwright: 'stays; the action does not fail',
  ours: 'error',
  deviation: 'The step is to leave the page, and the page stays.',
};

/** Dialogs of the page. */
export const dialogCases: ConformanceGroup = {
  name: 'dialog',
  cases: [
    dialogCase('an alert', asks(`alert('yo'); note('clicked')`), [click('#go')], 'clicked'),
    dialogCase(
      'a prompt with an answer',
      asks(`note(prompt('question?', 'yes.'))`),
      [answer(true, 'answer!'), click('#go')],
      'answer!',
    ),
    dialogCase(
      'a prompt that is accepted without an answer',
      asks(`note(prompt('question?', 'yes.'))`),
      [answer(true), click('#go')],
      'yes.',
      { from: null },
    ),
    dialogCase(
      'a prompt with an empty answer',
      asks(`note(JSON.stringify(prompt('question?', 'yes.')))`),
      [answer(true, ''), click('#go')],
      '""',
      { from: null },
    ),
    dialogCase('a prompt that is dismissed', asks(`note(prompt('question?'))`), [answer(false), click('#go')], 'null'),
    dialogCase('a question that is accepted', asks(`note(confirm('boolean?'))`), [answer(true), click('#go')], 'true'),
    dialogCase(
      'a question that is dismissed',
      asks(`note(confirm('boolean?'))`),
      [answer(false), click('#go')],
      'false',
    ),
    dialogCase('a prompt without an answer', asks(`note(prompt('question?'))`), [click('#go')], 'null'),
    dialogCase('a question without an answer', asks(`note(confirm('boolean?'))`), [click('#go')], 'false', {
      from: null,
    }),
    dialogCase(
      'several alerts while the page loads',
      `<p id="p">Text</p><script>alert(1); alert(2); alert(3)</script>${asks(`note('clicked')`)}`,
      [click('#go')],
      'clicked',
    ),
    dialogCase(
      'several questions while the page loads',
      `<script>for (const question of ['a', 'b', 'c']) note(confirm(question))</script>`,
      [],
      'false false false',
    ),
    dialogCase(
      'two questions and one answer',
      asks(`note(confirm('a')); note(confirm('b'))`),
      [answer(true), click('#go')],
      'true false',
      { from: null },
    ),
    dialogCase(
      'two answers for two questions',
      asks(`note(confirm('a'))`),
      [answer(true), click('#go'), answer(false), click('#go')],
      'true false',
      { from: null },
    ),
    dialogCase(
      'an alert that is open when the page is closed',
      asks(`setTimeout(() => { note('open'); alert('hello'); })`),
      [click('#go')],
      'open',
    ),
    dialogCase(
      'an alert by a timer',
      asks(`setTimeout(() => { alert('later'); note('after'); }, 100)`),
      [click('#go')],
      'after',
      { from: null },
    ),
    dialogCase(
      'a question of a frame',
      '<iframe src="PATH/frame"></iframe>',
      [answer(true), { action: 'click', target: inFrame('#go') }],
      'true',
      {
        from: null,
        documents: { '/frame': asks(`note(confirm('a'))`) },
      },
    ),
    dialogCase(
      'an alert of a key',
      `<input id="f" onkeydown="alert('key'); note('after')">`,
      [press('a', '#f')],
      'after',
      { from: null },
    ),
    dialogCase(
      'an alert while a text is entered',
      `<input id="f" onchange="alert('changed'); note(value)"><button id="go">Go</button>`,
      [{ action: 'fill', target: css('#f'), text: 'abc' }, click('#go')],
      'abc',
      { from: null },
    ),
    dialogCase(
      'a question of a choice',
      `<select id="s" onchange="note(confirm(value))"><option>a<option>b</select>`,
      [answer(true), { action: 'selectOption', target: css('#s'), option: 'b' }],
      'true',
      { from: null },
    ),
    dialogCase(
      'an alert when the pointer comes',
      `<div id="go" style="width:90px;height:90px" onmouseenter="alert('over'); note('after')"></div>`,
      [{ action: 'hover', target: css('#go') }],
      'after',
      { from: null },
    ),
    dialogCase(
      'a question of a new window',
      `<a id="go" target="_blank" href="PATH/window">Open</a>`,
      [click('#go')],
      'false',
      {
        from: null,
        documents: { '/window': `<script>note(confirm('a'))</script>` },
      },
    ),
    leaves('a link leaves a page that asks', [click('#go')], { notes: 'arrived', path: '/next' }),
    leaves('a URL leaves a page that asks', [{ action: 'navigate', url: 'PATH/next' }], {
      notes: 'arrived',
      path: '/next',
    }),
    leaves(
      'a link of a page that is kept',
      [answer(false), click('#go')],
      { path: '', effect: 'unverifiable', message: 'was not left' },
      {
        playwright: 'clicks; the page stays',
        ours: 'unverifiable',
        deviation: 'The click arrived, but the page was not left.',
      },
    ),
    leaves(
      'a URL after a page that is kept',
      [answer(false), { action: 'navigate', url: 'PATH/next' }],
      { error: 'NAVIGATION_FAILED', message: 'asked before leaving', path: '' },
      { ...stays, from: null },
    ),
    leaves(
      'a reload of a page that is kept',
      [answer(false), { action: 'reload' }],
      { error: 'NAVIGATION_FAILED', path: '' },
      stays,
    ),
    leaves('a link after a page was kept once', [answer(false), click('#go'), answer(true), click('#go')], {
      notes: 'arrived',
      path: '/next',
    }),
    leaves(
      'input after a page was kept',
      [answer(false), click('#go'), press('F2', '#f')],
      { notes: 'F2', path: '' },
      {
        html: `${leaving}<script>f.onkeyup = ({ key }) => { if (key === 'F2') note(key) }</script>`,
        playwright: 'F2',
      },
    ),
    leaves(
      'a page that changes its history before it is left',
      [{ action: 'navigate', url: 'PATH/next' }],
      { notes: 'arrived', path: '/next' },
      {
        from: 'page-goto.spec.ts',
        html: `<input id="f"><script>addEventListener('beforeunload', () => history.replaceState(null, 'initial', location.href))</script>`,
      },
    ),
  ],
};
