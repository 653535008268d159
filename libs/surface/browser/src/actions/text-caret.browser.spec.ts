import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

// An editor with a text model. Its input field is hidden and emptied after each input.

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const editor = (acceptsInput: boolean) => `<button onclick="document.querySelector('textarea').focus()">Editor</button>
  <div id=lines style="height:200px"></div><textarea aria-label="Editor content" style="position:absolute;left:0;top:0;width:1px;height:1px;opacity:0"></textarea>
  <script>
    const field = document.querySelector('textarea'); let text = 'const a = 1;\\n';
    const show = () => { lines.replaceChildren(...text.split('\\n').map((line) => Object.assign(document.createElement('div'), { className: 'view-line', textContent: line.replaceAll(' ', '\\u00a0') }))); };
    field.addEventListener('input', () => { ${acceptsInput ? 'text += field.value;' : ''} field.value = ''; show(); }); show();
  </script>`;
const type = (text: string) => ({ action: 'fill', target: { focus: true }, text }) as const;

test('types at the caret and verifies that the page shows the text', async () => {
  const surface = await kit.showPage(editor(true));
  await kit.act(surface, { action: 'click', target: { text: 'Editor', exact: true } });
  const { located } = await kit.act(surface, type('let b = 2;\nlet c = 3;'));
  expect(located).toMatchObject({ locator: 'focus' });
  await surface.expect({ visible: { css: '.view-line', hasText: 'let c = 3;' } }, testContext(5000));
  await kit.act(surface, type('const a = 1;'));
  await surface.close();
});

test('fails if the page does not show the text, even if it showed it before', async () => {
  const surface = await kit.showPage(editor(false));
  await kit.act(surface, { action: 'click', target: { text: 'Editor', exact: true } });
  for (const text of ['let b = 2;', 'const a = 1;'])
    expect(await expectFailure(kit.act(surface, type(text)))).toMatchObject({
      code: 'TYPED_TEXT_DIFFERS',
      message: expect.stringContaining('the page does not show it'),
    });
  await surface.close();
});

test('the error without a caret names the fix', async () => {
  const surface = await kit.showPage('<p>Text</p>');
  expect(await expectFailure(kit.act(surface, type('x'), testContext(2000)))).toMatchObject({
    code: 'TARGET_NOT_FOUND',
    message: expect.stringContaining('click the field or editor first'),
  });
  await surface.close();
});

test('a text at the caret does not reach the field to which the page moves the focus', async () => {
  // The page takes the focus away in the next task once the field was read.
  const surface = await kit.showPage(
    `<input id="f"><input id="g" aria-label="Other" oninput="out.textContent = value"><output id="out">-</output><script>
      Object.defineProperty(f, 'value', { get: () => { setTimeout(() => g.focus()); return ''; } });
      f.focus();</script>`,
  );
  expect(await expectFailure(kit.act(surface, type('private')))).toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringContaining('<input id="g"'),
  });
  expect(await output(kit, surface)).toBe('-');
  await surface.close();
});

describe('the keys of a text', () => {
  const keys = (text: string) => ({ action: 'type', text }) as const;
  const log = `<output id="out">-</output><script>
    for (const name of ['keydown', 'keypress', 'input', 'keyup']) document.addEventListener(name, () => { out.textContent += name[3] });</script>`;
  const focus = `<script>document.querySelector('#f').focus()</script>`;

  test.each<[string, string, string, string]>([
    ['a field', '<input id="f" value="x">', 'ab', '-dpuudpuu'],
    ['lines', '<textarea id="f"></textarea>', 'a\nb', '-dpuudpuudpuu'],
    ['editable content', '<div id="f" contenteditable></div>', 'ab', '-dpuudpuu'],
    [
      'a field in a shadow root',
      `<div id="h"></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<input>'; h.shadowRoot.firstChild.focus()</script><i id="f"></i>`,
      'ab',
      '-dpuudpuu',
    ],
  ])('%s', async (_, html, text, expected) => {
    const surface = await kit.showPage(log + html + focus);
    expect((await kit.act(surface, keys(text))).effect).toBeUndefined();
    expect(await output(kit, surface)).toBe(expected);
    await surface.close();
  });

  test('at the caret inside of a text', async () => {
    const surface = await kit.showPage(`<input id="f" value="adx">${focus}<script>f.setSelectionRange(1, 3)</script>`);
    await kit.act(surface, keys('bc'));
    expect((await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} })).value).toBe('abc');
    await surface.close();
  });

  test('an element without a text takes the keys unverified', async () => {
    const surface = await kit.showPage(`${log}<canvas id="f" tabindex="0"></canvas>${focus}`);
    expect(await kit.act(surface, keys('ab'))).toMatchObject({ effect: 'unverifiable' });
    expect(await output(kit, surface)).toBe('-dpudpu');
    await surface.close();
  });

  test('a menu may move the focus to its entries', async () => {
    const surface = await kit.showPage(
      `<ul><li id="f" tabindex="-1" onkeydown="this.nextElementSibling.focus()">A</li><li tabindex="-1" onkeydown="document.title = event.key">B</li></ul>${focus}`,
    );
    await kit.act(surface, keys('xy'));
    expect(await kit.title(surface)).toBe('y');
    await surface.close();
  });

  test.each<[string, string, string, string]>([
    ['a date in another format', '<input id="f" type="date">', '25.03.2020', 'ACTION_UNSUPPORTED'],
    ['a line break in one line', '<form><input id="f"></form>', 'a\nb', 'ACTION_UNSUPPORTED'],
    ['a read-only field', '<input id="f" readonly>', 'a', 'TYPED_TEXT_DIFFERS'],
    [
      'a field that leads elsewhere',
      '<input id="f" oninput="o.focus()"><textarea id="o"></textarea>',
      'ab',
      'TYPED_TEXT_DIFFERS',
    ],
    ['a page without a focus', '<p>Text</p><i id="f"></i>', 'a', 'TARGET_NOT_FOUND'],
  ])('%s is an error', async (_, html, text, code) => {
    const surface = await kit.showPage(html + focus);
    expect(await expectFailure(kit.act(surface, keys(text), testContext(3000)))).toMatchObject({ code });
    await surface.close();
  });

  test('a date holds what was meant', async () => {
    const surface = await kit.showPage(`<input id="f" type="date">${focus}`);
    await kit.act(surface, keys('2020-03-02'));
    expect((await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} })).value).toBe('2020-03-02');
    await surface.close();
  });

  test('a field in a frame of another site', async () => {
    const url = kit.serve(
      '/caret-frame',
      `<input id="f" onkeyup="parent.postMessage(this.value, '*')"><script>f.focus()</script>`,
    );
    const surface = await kit.showPage(
      `<output id="out">-</output><iframe src="${url.replace('127.0.0.1', 'localhost')}"></iframe><script>onmessage = (e) => { out.textContent = e.data }</script>`,
    );
    await kit.act(surface, { action: 'click', target: { css: '#f', within: { css: 'iframe' } } });
    await kit.act(surface, keys('abc'));
    await surface.expect({ visible: { css: '#out', hasText: 'abc' } }, testContext(5000));
    await surface.close();
  });
});
