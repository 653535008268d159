import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const out = '<output id="out">-</output>';
const setOutput = (expression: string) => `document.getElementById('out').textContent = ${expression}`;

describe('click', () => {
  test.each<[string, string, Action & { action: 'click' }]>([
    [
      'by role and name',
      `<button onclick="${setOutput("'clicked'")}">Sign in</button>`,
      { action: 'click', target: { role: 'button', name: 'sign in' } },
    ],
    [
      'by label',
      `<label>Agree <input type="checkbox" onclick="${setOutput("'clicked'")}"></label>`,
      { action: 'click', target: { label: 'Agree' } },
    ],
    [
      'by text',
      `<p onclick="${setOutput("'clicked'")}">Some words</p>`,
      { action: 'click', target: { text: 'Some words' } },
    ],
    [
      'by test id',
      `<b data-testid="x" onclick="${setOutput("'clicked'")}">b</b>`,
      { action: 'click', target: { testId: 'x' } },
    ],
    [
      'the nth',
      `<button>A</button><button onclick="${setOutput("'clicked'")}">A</button>`,
      { action: 'click', target: { role: 'button', name: 'A', nth: -1 } },
    ],
    [
      'within',
      `<div>Go</div><section><i onclick="${setOutput("'clicked'")}">Go</i></section>`,
      { action: 'click', target: { text: 'Go', within: { css: 'section' } } },
    ],
    [
      'far below',
      `<div style="height:4000px"></div><button onclick="${setOutput("'clicked'")}">Low</button>`,
      { action: 'click', target: { text: 'Low' } },
    ],
    [
      'a hidden box under its label',
      `<label for="c"><input id="c" type="checkbox" style="position:absolute;left:0;opacity:0" onclick="${setOutput("'clicked'")}"><span style="position:relative;background:#fff">Agree to all of it</span></label>`,
      { action: 'click', target: { css: '#c' } },
    ],
    [
      'the second of the chain',
      `<button onclick="${setOutput("'clicked'")}">Go</button>`,
      { action: 'click', target: [{ testId: 'none' }, { text: 'Go' }] },
    ],
    [
      'what comes later',
      `<div id="d"></div><script>setTimeout(() => { document.getElementById('d').innerHTML = '<button>Late</button>'; document.querySelector('button').onclick = () => { ${setOutput("'clicked'")} } }, 300)</script>`,
      { action: 'click', target: { text: 'Late' } },
    ],
    [
      'what is disabled at first',
      `<button disabled onclick="${setOutput("'clicked'")}">Go</button><script>setTimeout(() => document.querySelector('button').disabled = false, 200)</script>`,
      { action: 'click', target: { text: 'Go' } },
    ],
    [
      'what moves at first',
      `<button style="position:relative;transition:left .3s linear;left:0" onclick="${setOutput("'clicked'")}">Go</button><script>requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector('button').style.left = '300px'))</script>`,
      { action: 'click', target: { text: 'Go' } },
    ],
    [
      'what is covered at first',
      `<button onclick="${setOutput("'clicked'")}">Go</button><div id="cover" style="position:fixed;inset:0;background:#fff"></div><script>setTimeout(() => document.getElementById('cover').remove(), 200)</script>`,
      { action: 'click', target: { text: 'Go' } },
    ],
    [
      'in a shadow root',
      `<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<button id="s"><span>Deep</span></button>'; this.shadowRoot.querySelector('button').onclick = () => { ${setOutput("'clicked'")} } } })</script>`,
      { action: 'click', target: { css: 'x-box #s' } },
    ],
    [
      'in a shadow root, under text that is slotted',
      `<x-box>Go</x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<button><slot></slot></button>'; this.shadowRoot.querySelector('button').onclick = () => { ${setOutput("'clicked'")} } } })</script>`,
      { action: 'click', target: { role: 'button', name: 'Go' } },
    ],
    [
      'in a frame',
      `<div style="height:900px"></div><iframe id="f" style="border:7px solid;padding:5px" srcdoc="${`<body style='margin:0'><div style='height:700px'></div><button onclick='parent.clicked()'>Inner</button>`}"></iframe><script>function clicked() { ${setOutput("'clicked'")} }</script>`,
      { action: 'click', target: { text: 'Inner', within: { css: '#f' } } },
    ],
  ])('%s', async (_, body, action) => {
    const surface = await kit.showPage(out + body);
    const outcome = await kit.act(surface, action);
    expect(await output(kit, surface)).toBe('clicked');
    expect(outcome.located?.triedCount).toBe(Array.isArray(action.target) ? 2 : 1);
    await surface.close();
  });

  test.each<[string, string, string, string]>([
    [
      'nothing',
      '<button>Sign up</button><button>Help</button>',
      'TARGET_NOT_FOUND',
      'role=button[name="Sign in"]: nothing. There is button: "Sign up", "Help"',
    ],
    ['hidden', '<button style="display:none">Sign in</button>', 'TARGET_NOT_FOUND', '1 element, hidden'],
    [
      'two',
      '<button id="a">Sign in</button><button class="b">Sign in now</button>',
      'TARGET_AMBIGUOUS',
      'matches 2 elements: <button id="a">Sign in</button>, <button class="b">Sign in now</button>',
    ],
    ['disabled', '<button disabled>Sign in</button>', 'TARGET_NOT_ACTIONABLE', 'it is disabled'],
    ['aria-disabled', '<button aria-disabled="true">Sign in</button>', 'TARGET_NOT_ACTIONABLE', 'aria-disabled'],
    [
      'in a disabled fieldset',
      '<fieldset disabled><button>Sign in</button></fieldset>',
      'TARGET_NOT_ACTIONABLE',
      'it is disabled',
    ],
    [
      'covered',
      '<button>Sign in</button><div id="cover" style="position:fixed;inset:0">Cookies?</div>',
      'TARGET_NOT_ACTIONABLE',
      'it is covered by <div id="cover">Cookies?</div>',
    ],
    [
      'moved by a script',
      '<button style="position:relative">Sign in</button><script>let x = 0; const move = () => { document.querySelector("button").style.left = `${x = (x + 1) % 300}px`; requestAnimationFrame(move) }; move()</script>',
      'TARGET_NOT_ACTIONABLE',
      'it is moving',
    ],
    [
      'moving',
      '<style>@keyframes k { to { margin-left: 500px } }</style><button style="animation: k 1s infinite linear">Sign in</button>',
      'TARGET_NOT_ACTIONABLE',
      'it is moving',
    ],
  ])('%s: %s', async (_, body, code, message) => {
    const surface = await kit.showPage(body);
    const error = await expectFailure(
      kit.act(surface, { action: 'click', target: { role: 'button', name: 'Sign in' } }, testContext(5000)),
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    await surface.close();
  });

  test('reports each locator without a match, with the most similar elements', async () => {
    const labels = Array.from({ length: 20 }, (_, index) => `<label>Field ${index} <input></label>`).join('');
    const surface = await kit.showPage(`${labels}<label>Passwort <input></label>`);
    const error = await expectFailure(
      kit.act(
        surface,
        { action: 'click', target: [{ label: 'Password' }, { css: '#pw' }, { css: '!!' }] },
        testContext(5000),
      ),
    );
    expect(error.details?.['tried']).toEqual([
      { locator: 'label="Password"', found: 'nothing' },
      { locator: 'css=#pw', found: 'nothing' },
      { locator: 'css=!!', found: expect.stringContaining('selector') },
    ]);
    const [labelsNearby] = error.details?.['nearby'] as { kind: string; names: string[] }[];
    expect(labelsNearby).toMatchObject({ kind: 'label' });
    expect(labelsNearby?.names[0]).toBe('Passwort');
    expect(labelsNearby?.names).toHaveLength(8);
    await surface.close();
  });

  test('calls the guard first and respects its refusal', async () => {
    const surface = await kit.showPage(`${out}<button onclick="${setOutput("'clicked'")}">Go</button>`);
    const no = new Error('LEASE');
    const guard = () => {
      throw no;
    };
    for (const action of [
      { action: 'click', target: { text: 'Go' } },
      { action: 'press', key: 'Enter', target: { text: 'Go' } },
      { action: 'navigate', url: kit.origin },
    ] as const) {
      expect((await expectFailure(kit.act(surface, action, testContext(2000, { guard })))).message).toContain('LEASE');
    }
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });
});

describe('type', () => {
  const field = (
    html: string,
  ) => `${out}${html}<script>const f = document.getElementById('f'); const log = []; for (const e of ['keydown', 'input', 'change']) f.addEventListener(e, () => { log.push(e[0]); });
    setInterval(() => { ${setOutput("JSON.stringify([f.value ?? f.innerText, log.join('')])")} }, 10)</script>`;

  test.each<[string, string, { action?: 'type'; text: string; append?: boolean }, string, RegExp]>([
    ['replaces', '<input id="f" value="old">', { text: 'new' }, 'new', /^i$/],
    ['empties', '<input id="f" value="old">', { text: '' }, '', /i$/],
    ['appends', '<input id="f" value="old ">', { text: 'new', append: true }, 'old new', /^i$/],
    ['appends to a number', '<input id="f" type="number" value="4">', { text: '2', append: true }, '42', /^i$/],
    ['presses keys', '<input id="f" value="old">', { text: 'Añ!', action: 'type' }, 'Añ!', /^ki(ki|i){3}$/],
    [
      'appends by keys',
      '<textarea id="f">old</textarea>',
      { text: ' x', action: 'type', append: true },
      'old x',
      /^(ki){2}$/,
    ],
    ['lines', '<textarea id="f"></textarea>', { text: 'a\nb' }, 'a\nb', /^i+$/],
    ['a color', '<input id="f" type="color">', { text: '#ff0000' }, '#ff0000', /^ic$/],
    ['a range', '<input id="f" type="range">', { text: '70' }, '70', /^ic$/],
    ['a date', '<input id="f" type="date">', { text: '2026-11-21' }, '2026-11-21', /^ic$/],
    ['rich text', '<div id="f" contenteditable>old</div>', { text: 'new' }, 'new', /i/],
    ['appends to rich text', '<div id="f" contenteditable>old</div>', { text: ' new', append: true }, 'old new', /i/],
  ])('%s', async (_, html, fields, value, log) => {
    const surface = await kit.showPage(field(html));
    await kit.act(surface, { action: 'fill', target: { css: '#f' }, ...fields });
    await kit.act(surface, { action: 'waitFor', condition: { text: JSON.stringify(value).slice(0, -1) } });
    const [shownValue, events] = JSON.parse(String(await output(kit, surface))) as [string, string];
    expect(shownValue).toBe(value);
    expect(events).toMatch(log);
    await surface.close();
  });

  test.each<[string, string, { action?: 'type'; text: string; append?: boolean }, string, string]>([
    [
      'a line break in one line',
      '<form action="/sent"><input id="f"></form>',
      { text: 'a\n' },
      'ACTION_UNSUPPORTED',
      'line break',
    ],
    [
      'a line break by keys',
      '<form action="/sent"><input id="f"></form>',
      { text: 'a\nb', action: 'type' },
      'ACTION_UNSUPPORTED',
      'line break',
    ],
    ['a checkbox', '<input id="f" type="checkbox">', { text: 'a' }, 'ACTION_UNSUPPORTED', '<input type="checkbox">'],
    ['a button', '<button id="f">x</button>', { text: 'a' }, 'ACTION_UNSUPPORTED', '<button>'],
    ['read-only', '<input id="f" readonly>', { text: 'a' }, 'TARGET_NOT_ACTIONABLE', 'read-only'],
    ['a wrong date', '<input id="f" type="date">', { text: '21.11.2026' }, 'ACTION_UNSUPPORTED', 'YYYY-MM-DD'],
    ['no number', '<input id="f" type="number">', { text: 'many' }, 'ACTION_UNSUPPORTED', 'a number'],
  ])('refuses %s', async (_, html, fields, code, message) => {
    const surface = await kit.showPage(html);
    const error = await expectFailure(
      kit.act(surface, { action: 'fill', target: { css: '#f' }, ...fields }, testContext(5000)),
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect((await surface.anchors(testContext(5000))).url).not.toContain('/sent');
    await surface.close();
  });

  test('requests a secret while typing, for the origin of its frame, and never shows it', async () => {
    const inner = kit.serve('/inner', '<input id="f" type="date">');
    const surface = await kit.showPage(`<iframe src="${inner}"></iframe>`);
    const revealCalls: string[][] = [];
    const reveal = async (text: string, origin: string) => {
      revealCalls.push([text, origin]);
      return 'hush-hush';
    };
    const action: Action = {
      action: 'fill',
      target: { css: '#f', within: { css: 'iframe' } },
      text: '{{inputs.password}}',
    };
    const error = await expectFailure(kit.act(surface, action, testContext(2000, { reveal })));
    expect(revealCalls).toEqual([['{{inputs.password}}', kit.origin]]);
    expect(JSON.stringify([error.message, error])).not.toContain('hush');
    await surface.close();
  });

  test('a line break in a secret does not submit the form', async () => {
    const surface = await kit.showPage('<form action="/sent"><input id="f"></form>');
    const reveal = async () => 'hush\n';
    const error = await expectFailure(
      kit.act(surface, { action: 'type', target: { css: '#f' }, text: '{{inputs.p}}' }, testContext(2000, { reveal })),
    );
    expect(error).toMatchObject({ code: 'ACTION_UNSUPPORTED', message: expect.not.stringContaining('hush') });
    await surface.close();
  });

  test('stops between two keys', async () => {
    const surface = await kit.showPage(`<input id="f">`);
    let remainingCalls = 4;
    const guard = () => {
      remainingCalls -= 1;
      if (remainingCalls < 0) throw new Error('STOP');
    };
    await expectFailure(
      kit.act(surface, { action: 'type', target: { css: '#f' }, text: 'abcdef' }, testContext(2000, { guard })),
    );
    const { value } = await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} });
    expect(value).toBe('abc');
    await surface.close();
  });
});

describe('press', () => {
  test('presses a key on the focused element and on a target', async () => {
    const surface = await kit.showPage(`${out}<input id="a"><input id="b" onkeydown="${setOutput('event.key')}">`);
    await kit.act(surface, { action: 'press', key: 'Control+A', target: { css: '#b' } });
    await kit.act(surface, { action: 'press', key: 'ArrowDown' });
    expect(await output(kit, surface)).toBe('ArrowDown');
    await surface.close();
  });

  const form = `${out}<form onsubmit="${setOutput("'sent'")}; return false"><input id="a" value="1" autofocus></form>`;
  const typedText = async (surface: Awaited<ReturnType<SurfaceKit['open']>>, css: string) =>
    (await kit.act(surface, { action: 'extract', target: { css, within: { css: 'body' } }, value: {} })).value;

  test.each<[string, string, string, string]>([
    ['a heading takes no focus', '<h1 id="f">Title</h1>', 'Enter', '<input id="a"'],
    ['a focus handler moves the focus on', '<input id="f" onfocus="a.focus()">', 'x', '<input id="a"'],
    [
      'the first key moves the focus on',
      '<input id="f" onfocus="window.addEventListener(`keydown`, () => a.focus(), { once: true }); a.focus()">',
      'Enter',
      '<input id="a"',
    ],
    [
      'a heading in a shadow root takes no focus',
      '<div id="h"></div><script>h.attachShadow({ mode: `open` }).innerHTML = `<h1 id="f">Title</h1>`</script>',
      'Enter',
      '<input id="a"',
    ],
    ['a field gives the focus up', '<input id="f" onfocus="this.blur()">', 'x', 'the page'],
    [
      'the focus moves into a frame',
      `<input id="f" onfocus="i.contentWindow.b.focus()"><iframe id="i" srcdoc="<input id=b>"></iframe>`,
      'x',
      '<iframe',
    ],
  ])('%s: the key is stopped', async (_, html, key, holder) => {
    const surface = await kit.showPage(form + html);
    await kit.act(surface, { action: 'click', target: { css: '#a' } });
    const error = await expectFailure(kit.act(surface, { action: 'press', target: { css: '#f' }, key, times: 2 }));
    expect(error).toMatchObject({ code: 'TARGET_NOT_ACTIONABLE', message: expect.stringContaining(`${holder}`) });
    expect(error.message).toContain('it does not take the focus');
    expect(await output(kit, surface)).toBe('-');
    expect(await typedText(surface, '#a')).toBe('1');
    // The next key is not stopped.
    await kit.act(surface, { action: 'press', target: { css: '#a' }, key: 'Enter' });
    expect(await output(kit, surface)).toBe('sent');
    await surface.close();
  });

  const note = `onkeydown="${setOutput('out.textContent + event.key')}"`;
  test.each<[string, string, string, string]>([
    [
      'an element around the focus',
      `<div id="f" ${note}><input id="in"></div><script>document.getElementById('in').focus()</script>`,
      'x',
      '-x',
    ],
    [
      'the body',
      `<script>document.body.setAttribute('id', 'f'); f.onkeydown = () => { ${setOutput("'body'")} }</script>`,
      'x',
      'body',
    ],
    ['the control of a label', `<label id="f" for="b">L</label><input id="b" ${note}>`, 'x', '-x'],
    [
      'the active option of a listbox',
      `<ul role="listbox" tabindex="0" aria-activedescendant="f" id="l" ${note}><li role="option" id="f">A</li></ul><script>l.focus()</script>`,
      'Enter',
      '-Enter',
    ],
    [
      'a host that delegates the focus',
      `<div id="f" ${note}></div><script>f.attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = '<input>'</script>`,
      'x',
      '-x',
    ],
    [
      'a field that moves the focus on at the key',
      `<input id="f" onkeydown="${setOutput("'-x'")}; setTimeout(() => b.focus())"><input id="b">`,
      'x',
      '-x',
    ],
    [
      'a field that takes the focus late',
      `<div id="f" ${note}>x</div><script>setTimeout(() => { f.tabIndex = 0 }, 300)</script>`,
      'x',
      '-x',
    ],
    ['an editable text', `<div id="f" contenteditable ${note}>x</div>`, 'x', '-x'],
    [
      'a field that leaves with the key',
      `<div id="d"><input id="f" onkeydown="${setOutput("'-x'")}; d.remove()"></div>`,
      'x',
      '-x',
    ],
  ])('%s receives the key', async (_, html, key, expected) => {
    const surface = await kit.showPage(out + html);
    await kit.act(surface, { action: 'press', target: { css: '#f' }, key });
    expect(await output(kit, surface)).toBe(expected);
    await surface.close();
  });

  test('a field in a frame of another site receives the key', async () => {
    const url = kit.serve('/key-frame', `<input id="f" onkeydown="parent.postMessage(event.key, '*')">`);
    const siteUrl = url.replace('127.0.0.1', 'localhost');
    const surface = await kit.showPage(
      `${out}<iframe src="${siteUrl}"></iframe><script>onmessage = (event) => { ${setOutput('event.data')} }</script>`,
    );
    const target = { css: '#f', within: { css: 'iframe' } };
    await kit.act(surface, { action: 'press', target, key: 'x' });
    await kit.act(surface, { action: 'assert', condition: { visible: { css: '#out', hasText: 'x' } } });
    await surface.close();
  });

  test('the error for an unknown key explains key names', async () => {
    const surface = await kit.showPage('<input id="a">');
    const error = await expectFailure(kit.act(surface, { action: 'press', key: 'Entr' }));
    expect(error).toMatchObject({ code: 'ACTION_UNSUPPORTED', message: expect.stringContaining('"Entr"') });
    await surface.close();
  });
});

describe('select', () => {
  const options =
    '<option value="s">Small</option><option value="m"> Medium  size</option><option value="x" disabled>Gone</option>';

  test.each<[string, string, string | string[], string]>([
    ['by label', `<select id="f">${options}</select>`, 'Medium size', 'Medium size'],
    ['by value', `<select id="f">${options}</select>`, 'm', 'Medium size'],
    ['several', `<select id="f" multiple>${options}</select>`, ['s', 'Medium size'], 'Small, Medium size'],
    [
      'one that comes later',
      `<select id="f"></select><script>setTimeout(() => { document.getElementById('f').innerHTML = '<option>Late</option>' }, 200)</script>`,
      'Late',
      'Late',
    ],
  ])('%s', async (_, html, option, expected) => {
    const surface = await kit.showPage(html);
    await kit.act(surface, { action: 'selectOption', target: { css: '#f' }, option });
    const { value } = await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} });
    expect(value).toBe(expected);
    await surface.close();
  });

  test.each<[string, string | string[], string, string]>([
    [
      `<select id="f">${options}</select>`,
      'Huge',
      'TARGET_NOT_FOUND',
      'has no option "Huge"; there is "Small", "Medium size", "Gone"',
    ],
    [`<select id="f">${options}</select>`, 'Gone', 'TARGET_NOT_ACTIONABLE', '"Gone" of css=#f is disabled'],
    [`<select id="f">${options}</select>`, ['s', 'm'], 'ACTION_UNSUPPORTED', 'takes one option'],
    ['<div id="f">x</div>', 'Small', 'ACTION_UNSUPPORTED', 'is a <div>, not a <select>'],
  ])('%s refuses %j', async (html, option, code, message) => {
    const surface = await kit.showPage(html);
    const error = await expectFailure(
      kit.act(surface, { action: 'selectOption', target: { css: '#f' }, option }, testContext(5000)),
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    await surface.close();
  });
});

describe('upload', () => {
  test('a hidden file input receives the file under its name', async () => {
    const path = join(kit.folder, 'order.csv');
    await writeFile(path, 'sku\nA-1\n');
    const surface = await kit.showPage(
      `${out}<input id="f" type="file" hidden onchange="this.files[0].text().then((t) => { ${setOutput("this.files[0].name + ' ' + t.length")} })">`,
    );
    const requestedFiles: string[] = [];
    const file = async (upload: string) => {
      requestedFiles.push(upload);
      return path;
    };
    await kit.act(surface, { action: 'upload', target: { css: '#f' }, file: 'an-id' }, testContext(3000, { file }));
    await kit.act(surface, { action: 'waitFor', condition: { text: 'order.csv 8' } });
    expect(requestedFiles).toEqual(['an-id']);
    await surface.close();
  });

  test('refuses another element', async () => {
    const surface = await kit.showPage('<button id="f">Choose</button>');
    const error = await expectFailure(kit.act(surface, { action: 'upload', target: { css: '#f' }, file: 'x' }));
    expect(error).toMatchObject({ code: 'ACTION_UNSUPPORTED', message: expect.stringContaining('<button>') });
    await surface.close();
  });
});
