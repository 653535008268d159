import type { BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';
import { clipboardUse } from './run-clipboard.ts';
import type { BrowserSurface } from '../browser.surface.ts';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const source = { label: 'From' };
const destination = { label: 'To' };
const fields = (value: string) => `<label>From <input value="${value}"></label><label>To <textarea></textarea></label>`;

const press = (surface: BrowserSurface, key: string, target = source) =>
  kit.act(surface, { action: 'press', key, target }, testContext(15_000));
const textOf = async (surface: BrowserSurface, target: { label: string } | { css: string } = destination) =>
  (await kit.act(surface, { action: 'extract', target, value: {} })).value;

async function copy(surface: BrowserSurface, key = 'ControlOrMeta+C') {
  await press(surface, 'ControlOrMeta+A');
  await press(surface, key);
}
const paste = (surface: BrowserSurface) => press(surface, 'ControlOrMeta+V', destination);
const readClipboard = async (surface: BrowserSurface) => (await kit.act(surface, { action: 'readClipboard' })).value;

/** Opens a page with browser permissions. */
async function showPageWithOptions(body: string, browser: BrowserOptions): Promise<BrowserSurface> {
  const surface = await kit.open({ browser });
  await kit.act(surface, { action: 'navigate', url: kit.serve('/allowed', `<title>Allowed</title>${body}`) });
  return surface;
}

test.each([
  ['ControlOrMeta+C', 'copies'],
  ['Control+KeyX', 'copies'],
  ['Control+Insert', 'copies'],
  ['Shift+Delete', 'copies'],
  ['ControlOrMeta+V', 'pastes'],
  ['Control+Shift+v', 'pastes'],
  ['ShiftLeft+Insert', 'pastes'],
  ['Control+A', null],
  ['Insert', null],
  ['c', null],
  ['Control++', null],
])('the key %s: %s', (key, use) => {
  expect(clipboardUse(key)).toBe(use);
});

describe('keys', () => {
  test('pastes copied text, also on the next page', async () => {
    const surface = await kit.showPage(fields('Größe 42 €'));
    await copy(surface);
    await kit.act(surface, { action: 'navigate', url: kit.serve('/next', fields('other')) });
    await paste(surface);
    expect(await textOf(surface)).toBe('Größe 42 €');
    await surface.close();
  });

  test('cuts text and pastes it repeatedly', async () => {
    const surface = await kit.showPage(fields('A-1'));
    await copy(surface, 'ControlOrMeta+X');
    expect(await textOf(surface, source)).toBe('');
    await kit.act(surface, { action: 'press', key: 'ControlOrMeta+V', target: destination, times: 2 });
    expect(await textOf(surface)).toBe('A-1A-1');
    await surface.close();
  });

  test('copying an empty selection keeps the clipboard', async () => {
    const surface = await kit.showPage(fields(''));
    await kit.act(surface, { action: 'writeClipboard', text: 'kept' });
    await press(surface, 'ControlOrMeta+C');
    await paste(surface);
    expect(await textOf(surface)).toBe('kept');
    await surface.close();
  });

  test('keeps markup', async () => {
    const surface = await kit.showPage(
      '<p id=from contenteditable>Pay <b>now</b></p><div id=to contenteditable role=textbox></div>',
    );
    await kit.act(surface, { action: 'press', key: 'Control+A', target: { css: '#from' } });
    await kit.act(surface, { action: 'press', key: 'Control+C', target: { css: '#from' } });
    await kit.act(surface, { action: 'press', key: 'Control+V', target: { css: '#to' } });
    expect(await textOf(surface, { css: '#to' })).toBe('Pay now');
    expect(await textOf(surface, { css: '#to b' })).toBe('now');
    await surface.close();
  });
});

describe('between runs', () => {
  test('each of two runs pastes its own text', async () => {
    const runs = await Promise.all(['order 17', 'order 18'].map((text) => kit.showPage(fields(text))));
    for (const surface of runs) await copy(surface);
    for (const surface of runs) await paste(surface);
    expect(await Promise.all(runs.map((surface) => textOf(surface)))).toEqual(['order 17', 'order 18']);
    await Promise.all(runs.map((surface) => surface.close()));
  });

  test('concurrent runs paste their own text', async () => {
    const texts = ['one', 'two', 'three'];
    const runs = await Promise.all(texts.map((text) => kit.showPage(fields(text))));
    await Promise.all(
      runs.map(async (surface) => {
        for (let round = 0; round < 4; round += 1) {
          await copy(surface);
          await paste(surface);
        }
      }),
    );
    expect(await Promise.all(runs.map((surface) => textOf(surface)))).toEqual(texts.map((text) => text.repeat(4)));
    await Promise.all(runs.map((surface) => surface.close()));
  });

  test('the next run pastes nothing of the previous one', async () => {
    const firstSurface = await kit.showPage(fields('secret'));
    await copy(firstSurface);
    await firstSurface.close();
    const next = await kit.showPage(fields(''));
    await paste(next);
    expect(await textOf(next)).toBe('');
    await next.close();
  });

  test('the middle button pastes no selection of another run', async () => {
    const firstSurface = await kit.showPage('<p>selected</p>');
    await kit.act(firstSurface, { action: 'click', target: { css: 'p' }, count: 2 });
    const otherSurface = await kit.showPage(fields(''));
    await kit.act(otherSurface, { action: 'click', target: destination, button: 'middle' });
    await kit.act(otherSurface, { action: 'fill', target: destination, text: '.', append: true });
    expect(await textOf(otherSurface)).toBe('.');
    await Promise.all([firstSurface.close(), otherSurface.close()]);
  });

  test('a page that does not handle the key in time is closed and others continue', async () => {
    const stuck = await kit.showPage(`${fields('')}<script>addEventListener('keydown', ({ key }) => {
      for (const end = Date.now() + 20_000; key.toLowerCase() === 'v' && Date.now() < end; );
    })</script>`);
    const otherSurface = await kit.showPage(fields('mine'));
    await copy(otherSurface);
    await kit.act(stuck, { action: 'writeClipboard', text: 'late' });
    const failing = expectFailure(press(stuck, 'ControlOrMeta+V', destination));
    await paste(otherSurface);
    expect(await textOf(otherSurface)).toBe('mine');
    expect(['STEP_TIMED_OUT', 'SURFACE_LOST']).toContain((await failing).code);
    expect(stuck.lossSignal.aborted).toBe(true);
    await Promise.all([stuck.close(), otherSurface.close()]);
  });
});

describe('copying by page scripts', () => {
  const code = '<span id=code>A-1234</span><button>Copy</button>';
  const onClick = (script: string) => `${code}${fields('')}<script>
    document.querySelector('button').onclick = () => { ${script} };
  </script>`;

  test.each([
    ['text', `navigator.clipboard.writeText(code.textContent)`],
    ['text, a little later', `setTimeout(() => navigator.clipboard.writeText(code.textContent), 200)`],
    [
      'items',
      `navigator.clipboard.write([new ClipboardItem({ 'text/plain': Promise.resolve(new Blob(['A-1234'], { type: 'text/plain' })) })])`,
    ],
    ['the selection', `getSelection().selectAllChildren(code); document.execCommand('copy')`],
    [
      'a hidden field',
      `const field = document.body.appendChild(document.createElement('textarea'));
       field.value = 'A-1234'; field.select(); document.execCommand('copy'); field.remove()`,
    ],
    [
      'what its listener says',
      `addEventListener('copy', (event) => { event.preventDefault(); event.clipboardData.setData('text/plain', 'A-1234') });
       document.execCommand('copy')`,
    ],
  ])('%s: is read by a step, pasted by keys, and private to the run', async (_, script) => {
    const surface = await kit.showPage(onClick(script));
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    expect(await readClipboard(surface)).toBe('A-1234');
    const otherSurface = await kit.showPage(fields(''));
    await paste(otherSurface);
    expect(await textOf(otherSurface)).toBe('');
    await paste(surface);
    expect(await textOf(surface)).toBe('A-1234');
    await Promise.all([surface.close(), otherSurface.close()]);
  });

  test('cut by a script removes the text', async () => {
    const surface = await kit.showPage(
      `${fields('A-1')}<button>Cut</button><script>document.querySelector('button').onclick = () => {
        document.querySelector('input').select(); document.execCommand('cut');
      }</script>`,
    );
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    expect(await readClipboard(surface)).toBe('A-1');
    expect(await textOf(surface, source)).toBe('');
    await surface.close();
  });

  test('in a frame of another site', async () => {
    const url = kit.serve('/framed', onClick(`navigator.clipboard.writeText('framed')`));
    const framed = url.replace('127.0.0.1', 'localhost');
    const surface = await kit.showPage(`<iframe src="${framed}" allow="clipboard-write"></iframe>`);
    await kit.act(surface, { action: 'click', target: { role: 'button', within: { css: 'iframe' } } });
    expect(await readClipboard(surface)).toBe('framed');
    await surface.close();
  });

  test('in a window that opens', async () => {
    const url = kit.serve('/opened', onClick(`navigator.clipboard.writeText('opened')`));
    const surface = await kit.showPage(`<a href="${url}" target=_blank>Open</a>`);
    await kit.act(surface, { action: 'click', target: { role: 'link' } });
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    expect(await readClipboard(surface)).toBe('opened');
    await surface.close();
  });
});

describe('reading by page scripts', () => {
  const body = `${fields('')}<button>Read</button><output id=out></output><script>
    document.querySelector('button').onclick = () => navigator.clipboard.readText().then(
      (text) => (out.value = 'read: ' + text), ({ name }) => (out.value = name));
  </script>`;

  test('returns the clipboard of the run if allowed', async () => {
    const otherSurface = await kit.showPage(fields('other'));
    await copy(otherSurface);
    const surface = await showPageWithOptions(body, { permissions: ['clipboard-read'] });
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    await kit.act(surface, { action: 'waitFor', condition: { text: 'read:' } });
    expect(await output(kit, surface)).toBe('read:');
    await kit.act(surface, { action: 'writeClipboard', text: 'mine' });
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    await kit.act(surface, { action: 'waitFor', condition: { text: 'read: mine' } });
    await Promise.all([surface.close(), otherSurface.close()]);
  });

  test('is refused if not allowed', async () => {
    const surface = await kit.showPage(body);
    await kit.act(surface, { action: 'writeClipboard', text: 'mine' });
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    await kit.act(surface, { action: 'waitFor', condition: { text: 'NotAllowedError' } });
    await surface.close();
  });

  test('leaves all other browser APIs unchanged', async () => {
    const surface = await kit.showPage(`<output id=out></output><script>
      out.value = [Object.keys(globalThis).filter((name) => /playwright|clipboard/.test(name)).join(),
        navigator.clipboard.writeText.name, matchMedia('(hover: hover) and (pointer: fine)').matches];
    </script>`);
    expect(await output(kit, surface)).toBe(',writeText,true');
    await surface.close();
  });
});

describe('clipboard steps', () => {
  test('write a text that is pasted into a field and an editable element', async () => {
    const surface = await kit.showPage(`${fields('')}<div id=rich contenteditable role=textbox></div>`);
    await kit.act(surface, { action: 'writeClipboard', text: 'line 1\nline 2' });
    await paste(surface);
    await kit.act(surface, { action: 'press', key: 'Shift+Insert', target: { css: '#rich' } });
    expect(await textOf(surface)).toBe('line 1\nline 2');
    expect(await textOf(surface, { css: '#rich' })).toBe('line 1\nline 2');
    await surface.close();
  });

  test('do not return a text again that was read or written by a step', async () => {
    const surface = await kit.showPage(fields('A-1'));
    await copy(surface);
    expect(await readClipboard(surface)).toBe('A-1');
    const readAgain = () => expectFailure(kit.act(surface, { action: 'readClipboard' }, testContext(300)));
    expect(await readAgain()).toMatchObject({ code: 'EXTRACTION_FAILED' });
    await copy(surface);
    await kit.act(surface, { action: 'writeClipboard', text: 'mine' });
    expect(await readAgain()).toMatchObject({ code: 'EXTRACTION_FAILED' });
    await surface.close();
  });

  test('restore the clipboard on another surface', async () => {
    const surface = await kit.showPage(fields(''));
    await kit.act(surface, { action: 'writeClipboard', text: 'along' });
    const state = await surface.save(testContext(5000));
    await surface.close();
    const next = await kit.open();
    await next.restore(state ?? '', testContext(5000));
    await paste(next);
    expect(await textOf(next)).toBe('along');
    await next.close();
  });
});
