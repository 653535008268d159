import type { PageInput } from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DialogReply } from '@pilothouse/core/ports/surface-recorders.port';
import type { FileChooser } from '@pilothouse/core/ports/surface.port';
import { until } from '@pilothouse/testing/test-helpers';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserSurface } from './browser.surface.ts';
import { startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

/** An element of a tenth of the page size in its center, in thousandths. */
const positioned = (x: number, y: number) =>
  `style="position:fixed;box-sizing:border-box;left:${x / 10 - 5}vw;top:${y / 10 - 5}vh;width:10vw;height:10vh"`;
const setTitle = (expression: string) => `document.title = ${expression}`;

const drive = (surface: BrowserSurface, input: PageInput) => surface.sendControlInput(input, testContext(10_000));
const click = async (surface: BrowserSurface, x: number, y: number, count = 1) => {
  const press = { x, y, button: 'left' as const, count };
  const touched = await drive(surface, { kind: 'down', ...press });
  await drive(surface, { kind: 'up', ...press });
  return touched;
};
const waitForTitle = (surface: BrowserSurface, title: string) =>
  until(`the title is ${title}`, async () => (await kit.title(surface)) === title || undefined);

test('a person types, inserts and pastes at the focus, and password fields are reported as secret', async () => {
  const surface = await kit.showPage(
    `<input aria-label="Name" ${positioned(200, 200)} oninput="${setTitle('this.value')}">
     <input type="password" aria-label="Password" ${positioned(200, 500)} oninput="${setTitle('this.value')}">`,
  );
  expect(await click(surface, 200, 200)).toMatchObject({ isSecret: false });
  await drive(surface, { kind: 'text', text: 'Adx' });
  await drive(surface, { kind: 'key', key: 'Backspace' });
  const touched = await drive(surface, { kind: 'text', text: 'á' });
  expect(JSON.stringify(touched?.locators)).toContain('Name');
  await drive(surface, { kind: 'paste', text: ' of the harbour' });
  await waitForTitle(surface, 'Adá of the harbour');
  await drive(surface, { kind: 'key', key: 'Control+A' });
  await drive(surface, { kind: 'text', text: 'n'.repeat(60) });
  await waitForTitle(surface, 'n'.repeat(60));
  expect(await click(surface, 200, 500)).toMatchObject({ isSecret: true });
  expect(await drive(surface, { kind: 'text', text: 'battery' })).toMatchObject({ isSecret: true });
  await waitForTitle(surface, 'battery');
});

test.each([
  ['in the page', (field: string) => `<label>Your PIN ${field}</label>`],
  [
    'in a shadow root',
    (field: string) => `<div><template shadowrootmode="open"><label>One-time code ${field}</label></template></div>`,
  ],
  [
    'in a frame',
    (field: string) => `<iframe style="position:absolute;inset:0;width:100%;height:100%;border:0"
      srcdoc='<label>Card number ${field}</label>'></iframe>`,
  ],
])('a text field with the name of a secret is reported as secret: %s', async (_, htmlOf) => {
  const surface = await kit.showPage(htmlOf(`<input ${positioned(200, 200)}>`));
  await click(surface, 200, 200);
  expect(await drive(surface, { kind: 'text', text: '4821' })).toMatchObject({ isSecret: true });
});

test.each<[string, string]>([
  ['by the mouse', ''],
  ['of HTML', 'draggable="true" ondragstart="event.dataTransfer.setData(\'text/plain\', 1)"'],
])('a person presses any element after a step has dragged another %s', async (_, attributes) => {
  const surface = await kit.showPage(
    `<div id="from" ${attributes} ${positioned(200, 200)}>From</div>
     <div id="to" ${positioned(500, 200)} ondragover="event.preventDefault()">To</div>
     <button ${positioned(500, 500)} onclick="${setTitle("'pressed'")}">Press</button>
     <iframe ${positioned(800, 500)} srcdoc="<body style='margin:0;height:100vh' onclick=&quot;parent.document.title = 'in the frame'&quot;>"></iframe>`,
  );
  await kit.act(surface, { action: 'drag', target: { css: '#from' }, to: { css: '#to' } });
  await click(surface, 500, 500);
  await waitForTitle(surface, 'pressed');
  await click(surface, 800, 500);
  await waitForTitle(surface, 'in the frame');
});

test('a pointer drags, double-clicks and scrolls', async () => {
  const surface = await kit.showPage(
    `<div ${positioned(200, 200)} ondblclick="${setTitle("'twice'")}">Two</div>
     <div id="low" ${positioned(500, 500)}><div style="height:5000px">Long</div></div>
     <script>
       const path = [];
       const keep = ({ clientX }) => path.push(Math.round((clientX / innerWidth) * 10));
       addEventListener('pointerdown', (event) => { path.length = 0; keep(event); });
       addEventListener('pointermove', (event) => event.buttons && keep(event));
       addEventListener('pointerup', () => new Set(path).size > 1 && (${setTitle("[...new Set(path)].join(' ')")}));
       low.style.overflow = 'auto';
       low.addEventListener('scroll', () => (${setTitle("'down ' + low.scrollTop")}));
     </script>`,
  );
  await click(surface, 200, 200, 1);
  await click(surface, 200, 200, 2);
  await waitForTitle(surface, 'twice');
  const button = 'left' as const;
  await drive(surface, { kind: 'down', x: 800, y: 800, button, count: 1 });
  for (const x of [600, 500, 300]) await drive(surface, { kind: 'move', x, y: 800 });
  await drive(surface, { kind: 'up', x: 300, y: 800, button, count: 1 });
  await waitForTitle(surface, '8 6 5 3');
  await drive(surface, { kind: 'scroll', x: 500, y: 500, dx: 0, dy: 120 });
  await waitForTitle(surface, 'down 120');
});

test('a list is opened and operated by keys', async () => {
  const surface = await kit.showPage(
    `<select aria-label="Port" ${positioned(200, 200)} onchange="${setTitle('this.value')}"><option>Bergen<option>Oslo<option>Tromsø</select>`,
  );
  await click(surface, 200, 200);
  await drive(surface, { kind: 'key', key: 'ArrowDown' });
  await drive(surface, { kind: 'key', key: 'Enter' });
  await waitForTitle(surface, 'Oslo');
});

describe('a drop-down list', () => {
  const list = (extraHtml = '') => `
    <select aria-label="Port" ${positioned(200, 200)} onchange="${setTitle("event.type + ' ' + this.value")}">
      <option value="bgo">Bergen</option><option value="osl" disabled>Oslo</option>
      <optgroup label="North"><option value="bod">Bodø</option><option value="tos">  Tromsø </option></optgroup>
    </select>${extraHtml}`;
  const choices = (surface: BrowserSurface) => surface.readDropdown(testContext(10_000));

  test('stays closed, reports its options and bounds, and selects an option', async () => {
    const surface = await kit.showPage(`<iframe ${positioned(500, 500)}></iframe>${list()}`);
    expect(await choices(surface)).toBeNull();
    expect(await click(surface, 200, 200)).toMatchObject({ chosen: null });
    const dropdown = await choices(surface);
    expect(dropdown?.options).toEqual([
      { label: 'Bergen', group: null, disabled: false, selected: true },
      { label: 'Oslo', group: null, disabled: true, selected: false },
      { label: 'Bodø', group: 'North', disabled: false, selected: false },
      { label: 'Tromsø', group: 'North', disabled: false, selected: false },
    ]);
    const { x, y, width, height } = dropdown?.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
    expect([x, y, width, height].map(Math.round)).toEqual([150, 150, 100, 100]);
    const choose = (index: number, label: string) => drive(surface, { kind: 'selectOption', index, label });
    const touched = await choose(3, 'Tromsø');
    expect(touched).toMatchObject({ chosen: { option: 'Tromsø' } });
    expect(JSON.stringify(touched?.locators)).toContain('Port');
    expect(await kit.title(surface)).toBe('change tos');
    await expect(choose(1, 'Oslo')).rejects.toMatchObject({ code: 'TARGET_NOT_ACTIONABLE' });
    await expect(choose(2, 'Narvik')).rejects.toMatchObject({ code: 'TARGET_NOT_ACTIONABLE' });
    expect(await kit.title(surface)).toBe('change tos');
  });

  test('stays closed for every key that would open it', async () => {
    const reportKey = setTitle("event.code + ' ' + event.defaultPrevented");
    const surface = await kit.showPage(list(`<script>addEventListener('keydown', (event) => (${reportKey}))</script>`));
    await click(surface, 200, 200);
    for (const code of ['Enter', 'NumpadEnter', 'Space', 'F4']) {
      await drive(surface, { kind: 'key', key: code });
      expect(await kit.title(surface)).toBe(`${code} true`);
    }
  });

  test('is operated by keys, also in a frame', async () => {
    const url = kit.serve('/list', list());
    const surface = await kit.showPage(
      `<iframe src="${url}" style="position:fixed;inset:0;width:100vw;height:100vh;border:0">`,
    );
    await click(surface, 200, 200);
    expect(await drive(surface, { kind: 'text', text: ' ' })).toMatchObject({ chosen: null });
    const dropdown = await choices(surface);
    expect(Math.round(dropdown?.bounds.x ?? 0)).toBe(150);
    for (const key of ['Enter', 'NumpadEnter'])
      expect(await drive(surface, { kind: 'key', key })).toMatchObject({ chosen: null });
    expect(await drive(surface, { kind: 'key', key: 'ArrowDown' })).toMatchObject({ chosen: { option: 'Bodø' } });
    expect(await drive(surface, { kind: 'text', text: 't' })).toMatchObject({ chosen: { option: 'Tromsø' } });
    expect((await choices(surface))?.options.map(({ selected }) => selected)).toEqual([false, false, false, true]);
  });
});

test('returns copied text, but no password and no empty selection', async () => {
  const surface = await kit.showPage(
    `<input type="password" value="battery" aria-label="Password" ${positioned(200, 200)}>
     <input value="A-1234" aria-label="Code" ${positioned(200, 500)}>
     <button ${positioned(500, 200)} onclick="navigator.clipboard.writeText('by a script')">Copy</button>`,
  );
  const copied = () => surface.readCopiedText(testContext(10_000));
  const copy = async (key: 'Control+C' | 'Control+X') => {
    await drive(surface, { kind: 'key', key: 'Control+A' });
    await drive(surface, { kind: 'key', key });
    return copied();
  };
  await click(surface, 200, 200);
  expect(await copy('Control+C')).toBeNull();
  await click(surface, 200, 500);
  expect(await copy('Control+C')).toBe('A-1234');
  expect(await copy('Control+X')).toBe('A-1234');
  await drive(surface, { kind: 'paste', text: 'from outside' });
  expect(await copied()).toBeNull();
  await click(surface, 500, 200);
  await until('the page has copied', async () => (await copied()) === 'by a script' || undefined);
});

test('sends nothing after the guard refuses', async () => {
  const surface = await kit.showPage(
    `<button ${positioned(200, 200)} onpointerdown="${setTitle("'pressed'")}">Go</button>`,
  );
  const initialTitle = await kit.title(surface);
  const press = { kind: 'down' as const, x: 200, y: 200, button: 'left' as const, count: 1 };
  const guard = () => {
    throw new Error('the lease is over');
  };
  await expect(surface.sendControlInput(press, testContext(10_000, { guard }))).rejects.toThrow('the lease is over');
  const signal = AbortSignal.abort(new Error('control was released'));
  await expect(surface.sendControlInput(press, testContext(10_000, { signal }))).rejects.toThrow(
    'control was released',
  );
  await expect(surface.sendControlInput(press, testContext(0))).rejects.toMatchObject({ code: 'STEP_TIMED_OUT' });
  expect(await kit.title(surface)).toBe(initialTitle);
  await drive(surface, press);
  await waitForTitle(surface, 'pressed');
});

describe('a file chooser', () => {
  const chooser = (attributes = '') =>
    `<input type="file" aria-label="Papers" ${positioned(200, 200)} ${attributes}
       onchange="${setTitle("[...this.files].map((file) => file.name + ' ' + file.size).join(', ')")}">`;
  /** File choosers that a page opens while there is a listener. */
  const listen = (surface: BrowserSurface) => {
    const choosers: FileChooser[] = [];
    const stop = surface.onFileChooser((chooser) => void choosers.push(chooser));
    return { opened: choosers, stop, next: (count: number) => until(`${count} opened`, () => choosers[count - 1]) };
  };
  const file = async (name: string, text: string) => {
    const path = join(kit.folder, name);
    await writeFile(path, text);
    return path;
  };

  test('opened by a person receives files each time, only while input is allowed', async () => {
    const surface = await kit.showPage(chooser('multiple'));
    const [firstFile, secondFile] = await Promise.all([file('one.txt', 'a'), file('two.txt', 'bcd')]);
    const { opened, stop, next } = listen(surface);
    await click(surface, 200, 200);
    // A person cancels the chooser.
    expect(await next(1)).toMatchObject({ isMultiple: true });
    await click(surface, 200, 200);
    const second = await next(2);
    const guard = () => {
      throw new PilothouseError('LEASE_LOST', 'The lease ended');
    };
    await expect(second.choose([firstFile], testContext(10_000, { guard }))).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    expect(await kit.title(surface)).toMatch(/^Page/);
    await second.choose([firstFile, secondFile], testContext(10_000));
    await waitForTitle(surface, 'one.txt 1, two.txt 3');
    stop();
    await click(surface, 200, 200);
    await drive(surface, { kind: 'key', key: 'Enter' });
    expect(opened).toHaveLength(2);
  });

  test('works in a later window, accepts one file, and may be followed by an alert', async () => {
    kit.serve(
      '/papers',
      `<!doctype html><title>Papers</title>${chooser().replace('onchange="', 'onchange="alert(1);')}`,
    );
    const reply = Promise.withResolvers<DialogReply>();
    const surface = await kit.open({
      recorders: { dialogs: { onOpen: () => reply.promise, onAnswered: () => undefined } },
    });
    const { next } = listen(surface);
    const url = kit.serve(
      '/window-of-papers',
      `<button ${positioned(200, 200)} onclick="window.open('/papers')">Open</button>`,
    );
    await kit.act(surface, { action: 'navigate', url });
    await click(surface, 200, 200);
    await waitForTitle(surface, 'Papers');
    await click(surface, 200, 200);
    const opened = await next(1);
    expect(opened.isMultiple).toBe(false);
    // The page waits for the answer to its alert, and the file is there.
    await opened.choose([await file('bill.pdf', 'bill')], testContext(10_000));
    reply.resolve({ accept: true, text: null });
    await waitForTitle(surface, 'bill.pdf 4');
  });
});
