import type { Action } from '@pilothouse/contract/actions/action-sets';
import { click, css, inFrame, press, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-focus.spec.ts';
const REFUSAL_MS = 2000;
const type = (text: string): Action => ({ action: 'type', text });
const values = `<script>addEventListener('keydown', ({ key }) => { if (key === 'F2') note([...document.querySelectorAll('input')].map((input) => input.value).join('|')); })</script>`;
const active = `<script>addEventListener('focusin', ({ target }) => note(target.id))</script>`;
const inputs = '<input id="i1"><input id="i2"><input id="i3">';

const focuses = (
  name: string,
  html: string,
  steps: readonly Action[],
  notes: string,
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({ name, from: FROM, html, steps, playwright: notes, outcome: { notes }, ...overrides });

const refusesFocus: Partial<ConformanceCase> = {
  timeoutMs: REFUSAL_MS,
  playwright: 'presses the key at the element with the focus',
  ours: 'error',
  deviation: 'The key would go to another element.',
  outcome: { error: 'TARGET_NOT_ACTIONABLE' },
};

/** Elements that take the focus, keep it and give it away. */
export const focusCases: ConformanceGroup = {
  name: 'focus',
  cases: [
    focuses('a part of the page', `<div id="d" tabindex="0">Text</div>${active}`, [press('Shift', '#d')], 'd'),
    focuses(
      'focus and blur',
      `<div id="d1" tabindex="0" onblur="note('blur')">1</div><div id="d2" tabindex="0" onfocus="note('focus')">2</div>`,
      [press('Shift', '#d1'), press('Shift', '#d2')],
      'blur focus',
    ),
    focuses(
      'Tab leads to the next field',
      inputs + values,
      [{ action: 'type', target: css('#i1'), text: 'First' }, press('Tab'), type('Last'), press('F2')],
      'First|Last|',
    ),
    focuses(
      'Tab in both directions',
      inputs + active,
      [{ action: 'press', key: 'Tab', times: 3 }, press('Shift+Tab'), press('Shift+Tab')],
      'i1 i2 i3 i2 i1',
    ),
    focuses('a click on a check box', `<input type="checkbox" id="c">${active}`, [click('#c')], 'c'),
    focuses(
      'an element that takes no focus',
      `<div id="a" tabindex="0" onblur="note('blur')">focusable</div><div id="b">not focusable</div>`,
      [click('#a'), press('x', '#b')],
      '-',
      { ...refusesFocus, playwright: 'keeps the focus where it is' },
    ),
    focuses(
      'the control of a label',
      `<label id="l" for="i1">Name</label><input id="i1">${active}`,
      [press('Shift', '#l')],
      'i1',
      { from: null },
    ),
    focuses(
      'a field in a shadow root',
      `<div id="host"></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<input id="s">'; host.shadowRoot.querySelector('input').onfocus = () => note('inner')</script>`,
      [press('Shift', '#s')],
      'inner',
      { from: null },
    ),
    focuses(
      'a host that delegates its focus',
      `<div id="host"></div><script>host.attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = '<input>'; host.shadowRoot.querySelector('input').onfocus = () => note('inner')</script>`,
      [press('Shift', '#host')],
      'inner',
      { from: null },
    ),
    focuses(
      'a field in a frame',
      '<input id="i1"><iframe src="PATH/frame"></iframe>',
      [press('Shift', '#i1'), { action: 'press', key: 'Shift', target: inFrame('#g') }],
      'g',
      { from: null, documents: { '/frame': `<input id="g">${active}` } },
    ),
    focuses(
      'Tab leads into a frame',
      '<input id="i1"><iframe src="PATH/frame"></iframe>',
      [press('Shift', '#i1'), press('Tab'), press('Tab')],
      'g h',
      { from: null, documents: { '/frame': `<input id="g"><input id="h">${active}` } },
    ),
    focuses(
      'the focus of the page when it opens',
      `<input id="i1"><input id="i2" autofocus>${values}`,
      [type('here'), press('F2')],
      '|here',
      { from: null },
    ),
    focuses(
      'a page that takes the focus back',
      `<input id="i1" onfocus="i2.focus()"><input id="i2">`,
      [press('x', '#i1')],
      '-',
      { ...refusesFocus, from: null, playwright: 'presses the key at the other field' },
    ),
    focuses(
      'a field behind a modal dialog',
      `<input id="i1"><dialog id="d"><input id="i2"></dialog><script>d.showModal()</script>`,
      [press('x', '#i1')],
      '-',
      { ...refusesFocus, from: null, playwright: 'presses the key in the dialog' },
    ),
    focuses('a disabled field', '<input id="i1" disabled><input id="i2" autofocus>', [press('x', '#i1')], '-', {
      ...refusesFocus,
      from: null,
      playwright: 'presses the key at the other field',
    }),
    focuses(
      'a list that marks its active option',
      `<ul id="list" role="listbox" tabindex="0" aria-activedescendant="o1" onkeydown="note(event.key)"><li id="o1" role="option">One</li></ul><script>list.focus()</script>`,
      [press('Enter', '#o1')],
      'Enter',
      { from: null, playwright: 'presses the key at the list' },
    ),
    focuses(
      'a field that is left reports its change',
      `<input id="i1" onchange="note('change')"><button id="b">Other</button>`,
      [{ action: 'type', target: css('#i1'), text: 'a' }, click('#b')],
      'change',
      { from: null },
    ),
    focuses(
      'the page has the focus',
      `<button id="b" onclick="note(document.hasFocus())">Ask</button>`,
      [click('#b')],
      'true',
      { from: null },
    ),
  ],
};
