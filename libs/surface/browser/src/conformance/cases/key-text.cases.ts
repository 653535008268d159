import type { Action } from '@pilothouse/contract/actions/action-sets';
import { css, inFrame, press, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-keyboard.spec.ts';
const PRESS = 'elementhandle-press.spec.ts';
const EMOJI = '👹 Tokyo street Japan 🇯🇵';

/** Shows the text of the field or editor on F2, which moves neither focus nor caret. */
const show = `<script>addEventListener('keydown', ({ key }) => { if (key === 'F2') { const field = document.querySelector('#f'); note(JSON.stringify(field.value ?? field.textContent)); } })</script>`;
const type = (text: string, selector?: string): Action => ({
  action: 'type',
  text,
  ...(selector !== undefined && { target: css(selector) }),
});
const fill = (text: string): Action => ({ action: 'fill', target: css('#f'), text });

const holds = (
  name: string,
  html: string,
  steps: readonly Action[],
  expected: string,
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: FROM,
  html: html + show,
  steps: [...steps, press('F2')],
  playwright: JSON.stringify(expected),
  outcome: { notes: JSON.stringify(expected) },
  ...overrides,
});

const area = '<textarea id="f"></textarea>';
const editor = '<div id="f" contenteditable></div>';
const selected = (start: string) => `<input id="f" value="hello"><div id="d" tabindex="0">Text</div><script>
  f.focus(); f.setSelectionRange(2, 4); ${start}</script>`;

const inert = `<div id="box" inert><input id="f"></div><input id="out"><script>out.focus()</script>`;
const refusesInert: Partial<ConformanceCase> = {
  from: PRESS,
  timeoutMs: 1200,
  playwright: 'error: the element is inert',
  outcome: { error: 'TARGET_NOT_ACTIONABLE' },
};

/** Two boxes in the shadow root of an element. */
const shadow = (box: (id: string) => string) => `<div id="host"></div><script>
  const root = host.attachShadow({ mode: 'open' });
  root.innerHTML = '${box('x')}<section>${box('y')}</section>';
  addEventListener('keydown', ({ key }) => { if (key === 'F2') note(['x', 'y'].map((id) => root.getElementById(id).value ?? root.getElementById(id).textContent).join('|')); });</script>`;
const typesTwice = (name: string, box: (id: string) => string): ConformanceCase => ({
  name,
  from: FROM,
  html: shadow(box),
  steps: [type('First.', '#x'), type('Second.', '#y'), press('F2')],
  playwright: 'First.|Second.',
  outcome: { notes: 'First.|Second.' },
});

/** Keys that enter, select, copy and remove text. */
export const keyTextCases: ConformanceGroup = {
  name: 'keys in fields',
  cases: [
    holds('a text', area, [type('Hello world. I am the text!', '#f')], 'Hello world. I am the text!'),
    holds('a text on two lines', area, [type('two lines.\nThis is 嗨.', '#f')], 'two lines.\nThis is 嗨.'),
    holds('emoji by keys', area, [type(EMOJI, '#f')], EMOJI),
    holds('emoji at once', area, [fill(EMOJI)], EMOJI),
    {
      name: 'emoji in a frame',
      from: FROM,
      html: '<iframe src="PATH/frame"></iframe>',
      documents: { '/frame': area + show },
      steps: [{ action: 'type', target: inFrame('#f'), text: EMOJI }, press('F2')],
      playwright: EMOJI,
      outcome: { notes: JSON.stringify(EMOJI) },
    },
    holds('a character that has no key', area, [fill('嗨')], '嗨'),
    holds(
      'keys are cancelled, and the text is inserted at once',
      `${area}<script>f.addEventListener('keydown', (event) => event.preventDefault())</script>`,
      [fill('a')],
      'a',
    ),
    {
      name: 'a text at once is one input',
      from: FROM,
      html: `<textarea id="f"></textarea><script>for (const kind of ['keydown', 'keyup', 'keypress', 'input']) document.addEventListener(kind, () => note(kind))</script>`,
      steps: [fill('hello world')],
      playwright: 'input',
      outcome: { notes: 'input' },
    },
    {
      name: 'a page cancels some keys of a text',
      from: FROM,
      html: `<textarea id="f"></textarea><script>addEventListener('keydown', (event) => { if ('lo'.includes(event.key)) event.preventDefault(); })</script>`,
      steps: [type('Hello World!', '#f')],
      playwright: 'types He Wrd!',
      ours: 'error',
      deviation: 'The text is read back; the step fails when the field holds another text.',
      outcome: { error: 'TYPED_TEXT_DIFFERS' },
    },
    holds(
      'arrow keys move the caret',
      area,
      [type('Hello World!', '#f'), { action: 'press', key: 'ArrowLeft', times: 6 }, type('inserted ')],
      'Hello inserted World!',
    ),
    holds(
      'Shift and arrow keys select',
      area,
      [
        type('Hello inserted World!', '#f'),
        { action: 'press', key: 'ArrowLeft', times: 6 },
        { action: 'press', key: 'Shift+ArrowLeft', times: 9 },
        press('Backspace'),
      ],
      'Hello World!',
    ),
    holds(
      'select all, then Backspace',
      area,
      [type('some text', '#f'), press('ControlOrMeta+a'), press('Backspace')],
      '',
    ),
    holds(
      'a page prevents select all',
      `${area}<script>f.addEventListener('keydown', (event) => { if (event.key === 'a' && event.ctrlKey) event.preventDefault(); })</script>`,
      [type('some text', '#f'), press('ControlOrMeta+a'), press('Backspace')],
      'some tex',
    ),
    holds('Meta enters no text', '<input id="f" value="hello world">', [press('Meta', '#f')], 'hello world'),
    ...['Enter', 'NumpadEnter', '\n', '\r'].map((key) =>
      holds(`the key ${JSON.stringify(key)} breaks a line`, area, [press(key, '#f')], '\n'),
    ),
    holds(
      'copy and paste',
      '<div id="f" contenteditable>123</div>',
      [
        ...[press('ControlOrMeta+KeyA', '#f'), press('ControlOrMeta+KeyC'), press('ControlOrMeta+KeyV')],
        press('ControlOrMeta+KeyV'),
      ],
      '123123',
    ),
    holds(
      'cut and paste',
      '<div id="f" contenteditable>123</div>',
      [
        ...[press('ControlOrMeta+KeyA', '#f'), press('ControlOrMeta+KeyX'), press('ControlOrMeta+KeyV')],
        press('ControlOrMeta+KeyV'),
      ],
      '123123',
    ),
    holds('undo', editor, [type('123', '#f'), press('ControlOrMeta+KeyZ')], ''),
    holds(
      'undo and redo',
      editor,
      [type('123', '#f'), press('ControlOrMeta+KeyZ'), press('Shift+ControlOrMeta+KeyZ')],
      '123',
    ),
    {
      name: 'a word is selected in editable content',
      from: FROM,
      html: `${editor}<script>addEventListener('keydown', ({ key }) => { if (key === 'F2') note(getSelection().toString()); })</script>`,
      steps: [type('Hello World', '#f'), press('Control+Shift+ArrowLeft'), press('F2')],
      playwright: 'World',
      outcome: { notes: 'World' },
    },
    typesTwice('editable content in a shadow root', (id) => `<div contenteditable id=${id}></div>`),
    typesTwice(
      'editable content with parts in a shadow root',
      (id) => `<div contenteditable id=${id}><p>old</p></div>`,
    ),
    typesTwice('fields in a shadow root', (id) => `<input id=${id}>`),
    {
      name: 'a text into an element that takes no focus',
      from: FROM,
      html: `<div id="a" tabindex="0">focusable</div><div id="f">not focusable</div><script>a.focus()</script>`,
      steps: [type('foo', '#f')],
      playwright: 'sends the keys to the element with the focus',
      ours: 'error',
      deviation: 'The keys would go to another element.',
      outcome: { error: 'ACTION_UNSUPPORTED' },
    },
    {
      name: 'a text with nothing in focus',
      from: FROM,
      html: '<p>No field</p>',
      steps: [type('foo')],
      playwright: 'sends the keys to the page',
      ours: 'error',
      deviation: 'No field takes the text; without a reader of keys the text would be lost.',
      outcome: { error: 'TARGET_NOT_FOUND' },
    },
    holds(
      'a text after a context menu',
      area,
      [{ action: 'click', target: css('#f'), button: 'right' }, fill('嗨')],
      '嗨',
    ),
    holds('one key', '<input id="f">', [press('h', '#f')], 'h', { from: PRESS }),
    holds('one key before a text', '<input id="f" value="hello">', [press('w', '#f')], 'whello', { from: PRESS }),
    holds('one key into a selection without the focus', selected('d.focus()'), [press('w', '#f')], 'hewo', {
      from: PRESS,
      playwright: 'resets the selection: "whello"',
      ours: '"hewo"',
      deviation: 'A field that takes the focus by `focus()` has its last selection.',
    }),
    holds('one key into a selection with the focus', selected(''), [press('w', '#f')], 'hewo', { from: PRESS }),
    holds('one key in a number', '<input id="f" type="number" value="2">', [press('1', '#f')], '12', { from: PRESS }),
    { ...holds('one key for an inert field', inert, [], ''), ...refusesInert, steps: [press('a', '#f')] },
    { ...holds('a text for an inert field', inert, [], ''), ...refusesInert, steps: [type('hello', '#f')] },
    holds(
      'one key for a field that is no longer inert',
      `${inert}<script>setTimeout(() => { box.inert = false }, 200)</script>`,
      [press('a', '#f')],
      'a',
      { from: PRESS },
    ),
    {
      name: 'a page cancels the one key of a field',
      from: FROM,
      html: `<textarea id="f"></textarea><script>addEventListener('keydown', (event) => event.preventDefault())</script>`,
      steps: [press('b', '#f')],
      playwright: 'presses; the field stays empty',
      ours: 'unverifiable',
      deviation: 'The page took the key; whether it had an effect is not visible.',
      outcome: { effect: 'unverifiable' },
    },
  ],
};
