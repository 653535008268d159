import type { Action } from '@pilothouse/contract/actions/action-sets';
import { click, css, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-fill.spec.ts';

const fill = (text: string, fields: { action?: 'type'; append?: boolean } = {}): Action => ({
  action: 'fill',
  target: css('#f'),
  text,
  ...fields,
});
const showButton = `<button id="show" onclick="note(JSON.stringify(f.value ?? f.innerText))">Show</button>`;
const later = (code: string) => `<script>setTimeout(() => { ${code} }, 200)</script>`;

/** Types a text; the page then records the value of the field. */
const types = (name: string, html: string, text: string, expected = text, fields = {}): ConformanceCase => ({
  name,
  from: FROM,
  html: html + showButton,
  steps: [fill(text, fields), click('#show')],
  playwright: 'fills',
  outcome: { notes: JSON.stringify(expected) },
});
const refuses = (name: string, html: string, text: string, error: string, playwright = 'error'): ConformanceCase => ({
  name,
  from: FROM,
  html,
  steps: [fill(text)],
  playwright,
  outcome: { error },
});
const input = (kind: string, attributes = '') => `<input id="f" type="${kind}" ${attributes}>`;

const forms: readonly [string, string, string][] = [
  ['date', '2020-03-02', '2020-13-05'],
  ['month', '2020-07', '2020-13'],
  ['week', '2020-W50', '2020-123'],
  ['time', '13:15', '25:05'],
  ['datetime-local', '2020-03-02T05:15', 'abc'],
];

/** Texts in fields and editors. */
export const typeCases: ConformanceGroup = {
  name: 'type',
  cases: [
    types('lines', '<textarea id="f"></textarea>', 'some value'),
    types('a field', '<input id="f">', 'some value'),
    ...['button', 'checkbox', 'file', 'image', 'radio', 'reset', 'submit'].map((kind) =>
      refuses(`no text in ${kind}`, input(kind, 'style="width: 50px; height: 20px"'), 'a', 'ACTION_UNSUPPORTED'),
    ),
    ...['password', 'search', 'tel', 'text', 'url', 'invalid-type'].map((kind) =>
      types(`type ${kind}`, input(kind), `text ${kind}`),
    ),
    ...forms.flatMap(([kind, right, wrong]) => [
      types(`a ${kind}`, input(kind), right),
      refuses(`a wrong ${kind}`, input(kind), wrong, 'ACTION_UNSUPPORTED', 'error: malformed value'),
    ]),
    types('a range', input('range', 'min="0" max="100" value="50"'), '42'),
    ...['foo', '200', '15.43'].map((text) =>
      refuses(
        `a range of ${text}`,
        input('range', 'min="0" max="100"'),
        text,
        'TYPED_TEXT_DIFFERS',
        'error: malformed value',
      ),
    ),
    types('a color', input('color'), '#aaaaaa'),
    refuses('a wrong color', input('color'), 'badvalue', 'TYPED_TEXT_DIFFERS', 'error: malformed value'),
    types('editable content', '<div id="f" contenteditable>old</div>', 'some value'),
    types('editable content with lines', '<div id="f" contenteditable></div>', 'John\nDoe'),
    types(
      'editable content that takes input by beforeinput',
      `<div id="f" contenteditable>-</div><script>f.addEventListener('beforeinput', (event) => { event.preventDefault(); f.textContent = event.data })</script>`,
      'Playwright',
    ),
    types(
      'editable content with a selection',
      `<div id="f" contenteditable>some text <span>some more text</span> and even more text</div><script>getSelection().selectAllChildren(f.querySelector('span'))</script>`,
      'replace with this',
    ),
    types('a field with a text', '<input id="f" value="value one">', 'another value'),
    types(
      'a field with a selection',
      '<input id="f" value="value one"><script>f.setSelectionRange(1, 2)</script>',
      'maybe this one',
    ),
    refuses('a select box', '<select id="f"><option>a</select>', 'a', 'ACTION_UNSUPPORTED'),
    types('a field that is enabled later', `<input id="f" disabled>${later('f.disabled = false')}`, 'some value'),
    types('a field that is writable later', `<textarea id="f" readonly></textarea>${later('f.readOnly = false')}`, 'a'),
    types('a field that is shown later', `<input id="f" style="display: none">${later(`f.style.display = ''`)}`, 'a'),
    types('a field at a fixed place', '<input id="f" style="position: fixed; bottom: 0">', 'some value'),
    types('a number', input('number'), '42'),
    types('a number with an exponent', input('number'), '-10e5'),
    types('nothing in a number', input('number', 'value="123"'), ''),
    refuses('a text in a number', input('number'), 'abc', 'ACTION_UNSUPPORTED'),
    types('nothing', '<input id="f" value="old">', ''),
    types('the control of a label', '<label id="l" for="f">Name</label><input id="f">', 'a', 'a', {
      target: css('#l'),
    }),
    {
      name: 'while a frame has the focus',
      from: FROM,
      html: `<div id="f" contenteditable>-</div><iframe srcdoc="<input id=i>"></iframe>${showButton}`,
      steps: [
        { action: 'click', target: { css: '#i', within: { css: 'iframe' } } },
        fill('some value'),
        click('#show'),
      ],
      playwright: 'fills',
      outcome: { notes: '"some value"' },
    },
    {
      name: 'a text that leads to another page',
      from: FROM,
      html: `<input id="f" type="date" oninput="location.href = 'PATH/next'">`,
      documents: { '/next': `<script>note('arrived')</script>` },
      steps: [fill('2020-03-02')],
      playwright: 'fills, then follows',
      outcome: { notes: 'arrived' },
    },
    {
      name: 'events of a date cross a shadow root',
      from: FROM,
      html: `<div id="host"></div><script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<input id="f" type="date">';
        const field = host.shadowRoot.querySelector('input');
        for (const event of ['input', 'change']) {
          field.addEventListener(event, (e) => note(e.type + ':' + e.composed));
          document.body.addEventListener(event, (e) => note('body-' + e.type));
        }</script>`,
      steps: [fill('2020-03-02')],
      playwright: 'input is composed, change is not',
      outcome: { notes: 'input:true body-input change:false' },
    },
    {
      ...types('keys', '<textarea id="f"></textarea>', 'hello', 'hello', { action: 'type' }),
      from: 'elementhandle-type.spec.ts',
      playwright: 'types',
    },
    {
      ...types('keys into a number', input('number'), '13', '13', { action: 'type' }),
      from: 'elementhandle-type.spec.ts',
      playwright: 'types',
    },
    {
      ...types('keys into a field with a text', '<input id="f" value="hello">', 'world', 'world', { action: 'type' }),
      from: 'elementhandle-type.spec.ts',
      playwright: 'types before the text: worldhello',
      ours: 'replaces the text',
      deviation: '`type` replaces the text of a field; `append` types behind it',
    },
    {
      ...types('a text longer than the field takes', '<input id="f" maxlength="3">', 'abcdef'),
      from: null,
      steps: [fill('abcdef')],
      playwright: 'fills six characters',
      ours: 'error',
      deviation: 'a person cannot type past the limit either; the error names it',
      outcome: { error: 'TYPED_TEXT_DIFFERS', message: 'it accepts at most 3 characters' },
    },
    {
      ...types('a field that drops digits', `<input id="f" oninput="value = value.replace(/\\d/g, '')">`, 'a1'),
      from: null,
      steps: [fill('a1')],
      playwright: 'fills without an error',
      ours: 'error',
      deviation: 'the text is read back; the step fails when the field holds another text',
      outcome: { error: 'TYPED_TEXT_DIFFERS' },
    },
  ],
};
