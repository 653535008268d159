import { createHash } from 'node:crypto';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
  kit.serve('/entered-socket', ({ headers, socket }) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accepted = createHash('sha1').update(key).digest('base64');
    const fields = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accepted}`];
    socket.write(['HTTP/1.1 101 Switching Protocols', ...fields, '', ''].join('\r\n'));
  });
});
afterAll(() => kit.close());

const NAME = { label: 'Name' };
const fill: Action = { action: 'fill', target: NAME, text: 'Aurora' };
const save: Action = { action: 'click', target: { css: '#save' } };
const check: Action = { action: 'check', target: NAME };
const choose: Action = { action: 'selectOption', target: NAME, option: 'Tea' };
/** A script of the page changes the field when its title becomes `late`. Runs at the next step. */
const late: Action = { action: 'waitFor', condition: { title: 'late' } };

/** A form whose button reports the value of its field. The page runs `later` 700 ms after the last input. */
const form = (code: string, field = '<input id="name">') => `<output id="out">-</output>
  <form onsubmit="return false"><label>Name ${field}</label><label>Port <input id="port"></label>
  <label><input type="checkbox" id="agree"> Agree</label></form>
  <button id="save">Save</button><button id="clear">Clear</button>
  <script>const field = document.getElementById('name');
    save.onclick = () => { out.textContent = String(field.type === 'checkbox' ? field.checked : name_().value ?? name_().textContent) || 'empty'; };
    const name_ = () => document.getElementById('name');
    let hasInput = false;
    document.addEventListener('input', () => { hasInput = true; }, true);
    const later = (run) => {
      let timer;
      const end = () => { document.removeEventListener('input', start, true); run(); document.title = 'late'; };
      const start = () => { clearTimeout(timer); timer = setTimeout(end, 700); };
      document.addEventListener('input', start, true);
      if (hasInput) start();
    };
    ${code}</script>`;

/** Performs steps on a page. Returns what the button reported, the warnings, and the error of a step. */
async function run(body: string, ...actions: (Action | 'end')[]) {
  const surface = await kit.showPage(body);
  const warnings: string[] = [];
  const context = () =>
    testContext(4000, {
      onWarning: (message) => void warnings.push(message),
      reveal: async (text) => text.replace('{{inputs.password}}', 'hunter2'),
    });
  let error: { code: string; message: string } | null = null;
  try {
    for (const action of actions)
      if (action === 'end') await surface.restoreFields(context());
      else await surface.act(action, context());
  } catch (thrown) {
    error = thrown as { code: string; message: string };
  }
  const text = await output(kit, surface);
  await surface.close();
  return { text, warnings, error };
}

const password = '<input type="password" id="name">';
const list = '<select id="name"><option>None<option>Tea</select>';
const editor = '</label><div id="name" role="textbox" aria-label="Name" contenteditable></div><label>';

describe('a field that the page changes after its step', () => {
  test.each<[string, string, Action[], string]>([
    ['empty', form(`later(() => { field.value = ''; })`), [fill], 'Aurora'],
    [
      'replaced by another',
      form(`later(() => { const other = field.cloneNode(); other.value = ''; field.replaceWith(other); })`),
      [fill],
      'Aurora',
    ],
    ['old', form(`field.value = 'Old'; later(() => { field.value = 'Old'; })`), [fill], 'Aurora'],
    ['loaded from elsewhere', form(`later(() => { field.value = 'Boreas'; })`), [fill], 'Aurora'],
    [
      'empty before other fields',
      form(`later(() => { field.value = ''; })`),
      [fill, { ...fill, target: { label: 'Port' } }],
      'Aurora',
    ],
    [
      'an empty date',
      form(`later(() => { field.value = ''; })`, '<input type="date" id="name">'),
      [{ ...fill, text: '2026-01-02' }],
      '2026-01-02',
    ],
    [
      'a short text that requests contain by chance',
      form(
        `later(() => { field.value = ''; }); field.oninput = () => { fetch('/entered-2/2?page=12', { method: 'POST', body: '{"at":"2026-11-2","sum":1.2}' }); };`,
        '<input id="name"> of 2000',
      ),
      [{ ...fill, text: '2' }],
      '2',
    ],
    ['an empty editor', form(`later(() => { field.textContent = ''; })`, editor), [fill], 'Aurora'],
    [
      'put back in a list',
      form(`field.onchange = () => later(() => { field.selectedIndex = 0; })`, list),
      [choose],
      'Tea',
    ],
    [
      'unchecked',
      form(`later(() => { field.checked = false; })`, '<input type="checkbox" id="name">'),
      [check],
      'true',
    ],
    [
      'an empty secret',
      form(`later(() => { field.value = ''; })`, password),
      [{ ...fill, text: '{{inputs.password}}' }],
      'hunter2',
    ],
  ])('is entered again before a click: %s', async (_, body, actions, expected) => {
    const { text, warnings, error } = await run(body, ...actions, late, save);
    expect(error).toBeNull();
    expect(text).toBe(expected);
    expect(warnings).toEqual([
      expect.stringMatching(/^label="Name" lost the value of its step .*; it was entered again$/),
    ]);
    expect(warnings.join()).not.toContain('hunter2');
  });

  test('is entered again in a shadow root and in a frame', async () => {
    const html = `<label>Name <input id="name"></label>`;
    const shadow = `<output id="out">-</output><div id="host"></div><button id="save" onclick="out.textContent = field().value">Save</button><script>host.attachShadow({ mode: 'open' }).innerHTML = '${html}'; const field = () => host.shadowRoot.getElementById('name'); setTimeout(() => { field().value = ''; document.title = 'late'; }, 700)</script>`;
    expect(await run(shadow, fill, late, save)).toMatchObject({ text: 'Aurora', error: null });
    const framed = `<output id="out">-</output><iframe srcdoc='${html}'></iframe><button id="save" onclick="out.textContent = field().value">Save</button><script>const field = () => frames[0].document.getElementById('name'); setTimeout(() => { field().value = ''; document.title = 'late'; }, 700)</script>`;
    const inFrame: Action = { ...fill, target: { ...NAME, within: { css: 'iframe' } } };
    expect(await run(framed, inFrame, late, save)).toMatchObject({ text: 'Aurora', error: null });
  });

  test.each<[string, string, Action[]]>([
    [
      'the field with the focus',
      `field.onkeydown = ({ key }) => { if (key === 'Enter') out.textContent = field.value; };`,
      [fill],
    ],
    [
      'another field',
      `port.onkeydown = ({ key }) => { if (key === 'Enter') out.textContent = field.value; };`,
      [fill, { ...fill, target: { label: 'Port' } }],
    ],
  ])('is entered again before Enter in %s', async (_, code, actions) => {
    const body = form(`later(() => { field.value = ''; }); const port = document.getElementById('port'); ${code}`);
    const { text, error } = await run(body, ...actions, late, { action: 'press', key: 'Enter' });
    expect({ text, error }).toEqual({ text: 'Aurora', error: null });
  });

  test.each(['Tab', 'Shift+Tab'])('is entered again after the key %s', async (key) => {
    const { text, error } = await run(
      form(`later(() => { field.value = ''; })`),
      fill,
      { action: 'press', key },
      late,
      save,
    );
    expect({ text, error }).toEqual({ text: 'Aurora', error: null });
  });

  test('is entered again before a key that changes it', async () => {
    const number = form(`later(() => { field.value = ''; })`, '<input type="number" id="name">');
    const key: Action = { action: 'press', key: 'ArrowUp' };
    expect(await run(number, { ...fill, text: '5' }, late, key, save)).toMatchObject({ text: '6', error: null });
  });

  test('is entered again at the end of the run', async () => {
    const { warnings, error } = await run(form(`later(() => { field.value = ''; })`), fill, late, 'end');
    expect({ error, warnings: warnings.length }).toEqual({ error: null, warnings: 1 });
  });

  test.each<[string, Action]>([
    ['was typed', { ...fill, action: 'type' }],
    ['was extended', { ...fill, append: true }],
  ])('fails the run if it %s', async (_, action) => {
    const { text, error } = await run(
      form(`field.value = 'S/'; later(() => { field.value = ''; })`),
      action,
      late,
      save,
    );
    expect(error).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining(`step ${action.action}`),
    });
    expect(text).toBe('-');
  });

  test('fails the run if it does not hold the value the second time', async () => {
    const code = `later(() => { field.value = ''; field.addEventListener('input', () => setTimeout(() => { field.value = ''; document.title = 'again'; }, 700)); })`;
    const again: Action = { action: 'waitFor', condition: { title: 'again' } };
    const click: Action = { action: 'click', target: { label: 'Port' } };
    const { error } = await run(form(code), fill, late, click, again, save);
    expect(error).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining(
        'label="Name" lost the value of its step fill: the page changed it later from "Aurora" to ""',
      ),
    });
  });
});

describe('a field of another tab', () => {
  const open: Action = { action: 'click', target: { css: '#open' } };
  const first: Action = { action: 'switchTab', index: 0 };
  const second: Action = { action: 'switchTab', index: 1 };
  const otherTab = `<title>Other</title><output id="out">other</output><label>Name <input id="name"></label>
    <button id="empty" onmouseover="opener.empty()">Empty</button>
    <button id="save" onclick="out.textContent = document.getElementById('name').value || 'empty'">Save</button>`;
  beforeAll(() => void kit.serve('/entered-other', otherTab));
  /** A page that empties its field when its other tab asks for it. */
  const opener = (field?: string) =>
    `${form(`globalThis.empty = () => { field.value = ''; };`, field)}<a id="open" href="/entered-other" target="_blank" rel="opener">Open</a>`;
  const opened: Action = { action: 'waitFor', condition: { title: 'Other' } };
  const empty: Action = { action: 'hover', target: { css: '#empty' } };
  const secret: Action = { ...fill, text: '{{inputs.password}}' };

  test.each<[string, string, Action]>([
    ['a text', opener(), fill],
    ['a secret', opener(password), secret],
  ])('is not entered in the current tab: %s', async (_, body, action) => {
    const { text, error, warnings } = await run(body, open, opened, first, action, second, empty, save);
    expect({ text, error, warnings }).toEqual({ text: 'empty', error: null, warnings: [] });
  });

  test('is entered again when its tab is current again', async () => {
    const { text, error, warnings } = await run(opener(), open, opened, first, fill, second, empty, save, first, save);
    expect({ text, error, warnings: warnings.length }).toEqual({ text: 'Aurora', error: null, warnings: 1 });
  });

  test('fails the run at its end if the value is lost', async () => {
    const { text, error } = await run(opener(password), open, opened, first, secret, second, empty, 'end');
    expect({ text, code: error?.code }).toEqual({ text: 'other', code: 'TYPED_TEXT_DIFFERS' });
    expect(error?.message).not.toContain('hunter2');
  });

  test('does not fail the run if it holds the value, or if its tab is closed', async () => {
    expect(await run(opener(), open, opened, first, fill, second, 'end')).toMatchObject({ text: 'other', error: null });
    const closed: Action = { action: 'closeTab', index: 0 };
    expect(await run(opener(), open, opened, first, fill, second, empty, closed, 'end')).toMatchObject({
      ...{ text: 'other', error: null },
    });
  });
});

describe('a field that may change', () => {
  test.each<[string, string, (Action | 'end')[], string]>([
    [
      'formats its text',
      form(`later(() => { field.value = '1,234'; })`),
      [{ ...fill, text: '1234' }, late, save],
      '1,234',
    ],
    ['changes the case', form(`later(() => { field.value = 'AURORA'; })`), [fill, late, save], 'AURORA'],
    [
      'completes its text',
      form(`later(() => { field.value = 'Aurora, Norway'; })`),
      [fill, late, save],
      'Aurora, Norway',
    ],
    [
      'converts it when it loses the focus',
      form(`field.onblur = () => { field.value = '2026-11-30'; later(() => {}); }`),
      [{ ...fill, text: 'tomorrow' }, { ...fill, target: { label: 'Port' } }, late, save],
      '2026-11-30',
    ],
    [
      'is cleared by a click of a step',
      form(`document.getElementById('clear').onclick = () => { field.value = ''; }`),
      [fill, { action: 'click', target: { css: '#clear' } }, save, 'end'],
      'empty',
    ],
    [
      'is cleared by another box',
      form(`agree.onclick = () => { field.value = ''; later(() => {}); }`),
      [fill, { action: 'check', target: { label: 'Agree' } }, late, save],
      'empty',
    ],
    ...['ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp'].map<[string, string, (Action | 'end')[], string]>((key) => [
      `is changed by the key ${key}`,
      form('', '<input type="range" min="0" max="200" id="name">'),
      [{ ...fill, text: '50' }, { action: 'press', key }, save, 'end'],
      { ArrowUp: '51', ArrowDown: '49', Home: '0', End: '200', PageUp: '70' }[key] ?? '',
    ]),
    [
      'is a number that a key increases',
      form('', '<input type="number" id="name">'),
      [{ ...fill, text: '5' }, { action: 'press', key: 'ArrowUp' }, save, 'end'],
      '6',
    ],
    [
      'is a list in which a key selects the next option',
      form('', '<select id="name"><option>None<option>Tea<option>Water</select>'),
      [choose, { action: 'press', key: 'ArrowDown', target: NAME }, save, 'end'],
      'Water',
    ],
    [
      'is entered by another step',
      form(`later(() => { field.value = ''; })`),
      [fill, late, { ...fill, text: 'Other' }, save],
      'Other',
    ],
    [
      'is removed',
      form(`later(() => field.parentElement.remove()); save.onclick = () => { out.textContent = 'saved'; }`),
      [fill, late, save],
      'saved',
    ],
    [
      'is sent at once',
      form(
        `field.oninput = () => fetch('/sent', { method: 'POST', body: JSON.stringify({ name: field.value }) }).then(() => later(() => { field.value = ''; }))`,
      ),
      [fill, late, save],
      'empty',
    ],
    [
      'is sent through a socket',
      form(
        `const socket = new WebSocket('ws://' + location.host + '/entered-socket');
         field.oninput = () => { const send = () => { socket.send(JSON.stringify({ code: field.value })); later(() => { field.value = ''; }); };
           if (socket.readyState === 1) send(); else socket.onopen = send; }`,
      ),
      [fill, late, save, 'end'],
      'empty',
    ],
    [
      'is a list whose choice is sent through a socket',
      form(
        `const socket = new WebSocket('ws://' + location.host + '/entered-socket');
         field.onchange = () => { const send = () => { socket.send(JSON.stringify({ run: field.value })); later(() => { field.value = ''; }); };
           if (socket.readyState === 1) send(); else socket.onopen = send; }`,
        '<select id="name"><option value="">None<option value="brew">Tea</select>',
      ),
      [choose, late, save, 'end'],
      'empty',
    ],
    [
      'is sent as a beacon',
      form(
        `field.oninput = () => { navigator.sendBeacon('/sent', 'code=' + field.value); later(() => { field.value = ''; }); }`,
      ),
      [fill, late, save, 'end'],
      'empty',
    ],
    ...['post', 'get'].map<[string, string, (Action | 'end')[], string]>((method) => [
      `is sent by a form into a hidden frame: ${method}`,
      `<iframe name="sink" hidden></iframe><form id="send" action="/sent" method="${method}" target="sink"><input name="code" type="hidden"></form>${form(
        `const target = document.getElementById('send');
         field.oninput = () => { target.code.value = field.value; target.submit(); later(() => { field.value = ''; }); }`,
      )}`,
      [fill, late, save, 'end'],
      'empty',
    ]),
    [
      'becomes an entry of a list elsewhere',
      `<main><ul id="list"></ul><section><div>${form(
        `later(() => { list.innerHTML = '<li>' + field.value + '</li>'; field.value = ''; })`,
        '<input id="name" form="none">',
      ).replace(/<\/?form[^>]*>/g, '')}</div></section></main>`,
      [fill, late, save, 'end'],
      'empty',
    ],
    [
      'is cleared by a choice right before a click',
      form(
        `const run = setTimeout; globalThis.setTimeout = (code, ms) => run(code, ms === 50 ? 2000 : ms);
         const choice = document.getElementById('choice'); choice.onchange = () => { field.value = ''; };`,
        '<input id="name"></label><label>Kind <select id="choice"><option>None<option>Tea</select>',
      ),
      [fill, { ...choose, target: { label: 'Kind' } } as Action, save, 'end'],
      'empty',
    ],
    [
      'converts it right before a click',
      form(
        `const run = setTimeout; globalThis.setTimeout = (code, ms) => run(code, ms === 50 ? 2000 : ms);
         field.onblur = () => { field.value = '2026-11-30'; };`,
      ),
      [{ ...fill, text: 'tomorrow' }, { action: 'press', key: 'Tab' }, save, 'end'],
      '2026-11-30',
    ],
    [
      'becomes a tag',
      form(`later(() => { field.insertAdjacentHTML('beforebegin', '<b>' + field.value + '</b>'); field.value = ''; })`),
      [fill, late, save],
      'empty',
    ],
    [
      'belongs to a group of radio buttons',
      form(
        `save.onclick = () => { out.textContent = document.querySelector('[name=group]:checked').value; };`,
        '<input type="radio" name="group" value="first" id="name" onchange="later(() => {})"></label><label>Another <input type="radio" name="group" value="second" onchange="later(() => {})">',
      ),
      [check, { action: 'check', target: { label: 'Another' } }, late, 'end', save],
      'second',
    ],
  ])('is left alone: it %s', async (_, body, actions, expected) => {
    expect(await run(body, ...actions)).toEqual({ text: expected, warnings: [], error: null });
  });

  test('is reported if it is lost after a click on another button, and not entered again', async () => {
    const wipe = (reaction: string) =>
      form(
        `document.getElementById('clear').onclick = () => setTimeout(() => { name_().value = ''; ${reaction} document.title = 'late'; }, 200)`,
      );
    const click: Action = { action: 'click', target: { css: '#clear' } };
    const { text, warnings, error } = await run(wipe(''), fill, click, late, save);
    expect({ text, error }).toEqual({ text: 'empty', error: null });
    expect(warnings).toEqual([expect.stringMatching(/lost the value.*"Aurora" to "", after the click on .*#clear/)]);
    expect((await run(wipe(''), fill, click, late, 'end')).warnings).toHaveLength(1);
    expect((await run(wipe(`field.form.append(' Aurora ');`), fill, click, late, 'end')).warnings).toEqual([]);
    expect((await run(wipe(`fetch('/saved');`), fill, click, late, 'end')).warnings).toEqual([]);
  });

  test('is forgotten with its document', async () => {
    kit.serve('/entered-next', '<title>Next</title><output id="out">next</output><label>Name <input></label>');
    const link = `<a id="save" href="/entered-next">Next</a><label>Name <input id="name"></label>`;
    expect(await run(link, fill, save, { action: 'waitFor', condition: { title: 'Next' } }, 'end')).toEqual({
      ...{ text: 'next', warnings: [], error: null },
    });
  });
});
