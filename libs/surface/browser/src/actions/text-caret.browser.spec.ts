import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

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
