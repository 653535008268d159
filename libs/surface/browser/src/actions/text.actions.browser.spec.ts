import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

const require = createRequire(import.meta.url);
const monaco = dirname(dirname(require.resolve('monaco-editor')));

/** Packages of CodeMirror 6 that a page imports unbundled. */
const packages = [
  ...['state', 'view', 'commands', 'autocomplete', 'language', 'streamparser'].map((name) => `@codemirror/${name}`),
  ...['common', 'highlight', 'lr'].map((name) => `@lezer/${name}`),
  ...['@marijn/find-cluster-break', 'style-mod', 'crelt', 'w3c-keyname'],
];
const folderOf = (name: string) => {
  const entry = require.resolve(name);
  return entry.slice(0, entry.lastIndexOf(`/node_modules/${name}/`) + `/node_modules/${name}/`.length);
};
const entryOf = (name: string) => {
  const { module, main } = require(join(folderOf(name), 'package.json')) as { module?: string; main?: string };
  return `/npm/${name}/${module ?? main ?? 'index.js'}`.replace('/./', '/');
};

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
  kit.serveFolder('/monaco/', monaco);
  for (const name of packages) kit.serveFolder(`/npm/${name}/`, folderOf(name));
});
afterAll(() => kit.close());

const out = '<output id="out">-</output>';
const type = (
  text: string,
  { keys = false, ...fields }: Partial<Action & { action: 'fill' }> & { keys?: boolean } = {},
): Action => ({
  action: keys ? 'type' : 'fill',
  target: { css: '#f' },
  text,
  ...fields,
});

describe('type reads the text back', () => {
  const value = async (surface: Awaited<ReturnType<SurfaceKit['open']>>, css = '#f') =>
    (await kit.act(surface, { action: 'extract', target: { css }, value: {} })).value;

  test.each<[string, string, string, string, boolean?]>([
    [
      'a mask',
      `<input id="f" oninput="this.value = this.value.replace(/(\\d{3})(\\d{3})(\\d+)/, '($1) $2-$3')">`,
      '4155550132',
      '(415) 555-0132',
    ],
    ['capitals', '<input id="f" oninput="this.value = this.value.toUpperCase()">', 'ab 1', 'AB 1'],
    [
      'an inline completion',
      `<input id="f" oninput="if (this.value === 'San') { this.value = 'San Francisco'; this.setSelectionRange(3, 13) }">`,
      'San',
      'San Francisco',
      true,
    ],
    [
      'a text that is set back once',
      `<input id="f"><script>let n = 0; f.oninput = () => { if (n++ === 0) setTimeout(() => { f.value = '' }, 0); }; </script>`,
      'Ana',
      'Ana',
    ],
    [
      'a field that drops the first input',
      `<input id="f"><script>let n = 0; f.oninput = () => { if (n++ === 0) f.value = ''; }; </script>`,
      'Ana',
      'Ana',
    ],
    [
      'a field that keeps the old text',
      `<input id="f" value="old" onbeforeinput="if (!this.n) { this.n = 1; this.setSelectionRange(3, 3); }">`,
      'new',
      'new',
    ],
    [
      'a field that comes late with its text',
      `<input id="f"><script>let n = 0; f.oninput = () => { const { value } = f; f.value = ''; setTimeout(() => { f.value = value }, 100) }</script>`,
      'Ana',
      'Ana',
    ],
  ])('%s', async (_, html, text, expected, keys = false) => {
    const surface = await kit.showPage(html);
    await kit.act(surface, type(text, { keys }));
    expect(await value(surface)).toBe(expected);
    await surface.close();
  });

  test.each<[string, string, string, string]>([
    [
      'a field that drops digits',
      `<input id="f" oninput="this.value = this.value.replace(/\\d/g, '')">`,
      'a1b2',
      'css=#f holds "ab", not "a1b2"; enter it with `type`',
    ],
    [
      'a limit',
      '<input id="f" maxlength="3">',
      'abcdef',
      'css=#f holds "abc", not "abcdef": it accepts at most 3 characters',
    ],
    [
      'an amount in cents',
      `<input id="f" oninput="const d = this.value.replace(/\\D/g, ''); this.value = (Number(d) / 100).toFixed(2)">`,
      '1234',
      'css=#f holds "12.34", not "1234"',
    ],
    [
      'an editor that refuses input',
      '<div id="f" contenteditable onbeforeinput="event.preventDefault()">old</div>',
      'new',
      'css=#f holds "old", not "new"',
    ],
  ])('refuses %s', async (_, html, text, message) => {
    const surface = await kit.showPage(html);
    expect(await expectFailure(kit.act(surface, type(text)))).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining(message),
    });
    await surface.close();
  });

  test('no message contains a secret', async () => {
    const surface = await kit.showPage(`<input id="f" oninput="this.value = this.value.slice(1)">`);
    const reveal = async () => 'hush-hush';
    const error = await expectFailure(kit.act(surface, type('{{inputs.p}}'), testContext(5000, { reveal })));
    expect(error.code).toBe('TYPED_TEXT_DIFFERS');
    expect(JSON.stringify([error.message, error])).not.toMatch(/hush|ush-/);
    await surface.close();
  });

  test('does not retype text that the page took', async () => {
    for (const html of [
      // A chat that sends on Enter.
      `<textarea id="f"></textarea><script>f.onkeydown = (e) => { if (e.key === 'Enter') { e.preventDefault(); told(f.value); f.value = '' } }</script>`,
      // A scanner field: the page takes the text, shows it and empties the field.
      `<textarea id="f" oninput="if (this.value.startsWith('Ana')) { told(this.value); this.value = '' }"></textarea>`,
      /* The page closes the field. */
      `<textarea id="f" oninput="if (this.value === 'Ana') { told(this.value); this.remove() }"></textarea>`,
    ]) {
      const surface = await kit.showPage(
        `<div id="out">-</div><script>const told = (text) => { out.textContent += text + ';' }</script>${html}`,
      );
      const isChat = html.includes('onkeydown');
      const { effect } = await kit.act(surface, type(isChat ? 'Ana\n' : 'Ana', { keys: isChat }));
      // Nothing can be read from a field that is gone.
      expect(effect).toBe(html.includes('remove()') ? 'unverifiable' : undefined);
      expect(await output(kit, surface)).toBe('-Ana;');
      await surface.close();
    }
  });

  test('reads a replaced field and types into it again', async () => {
    const surface = await kit.showPage(
      `<div id="d"><input id="f" oninput="if (!window.n) { window.n = 1; d.innerHTML = '<input id=f>' }"></div>`,
    );
    await kit.act(surface, type('Ana'));
    expect(await value(surface)).toBe('Ana');
    await surface.close();
  });

  test('does not retype into a field that emptied itself and sent a request', async () => {
    const requests: string[] = [];
    kit.serve('/scan', (request, response) => void (requests.push(String(request.url)), response.end('ok')));
    const surface = await kit.showPage(`<input id="f" oninput="fetch('/scan?' + this.value); this.value = ''">`);
    const error = await expectFailure(kit.act(surface, type('4711')));
    expect(error).toMatchObject({ code: 'TYPED_TEXT_DIFFERS', message: expect.stringContaining('sent a request') });
    expect(requests).toEqual(['/scan?4711']);
    await surface.close();
  });

  test('one digit per field', async () => {
    const field = '<input maxlength="1" oninput="this.nextElementSibling?.focus()">';
    const surface = await kit.showPage(
      `<form><input id="f" maxlength="1" oninput="this.nextElementSibling?.focus()">${field.repeat(3)}</form>`,
    );
    await kit.act(surface, type('1234', { keys: true }));
    expect((await kit.act(surface, { action: 'extract', target: { css: 'input' }, list: {} })).value).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
    await surface.close();
  });

  test.each([false, true])('a paragraph located by its text stays the same element (keys: %s)', async (keys) => {
    const surface = await kit.showPage(`<div contenteditable><p>first</p><p id="p">old</p><p>last</p></div>`);
    await kit.act(surface, type('new text', { target: { css: 'p', hasText: 'old' }, keys }));
    expect(await value(surface, '#p')).toBe('new text');
    expect((await kit.act(surface, { action: 'extract', target: { css: 'p' }, list: {} })).value).toEqual([
      'first',
      'new text',
      'last',
    ]);
    await surface.close();
  });

  test('a label is resolved to its field', async () => {
    const surface = await kit.showPage('<label id="l" for="f">Name</label><input id="f">');
    await kit.act(surface, type('Ana', { target: { css: '#l' } }));
    expect(await value(surface)).toBe('Ana');
    await surface.close();
  });
});

describe('the focus moves while a text is entered', () => {
  const values = async (surface: Awaited<ReturnType<SurfaceKit['open']>>) =>
    (await kit.act(surface, { action: 'extract', target: { css: 'input' }, list: { v: { attribute: 'value' } } }))
      .value;
  const held = (...texts: string[]) => texts.map((v) => ({ v }));
  const digits = (attributes: string) => `<input ${attributes} oninput="this.nextElementSibling?.focus()">`;

  test('a text of fields without a limit is typed once, and is not certain', async () => {
    const surface = await kit.showPage(
      '<input id="f" oninput="if (this.value.length === 2) c.focus()"><label>Part 2 <input id="c"></label>',
    );
    expect(await kit.act(surface, type('1234', { keys: true }))).toMatchObject({ effect: 'unverifiable' });
    expect(await values(surface)).toEqual(held('12', '34'));
    await surface.close();
  });

  test.each<[string, string]>([
    ['with a limit', digits('id="f" maxlength="1"') + digits('maxlength="1"').repeat(3)],
    ['without a limit', digits('id="f"') + digits('').repeat(3)],
    [
      'that move the focus later',
      `<div id="d"><input id="f">${'<input>'.repeat(3)}</div><script>d.oninput = ({ target }) => setTimeout(() => target.nextElementSibling?.focus())</script>`,
    ],
    [
      'of numbers',
      `<div id="d"><input id="f" type="number">${'<input type="number">'.repeat(3)}</div><script>d.oninput = ({ target }) => target.nextElementSibling?.focus()</script>`,
    ],
    [
      'with an old code',
      `<div id="d"><input id="f" value="9">${'<input value="8">'.repeat(3)}</div><script>d.oninput = ({ target }) => target.nextElementSibling?.select()</script>`,
    ],
    [
      'that take the key themselves',
      `<div id="d"><input id="f">${'<input>'.repeat(3)}</div><script>d.onkeydown = (e) => { if (/^\\d$/.test(e.key)) { e.preventDefault(); e.target.value = e.key; e.target.nextElementSibling?.focus() } }</script>`,
    ],
  ])('one digit for each of four fields %s', async (_, html) => {
    const surface = await kit.showPage(html);
    expect((await kit.act(surface, type('1234', { keys: true }))).effect).toBeUndefined();
    expect(await values(surface)).toEqual(held('1', '2', '3', '4'));
    await surface.close();
  });

  test('the rest of a text in a field without a limit is not verified', async () => {
    const surface = await kit.showPage(
      `<div id="d"><input id="f" maxlength="1"><input></div><script>f.oninput = () => f.nextElementSibling.focus()</script>`,
    );
    expect(await kit.act(surface, type('John', { keys: true }))).toMatchObject({ effect: 'unverifiable' });
    await surface.close();
  });

  test('the parts of a group are one value', async () => {
    const surface = await kit.showPage(
      `<div id="d" role="group"><input id="f"><input><input></div><script>d.oninput = ({ target }) => { if (target.value.length === 2) target.nextElementSibling?.focus() }</script>`,
    );
    expect((await kit.act(surface, type('12052026', { keys: true }))).effect).toBeUndefined();
    expect(await values(surface)).toEqual(held('12', '05', '2026'));
    await surface.close();
  });

  test('one digit for each of four fields at the caret', async () => {
    const surface = await kit.showPage(digits('id="f" maxlength="1"') + digits('maxlength="1"').repeat(3));
    await kit.act(surface, { action: 'click', target: { css: '#f' } });
    expect((await kit.act(surface, { action: 'type', text: '1234' })).effect).toBeUndefined();
    expect(await values(surface)).toEqual(held('1', '2', '3', '4'));
    await surface.close();
  });

  test('a part that the next field refuses is an error', async () => {
    const surface = await kit.showPage(
      '<input id="f" maxlength="2" oninput="if (this.value.length === 2) c.focus()"><input id="c" maxlength="1">',
    );
    expect(await expectFailure(kit.act(surface, type('1234', { keys: true })))).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining('the next fields hold "3"'),
    });
    expect(await values(surface)).toEqual(held('12', '3'));
    await surface.close();
  });

  test.each<[string, string, boolean, string]>([
    ['a focus handler', '<input id="f" onfocus="o.focus()">', true, 'TARGET_NOT_ACTIONABLE'],
    ['a focus handler', '<input id="f" onfocus="o.focus()">', false, 'TARGET_NOT_ACTIONABLE'],
    ['a timer of a focus handler', '<input id="f" onfocus="setTimeout(() => o.focus())">', true, 'TYPED_TEXT_DIFFERS'],
    ['an input handler', '<input id="f" oninput="if (this.value.length > 2) o.focus()">', true, 'TYPED_TEXT_DIFFERS'],
    ['a blur', '<input id="f" oninput="this.blur()">', true, 'TYPED_TEXT_DIFFERS'],
    ['the removal of the field', '<input id="f" oninput="o.focus(); this.remove()">', true, 'TYPED_TEXT_DIFFERS'],
  ])('%s: the text does not go to another field (%s, keys: %s)', async (_, html, keys, code) => {
    const surface = await kit.showPage(`${html}<p>Search</p><form><textarea id="o"></textarea></form>`);
    const reveal = async () => 'hush-hush';
    const error = await expectFailure(kit.act(surface, type('{{inputs.p}}', { keys }), testContext(8000, { reveal })));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(/<textarea|the page|<body/);
    expect(error.message).not.toContain('hush');
    const { value } = await kit.act(surface, {
      action: 'extract',
      target: { css: '#o' },
      value: { attribute: 'value' },
    });
    expect(value).toBe('');
    await surface.close();
  });

  test.each([false, true])('a field that loses the focus once gets the whole text (keys: %s)', async (keys) => {
    const surface = await kit.showPage(
      `<input id="f" ${keys ? 'oninput' : 'onfocus'}="if (!window.n) { window.n = 1; setTimeout(() => o.focus()) }"><p>-</p><textarea id="o"></textarea>`,
    );
    await kit.act(surface, type('abcdef', { keys }));
    expect(await values(surface)).toEqual(held('abcdef'));
    expect(
      (await kit.act(surface, { action: 'extract', target: { css: '#o' }, value: { attribute: 'value' } })).value,
    ).toBe('');
    await surface.close();
  });
});

describe('the page refuses keys', () => {
  test.each<[string, string]>([
    ['keydown', `onkeydown="if (/\\d/.test(event.key)) event.preventDefault()"`],
    ['keypress', `onkeypress="if (/\\d/.test(event.key)) event.preventDefault()"`],
    ['beforeinput', `onbeforeinput="if (/\\d/.test(event.data ?? '')) event.preventDefault()"`],
  ])('%s: the text is not entered by other means', async (_, attributes) => {
    const surface = await kit.showPage(`<input id="f" ${attributes}>`);
    const refusal = {
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining('holds "ab", not "a1b2": the page refused some of its characters'),
    };
    expect(await expectFailure(kit.act(surface, type('a1b2', { keys: true })))).toMatchObject(refusal);
    await kit.act(surface, { action: 'clear', target: { css: '#f' } });
    await kit.act(surface, { action: 'click', target: { css: '#f' } });
    expect(await expectFailure(kit.act(surface, { action: 'type', text: 'a1b2' }))).toMatchObject(refusal);
    await surface.close();
  });

  test('a filter after each key keeps its effect', async () => {
    const surface = await kit.showPage(`<input id="f" onkeyup="this.value = this.value.replace(/\\d/g, '')">`);
    expect(await expectFailure(kit.act(surface, type('a1b2', { keys: true })))).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining('holds "ab", not "a1b2"'),
    });
    await surface.close();
  });

  test.each<[string, string, string, string]>([
    [
      'a mask that takes the keys itself',
      `<input id="f" onkeypress="event.preventDefault(); const d = (this.value + event.key).replace(/\\D/g, ''); this.value = d.length > 3 ? d.slice(0, 3) + '-' + d.slice(3) : d">`,
      '5550132',
      '555-0132',
    ],
    [
      'an editor that takes the input itself',
      `<div id="f" contenteditable onbeforeinput="if (event.data) { event.preventDefault(); this.textContent += event.data }"></div>`,
      'abc',
      'abc',
    ],
  ])('%s is green', async (_, html, text, expected) => {
    const surface = await kit.showPage(html);
    await kit.act(surface, type(text, { keys: true }));
    expect((await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} })).value).toBe(expected);
    await surface.close();
  });
});

describe('type into a date', () => {
  const listening = (type: string, attributes = '') =>
    `${out}<input id="f" type="${type}" ${attributes}><script>f.addEventListener('change', () => { out.textContent = f.value });</script>`;

  test.each<[string, string, string?]>([
    ['date', '2020-03-02'],
    ['time', '13:15'],
    ['month', '2020-07'],
    ['week', '2020-W50'],
    ['datetime-local', '2020-03-02T05:15'],
    ['datetime-local', '2020-03-02 05:15', '2020-03-02T05:15'],
  ])('a %s holds what was meant: %s', async (kind, text, expected = text) => {
    const surface = await kit.showPage(listening(kind, kind === 'date' ? 'value="1999-12-31"' : ''));
    await kit.act(surface, type(text, { keys: true }));
    expect(await output(kit, surface)).toBe(expected);
    await surface.close();
  });

  test.each<[string, string, string]>([
    ['date', '25.03.2020', 'enter YYYY-MM-DD'],
    ['date', '03022020', 'enter YYYY-MM-DD'],
    ['time', '1:15 PM', 'enter HH:MM'],
    ['month', 'July 2020', 'enter YYYY-MM'],
    ['datetime-local', '2.3.2020 5:15', 'enter YYYY-MM-DDTHH:MM'],
  ])('a %s refuses %s and names its form', async (kind, text, message) => {
    const surface = await kit.showPage(listening(kind));
    expect(await expectFailure(kit.act(surface, type(text, { keys: true })))).toMatchObject({
      code: 'ACTION_UNSUPPORTED',
      message: expect.stringContaining(message),
    });
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test.each([false, true])('the step fails if the page sets another date (keys: %s)', async (keys) => {
    const surface = await kit.showPage(`<input id="f" type="date" oninput="this.value = '2020-01-01'">`);
    expect(await expectFailure(kit.act(surface, type('2020-03-02', { keys })))).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining('"2020-01-01", not "2020-03-02"'),
    });
    await surface.close();
  });
});

describe('type in a code editor', () => {
  const monacoPage = (
    isGlobal: boolean,
  ) => `${out}<div id="e" style="width:600px;height:300px"></div><script src="/monaco/vs/loader.js"></script><script>
    require.config({ paths: { vs: '/monaco/vs' } });
    require(['vs/editor/editor.main'], (api) => {
      window.editor = (api ?? monaco).editor.create(e, { value: 'old', language: 'plaintext', automaticLayout: true });
      ${isGlobal ? '' : 'window.monaco = undefined;'}
      out.textContent = 'ready';
      editor.onDidChangeModelContent(() => { out.textContent = JSON.stringify(editor.getValue()) });
    })</script>`;
  const imports = JSON.stringify({ imports: Object.fromEntries(packages.map((name) => [name, entryOf(name)])) });
  const codeMirrorPage = `${out}<div id="e"></div><script type="importmap">${imports}</script><script type="module">
    import { EditorView, keymap } from '@codemirror/view';
    import { defaultKeymap } from '@codemirror/commands';
    import { closeBrackets } from '@codemirror/autocomplete';
    const told = EditorView.updateListener.of(({ state, docChanged }) => { if (docChanged) out.textContent = JSON.stringify(state.doc.toString()) });
    new EditorView({ doc: 'old', parent: e, extensions: [keymap.of(defaultKeymap), closeBrackets(), told] });
    out.textContent = 'ready';</script>`;

  test.each<[string, string, Target, string, boolean]>([
    ['Monaco by role code', monacoPage(true), { role: 'code' }, 'if (a) {\n  b();\n}', false],
    ['Monaco by keys', monacoPage(true), { role: 'code' }, 'call(a, [b])', true],
    ['Monaco without a global', monacoPage(false), { role: 'code' }, 'call(a)', false],
    ['Monaco with auto-indented lines', monacoPage(true), { role: 'code' }, 'a {\n  b\n    c\n}', true],
    ['CodeMirror by role', codeMirrorPage, { role: 'textbox' }, 'if (a) {\n  b();\n}', false],
    ['CodeMirror by keys', codeMirrorPage, { css: '.cm-editor' }, 'call(a, [b])', true],
    ['CodeMirror with an open bracket', codeMirrorPage, { css: '.cm-content' }, 'call(', true],
  ])('%s', async (name, body, target, text, keys) => {
    const surface = await kit.showPage(body);
    await kit.act(surface, { action: 'waitFor', condition: { text: 'ready' } });
    await kit.act(surface, type(text, { target, keys }));
    const expected = name.includes('open bracket') ? 'call()' : text;
    await kit.act(surface, {
      action: 'waitFor',
      condition: { visible: { css: '#out', hasText: JSON.stringify(expected) } },
    });
    await surface.close();
  });

  test('appends at the end', async () => {
    const surface = await kit.showPage(monacoPage(true));
    await kit.act(surface, { action: 'waitFor', condition: { text: 'ready' } });
    await kit.act(surface, type(' new', { target: { role: 'code' }, append: true }));
    expect(await output(kit, surface)).toBe('"old new"');
    await kit.act(surface, { action: 'clear', target: { role: 'code' } });
    expect(await output(kit, surface)).toBe('""');
    await surface.close();
  });

  test('the error for role code without a field names the alternative', async () => {
    const surface = await kit.showPage('<pre role="code">text</pre>');
    expect(await expectFailure(kit.act(surface, type('x', { target: { role: 'code' } })))).toMatchObject({
      code: 'ACTION_UNSUPPORTED',
      message: expect.stringContaining('click it and use `press`'),
    });
    await surface.close();
  });
});
