import type { Action } from '@pilothouse/contract/actions/action-sets';
import { click, css, press, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-keyboard.spec.ts';

/** Notes each key event: its kind, key, code, location, and modifiers. */
const keyLog = `<script>for (const kind of ['keydown', 'keypress', 'keyup']) addEventListener(kind, (event) => note([kind.slice(3), event.key, event.code, event.location, ...['Alt', 'Control', 'Meta', 'Shift'].filter((name) => event.getModifierState(name))].join('/')), true)</script>`;

const keyCase = (key: string, notes: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name: `the events of ${JSON.stringify(key)}`,
  from: FROM,
  html: keyLog,
  steps: [press(key)],
  playwright: notes,
  outcome: { notes },
  ...overrides,
});

const whole = (key: string, code: string, location: number, modifier = '') =>
  `down/${key}/${code}/${location}${modifier} up/${key}/${code}/${location}`;

/** Events of a key that enters text. */
const printed = (key: string, code: string, location = 0) =>
  `down/${key}/${code}/${location} press/${key}/${code}/${location} up/${key}/${code}/${location}`;

const shift = (inner: string) => `down/Shift/ShiftLeft/1/Shift ${inner} up/Shift/ShiftLeft/1`;
const shifted = (key: string, code: string) =>
  shift(['down', 'press', 'up'].map((kind) => `${kind}/${key}/${code}/0/Shift`).join(' '));

const mediaKeys = ['AudioVolumeMute', 'AudioVolumeDown', 'MediaTrackNext', 'MediaPlayPause'];

const unknownKey = (key: string): ConformanceCase => ({
  name: `an unknown key ${key}`,
  from: FROM,
  html: '<input>',
  steps: [press(key)],
  playwright: 'error: unknown key',
  outcome: { error: 'ACTION_UNSUPPORTED', message: 'cannot be pressed' },
});

const onButton = (name: string, html: string, key: string, overrides: Partial<ConformanceCase> = {}) => ({
  name,
  from: FROM,
  html,
  steps: [press(key, '#go')],
  playwright: 'clicks',
  outcome: { notes: 'clicked' },
  ...overrides,
});

const onclick = `id="go" onclick="note('clicked')"`;
const rightClick: Action = { action: 'click', target: css('#f'), button: 'right' };

/** Keys, and what they do besides entering text. */
export const keyCases: ConformanceGroup = {
  name: 'press',
  cases: [
    keyCase('a', printed('a', 'KeyA')),
    keyCase('!', printed('!', 'Digit1')),
    keyCase('^', printed('^', 'Digit6')),
    keyCase('+', printed('+', 'Equal')),
    keyCase('Shift++', shifted('+', 'Equal')),
    keyCase('Shift+~', shifted('~', 'Backquote')),
    keyCase('Shift+Digit3', shifted('#', 'Digit3')),
    keyCase(
      'Control+Shift+~',
      'down/Control/ControlLeft/1/Control down/Shift/ShiftLeft/1/Control/Shift down/~/Backquote/0/Control/Shift up/~/Backquote/0/Control/Shift up/Shift/ShiftLeft/1/Control up/Control/ControlLeft/1',
    ),
    keyCase(
      'Control+Alt+;',
      'down/Control/ControlLeft/1/Control down/Alt/AltLeft/1/Alt/Control down/;/Semicolon/0/Alt/Control up/;/Semicolon/0/Alt/Control up/Alt/AltLeft/1/Control up/Control/ControlLeft/1',
    ),
    keyCase('Digit5', printed('5', 'Digit5')),
    keyCase('ControlLeft', whole('Control', 'ControlLeft', 1, '/Control')),
    keyCase('ControlRight', whole('Control', 'ControlRight', 2, '/Control')),
    keyCase('NumpadSubtract', printed('-', 'NumpadSubtract', 3)),
    keyCase('Meta', whole('Meta', 'MetaLeft', 1, '/Meta')),
    keyCase('Escape', whole('Escape', 'Escape', 0)),
    keyCase('F12', whole('F12', 'F12', 0)),
    ...mediaKeys.map((key) => keyCase(key, whole(key, key, 0))),
    ...['NotARealKey', 'ё', '😊'].map(unknownKey),
    {
      name: 'the order of events in a field',
      from: FROM,
      html: `<input id="f"><script>for (const kind of ['keydown', 'keypress', 'textInput', 'input', 'keyup']) f.addEventListener(kind, () => note(kind))</script>`,
      steps: [press('f', '#f')],
      playwright: 'keydown keypress textInput input keyup',
      outcome: { notes: 'keydown keypress textInput input keyup' },
    },
    {
      name: 'each event in its own task',
      from: FROM,
      html: `<input id="f"><script>for (const kind of ['keydown', 'keypress']) f.addEventListener(kind, () => { note(kind); queueMicrotask(() => note('task')); })</script>`,
      steps: [press('a', '#f')],
      playwright: 'keydown task keypress task',
      outcome: { notes: 'keydown task keypress task' },
    },
    {
      name: 'a key twice',
      from: FROM,
      html: `<input id="f" onkeydown="note(event.repeat)">`,
      steps: [{ action: 'press', key: 'a', target: css('#f'), times: 2 }],
      playwright: 'no repetition: the key is released between',
      outcome: { notes: 'false false' },
    },
    keyCase('b', printed('b', 'KeyB'), {
      name: 'a page that navigated to another origin',
      documents: { '/second': keyLog },
      steps: [{ action: 'navigate', url: 'OTHER/second' }, press('b')],
    }),
    onButton('Space on a button', `<button type="button" ${onclick}>Go</button>`, 'Space'),
    onButton('Enter on a button', `<button type="button" ${onclick}>Go</button>`, 'Enter'),
    onButton('Enter on a link', `<a href="#x" ${onclick}>Go</a>`, 'Enter', { from: null }),
    onButton('Space on a check box', `<input type="checkbox" ${onclick}>`, 'Space', { from: null }),
    onButton(
      'Space on a summary',
      `<details ontoggle="note('open')"><summary id="go">More</summary>Text</details>`,
      'Space',
      { from: null, playwright: 'opens it', outcome: { notes: 'open' } },
    ),
    onButton(
      'Enter in a field of a form',
      `<form onsubmit="event.preventDefault(); note('sent')"><input id="go"><button>Send</button></form>`,
      'Enter',
      { from: null, playwright: 'submits', outcome: { notes: 'sent' } },
    ),
    onButton('Space on a disabled button', `<button disabled ${onclick}>Go</button>`, 'Space', {
      from: null,
      timeoutMs: 1200,
      playwright: 'presses the key at another element',
      ours: 'error',
      deviation: 'A disabled element does not take the focus; the key would go to another element.',
      outcome: { error: 'TARGET_NOT_ACTIONABLE' },
    }),
    onButton(
      'ArrowDown in a radio group',
      `<input type="radio" name="r" id="go" checked><input type="radio" name="r" onchange="note('second')">`,
      'ArrowDown',
      { from: null, playwright: 'chooses the next', outcome: { notes: 'second' } },
    ),
    onButton('ArrowUp in a number', `<input type="number" id="go" value="2" oninput="note(value)">`, 'ArrowUp', {
      from: null,
      playwright: '3',
      outcome: { notes: '3' },
    }),
    onButton(
      'ArrowDown in a select box',
      `<select id="go" onchange="note(value)"><option>a<option>b</select>`,
      'ArrowDown',
      { from: null, playwright: 'chooses the next', outcome: { notes: 'b' } },
    ),
    {
      name: 'PageDown scrolls the page',
      from: FROM,
      html: `<div style="height:5000px"></div><script>addEventListener('scroll', () => note('scrolled'), { once: true })</script>`,
      steps: [click('body'), press('PageDown')],
      playwright: 'scrolls',
      outcome: { notes: 'scrolled' },
    },
    {
      name: 'a key after a context menu',
      from: FROM,
      html: `<textarea id="f" oncontextmenu="note('menu')" onkeydown="note(event.key)"></textarea>`,
      steps: [rightClick, press('ArrowDown')],
      playwright: 'ArrowDown',
      outcome: { notes: 'menu ArrowDown' },
    },
    {
      name: 'Escape in editable content closes its dialog',
      from: FROM,
      html: `<dialog id="d" onclose="note('closed')"><div id="f" contenteditable>Edit</div></dialog><script>d.showModal()</script>`,
      steps: [press('Escape', '#f')],
      playwright: 'closes',
      outcome: { notes: 'closed' },
    },
    {
      name: 'a key that opens another page',
      from: null,
      html: `<a id="go" href="PATH/next">Next</a>`,
      documents: { '/next': `<script>note('arrived')</script>` },
      steps: [press('Enter', '#go')],
      playwright: 'follows',
      outcome: { notes: 'arrived', path: '/next' },
    },
  ],
};
