import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { OpenOptions } from '@pilothouse/core/ports/surface.port';
import { until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/* A page of Chromium is read over its debugging pipe: only then links have an address. Everything else stays as for other programs. */

/** Each button puts its name and the point of the press into the title. */
const PAGE = `<!doctype html><meta charset=utf-8><title>Start</title>
<script>addEventListener('click', (event) => { if (event.target.id) document.title = event.target.id; }, true);
addEventListener('message', ({ data }) => { document.title = data; });</script>
<h1>Orders</h1><b onclick="document.title += event.detail">Presses</b> <a href="https://shop.example/cart">Cart</a> <button id=first>First</button>
<label>Note <textarea id=note rows=4 cols=40 oninput="document.title = 'n' + [...this.value].length"></textarea></label>
<label>Code <input id=code oninput="this.value = this.value.toUpperCase()"></label>
<label>Fruit <select id=fruit><option>Apple<option>Pear<option>Plum</select></label>
<iframe id=shown width=300 height=80 srcdoc="<button onclick=&quot;parent.postMessage('inner', '*')&quot;>Inner</button>"></iframe>
<iframe id=far width=300 height=80 src="data:text/html,<button onclick=&quot;parent.postMessage('far', '*')&quot;>Far</button>"></iframe>
<iframe id=hidden style="display: none" srcdoc="<button>Hidden</button>"></iframe>
<div style="height: 3000px"></div><button id=last>Last</button><p>The end`;

/** Long texts, and fields of cross-origin frames: one in the process of the page, one in another. */
const FIELDS = `<!doctype html><meta charset=utf-8><title>Fields</title>
<a href="https://shop.example/cart">Cart</a> <button>First</button>
<label>Long <textarea id=long></textarea></label>
<iframe width=300 height=80 sandbox=allow-scripts srcdoc="<label>Near <textarea></textarea></label>"></iframe>
<iframe id=remote width=300 height=80></iframe><p id=article></p>
<label>Plan <select id=plan><option id=option></select></label> <label>Disk <meter value=0.7></meter></label>
<div role=slider tabindex=0 aria-label=Volume aria-valuenow=5 aria-valuetext="5 of 10">Loud</div>
<script>option.textContent = 'Plan ' + 'word '.repeat(300) + 'end'; long.value = 'word '.repeat(30_000) + 'end'; article.textContent = 'Story ' + 'word '.repeat(400) + 'done';
remote.src = location.href.replace('127.0.0.1', 'localhost').replace('fields', 'remote');</script>`;
const REMOTE = '<!doctype html><label>Remote <textarea></textarea></label>';

/** Cross-origin frames of one site, which share a process, and a sandboxed one. */
const FRAMES = `<!doctype html><meta charset=utf-8><title>Frames</title>
<a href="https://shop.example/cart">Cart</a> <button>First</button> <label>Own <input></label>
<iframe id=left width=300 height=80></iframe><iframe id=right width=300 height=80></iframe>
<iframe width=300 height=80 sandbox=allow-scripts srcdoc="<label>Near <input></label>"></iframe>
<script>const site = location.origin.replace('127.0.0.1', 'localhost');
left.src = site + '/left'; right.src = site + '/right';</script>`;
const pages: Readonly<Record<string, string>> = {
  ...{ '/fields': FIELDS, '/remote': REMOTE, '/frames': FRAMES },
  ...{ '/left': '<!doctype html><label>Left <input></label>', '/right': '<!doctype html><label>Right <input></label>' },
};

const PLAIN = '/usr/bin/env chromium --no-first-run --password-store=basic --force-renderer-accessibility'.split(' ');

let kit: DesktopKit;
let surface: DesktopSurface;
let site: TestServer;
let url: string;

const act = actor(() => surface);
/** Elements of the first complete observation: on a busy machine a frame or a window may answer late. */
const elementsNow = () =>
  until('the window is read whole', async () => {
    const { elements, incomplete } = await surface.observe({}, contextWithin(20));
    return incomplete ? undefined : elements;
  });

beforeAll(async () => {
  site = new TestServer(({ url: path }, answer) =>
    answer.setHeader('content-type', 'text/html; charset=utf-8').end(pages[path ?? ''] ?? PAGE),
  );
  await site.start();
  url = `${site.origin}/`;
  kit = await startDesktopKit({ commands: { 'plain-chromium': PLAIN } });
}, 60_000);
afterAll(async () => {
  await site.stop();
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 30_000);
afterEach(async () => {
  await surface.close();
  await rm(join(kit.sharedFolder, 'busy.html'), { force: true });
});

async function open(app = 'chromium', address = url, desktop: OpenOptions['desktop'] = {}): Promise<void> {
  surface = await kit.open({ desktop });
  await act({ action: 'openApp', app, args: [address] }, 90);
  await act({ action: 'waitFor', condition: { visible: { role: 'button', name: 'First' } } }, 60);
}

/** Waits until the page is read over the pipe: it has to load first. */
async function readOverPipe(): Promise<readonly ElementView[]> {
  let elements: readonly ElementView[] = [];
  await until('the page is read over the pipe', async () => {
    elements = await elementsNow();
    return elements.some(({ linkUrl }) => linkUrl !== undefined);
  });
  return elements;
}

const titleIs = (title: string) => act({ action: 'waitFor', condition: { title } });
const press = (name: string) => act({ action: 'click', target: { role: 'button', name, exact: true } });

test('elements of a page are read as in a browser, toolbars as in a program', async () => {
  await open();
  const elements = await readOverPipe();
  expect(elements).toContainEqual(
    expect.objectContaining({ role: 'link', name: 'Cart', linkUrl: 'https://shop.example/cart', interactive: true }),
  );
  expect(elements).toContainEqual(expect.objectContaining({ role: 'heading', name: 'Orders' }));
  expect(elements.filter(({ name }) => name === 'Address and search bar')).toHaveLength(1);
  expect(elements.filter(({ name }) => name === 'First')).toHaveLength(1);
  expect(elements.filter(({ name }) => name === 'Hidden')).toEqual([]);
  expect((await surface.observe({}, contextWithin(20))).url).toMatch(/^app:\/\/chromium\//);
}, 180_000);

test.each([
  { desktop: {}, screen: 'at 96 dpi' },
  { desktop: { dpi: 144 }, screen: 'at 144 dpi' },
])(
  'each element is where it is pressed, in frames and after scrolling, $screen',
  async ({ desktop }) => {
    await open('chromium', url, desktop);
    await readOverPipe();
    for (const [name, title] of [
      ['First', 'first'],
      ['Inner', 'inner'],
      ['Far', 'far'],
    ] as const) {
      await press(name);
      await titleIs(title);
    }
    await act({ action: 'press', key: 'Control+=' });
    await press('First');
    await titleIs('first');
    await act({ action: 'press', key: 'End' });
    await act({ action: 'waitFor', condition: { visible: { role: 'button', name: 'Last' } } });
    expect((await elementsNow()).filter(({ name }) => name === 'First')).toEqual([]);
    await press('Last');
    await titleIs('last');
  },
  180_000,
);

test('a text of many scripts is delivered, read back over the pipe', async () => {
  await open();
  await readOverPipe();
  // By keys that are bound for it, the first one included.
  const keyed = await act({ action: 'fill', target: { label: 'Note' }, text: 'Ärger: Жук, 漢字, 5 €' });
  expect(keyed).toMatchObject({ effect: 'confirmed' });
  // More distinct characters than ordinary keys. Keys such as Paste and Back stay unbound.
  await act({ action: 'writeClipboard', text: 'a copied text' });
  const distinct = String.fromCodePoint(...Array.from({ length: 150 }, (_, index) => 0x4e00 + index));
  const bound = await act({ action: 'fill', target: { label: 'Note' }, text: distinct });
  expect(bound).toMatchObject({ effect: 'confirmed' });
  const text = 'Grüße, Жук, 漢字かな, 한글, مرحبا, 👩‍💻🇪🇺👍🏽 “q”';
  const typed = await act({ action: 'fill', target: { label: 'Note' }, text });
  expect(typed).toMatchObject({ effect: 'confirmed' });
  const appended = await act({ action: 'type', text: '\n5 €' });
  expect(appended).toMatchObject({ effect: 'confirmed' });
  const note = (await elementsNow()).find(({ role, name }) => role === 'textbox' && name === 'Note');
  expect(note?.value).toBe(`${text}\n5 €`);
  expect(await act({ action: 'extract', target: { label: 'Note' }, value: {} })).toMatchObject({
    value: `${text}\n5 €`,
  });
}, 180_000);

test('a window has the address and the load state of its page; other windows have none', async () => {
  await open('chromium', `${url}cart?item=4`);
  await readOverPipe();
  const context = () => contextWithin(20);
  const observation = await surface.observe({}, context());
  expect(observation).toMatchObject({ page: { url: `${url}cart?item=4` }, loading: false });
  expect(observation.url).toMatch(/^app:\/\/chromium\//);
  expect(await surface.anchors(context())).toMatchObject({ app: 'chromium', page: { url: `${url}cart?item=4` } });
  await surface.expect({ url: '*/cart?item=4', loadState: 'load' }, context());
  expect(await surface.isMet({ url: 'cart?item=5' }, context())).toBe(false);
  await expect(surface.isMet({ loadState: 'networkidle' }, context())).rejects.toThrow('use `loadState: load`');
  await act({ action: 'openApp', app: 'org.xfce.mousepad' }, 60);
  await act({ action: 'waitFor', condition: { title: 'Mousepad' } }, 60);
  expect(await surface.isMet({ url: 'cart?item=4' }, context())).toBe(false);
  await expect(surface.expect({ loadState: 'load' }, contextWithin(1))).rejects.toThrow('shows no page of a Chromium');
  expect((await surface.observe({}, context())).page).toBeUndefined();
}, 180_000);

test('the address of a page is never that of another window, and decides no secret', async () => {
  await open('chromium', `${url}?app://mousepad/notes`);
  await readOverPipe();
  expect(await surface.isMet({ url: 'app://mousepad' }, contextWithin(20))).toBe(false);
  const origins: string[] = [];
  const reveal = (text: string, origin: string) => {
    origins.push(origin);
    return Promise.resolve(text);
  };
  for (const address of ['about:blank', 'data:text/html,<title>Data</title><input autofocus>']) {
    await act({ action: 'press', key: 'Control+L' });
    await act({ action: 'type', text: `${address}\n` });
    await act({ action: 'waitFor', condition: { url: address.slice(0, 11) } }, 30);
    const fill = { action: 'fill', target: { label: 'Address and search bar' }, text: 'x{{inputs.pin}}' } as const;
    await surface.act(fill, { ...contextWithin(20), reveal });
  }
  // A secret that is bound to a site is asked for with the window as origin, so it is refused.
  expect(new Set(origins.map((origin) => origin.split('/', 3).join('/')))).toEqual(new Set(['app://chromium']));
}, 180_000);

test('the text of the whole page is read over the pipe', async () => {
  await open();
  await readOverPipe();
  const { text, elements } = await surface.observe({ level: 'page' }, contextWithin(20));
  expect(text?.text).toMatch(/Orders[^]*Inner[^]*The end/);
  expect(text?.text).not.toContain('Hidden');
  expect(JSON.stringify(elements)).not.toContain('The end');
}, 180_000);

test('a long text is read as a whole', async () => {
  await open('chromium', `${url}fields`);
  await readOverPipe();
  const field = await act({ action: 'extract', target: { label: 'Long' }, value: {} });
  expect(field.value).toBe(`${'word '.repeat(30_000)}end`);
  const article = await act({ action: 'extract', target: { text: 'Story word' }, value: {} });
  expect(article.value).toBe(`Story ${'word '.repeat(400)}done`);
}, 180_000);

test('the value of a list, a meter and a slider is read as a whole', async () => {
  await open('chromium', `${url}fields`);
  await readOverPipe();
  const valueOf = async (role: string, name: string) =>
    (await act({ action: 'extract', target: { role, name }, value: {} })).value;
  expect(await valueOf('combobox', 'Plan')).toBe(`Plan ${'word '.repeat(300)}end`);
  expect(await valueOf('slider', 'Volume')).toBe('5 of 10');
}, 180_000);

test('a field of a cross-origin frame is read back and extracted over the pipe', async () => {
  await open('chromium', `${url}fields`);
  for (const label of ['Near', 'Remote']) {
    await readOverPipe();
    const text = `${label} ${'Ж漢 '.repeat(250)}end`;
    expect(await act({ action: 'fill', target: { label }, text })).toMatchObject({ effect: 'confirmed' });
    expect((await act({ action: 'extract', target: { label }, value: {} })).value).toBe(text);
  }
}, 180_000);

test('text reaches the frame of its field, and no other frame has the focus', async () => {
  await open('chromium', `${url}frames`);
  await readOverPipe();
  const labels = ['Left', 'Right', 'Near', 'Own'];
  await act({ action: 'waitFor', condition: { visible: { label: 'Right' } } });
  for (const label of labels) {
    const { effect } = await act({ action: 'fill', target: { label }, text: `of ${label}` });
    expect([label, effect]).toEqual([label, 'confirmed']);
  }
  // The field with the focus is found without its name.
  for (const label of labels.toReversed()) {
    await act({ action: 'click', target: { label } });
    await act({ action: 'press', key: 'End' });
    const { effect } = await act({ action: 'type', text: '!' });
    const focused = (await elementsNow()).filter(({ state }) => state.focused);
    expect([label, effect]).toEqual([label, 'confirmed']);
    expect(focused.map(({ name }) => name)).toEqual([label]);
  }
  for (const label of labels)
    expect((await act({ action: 'extract', target: { label }, value: {} })).value).toBe(`of ${label}!`);
}, 180_000);

test('clicks of two steps are no double click', async () => {
  await open();
  await readOverPipe();
  const { elements, viewport } = await surface.observe({}, contextWithin(20));
  const { x = 0, y = 0, height = 0 } = elements.find(({ name }) => name === 'Presses')?.bounds ?? {};
  // A point is found without a search, so that the clicks follow each other fast.
  const point = { x: ((x + 20) / viewport.width) * 1000, y: ((y + height / 2) / viewport.height) * 1000 };
  for (const count of [1, 1, 2] as const) await act({ action: 'click', target: { point }, count });
  // The page counts the presses of each click event.
  await titleIs('Start1112');
}, 180_000);

test('a text that the page changes fails with the difference', async () => {
  await open();
  await readOverPipe();
  await expect(act({ action: 'fill', target: { label: 'Code' }, text: 'abc' })).rejects.toMatchObject({
    code: 'TYPED_TEXT_DIFFERS',
    message: expect.stringContaining('ABC'),
  });
}, 180_000);

test('the choices of an open list are elements', async () => {
  await open();
  await readOverPipe();
  await act({ action: 'selectOption', target: { role: 'combobox', name: 'Fruit' }, option: 'Plum' });
  expect((await elementsNow()).find(({ name }) => name === 'Fruit')).toMatchObject({ value: 'Plum' });
}, 180_000);

test('a Chromium without the pipe is read through AT-SPI', async () => {
  await open('plain-chromium');
  const elements = await elementsNow();
  expect(elements).toContainEqual(expect.objectContaining({ role: 'link', name: 'Cart' }));
  expect(elements.filter(({ linkUrl }) => linkUrl !== undefined)).toEqual([]);
  await press('First');
  await titleIs('first');
  expect(await act({ action: 'fill', target: { label: 'Note' }, text: 'Grüße 👍🏽' })).toMatchObject({
    effect: 'confirmed',
  });
}, 180_000);

test('a page that hangs is read through AT-SPI', async () => {
  const file = join(kit.sharedFolder, 'busy.html');
  const busy = `<!doctype html><title>Busy</title><a href="https://shop.example/">Cart</a>
<button onclick="const end = Date.now() + 8000; while (Date.now() < end);">First</button>`;
  await writeFile(file, busy);
  await open('chromium', `file://${file}`);
  await readOverPipe();
  await press('First');
  const elements = await elementsNow();
  expect(elements).toContainEqual(expect.objectContaining({ role: 'link', name: 'Cart' }));
  // Only a page that answers gives the URLs of its links.
  expect(elements.filter(({ linkUrl }) => linkUrl !== undefined)).toEqual([]);
}, 180_000);

test('a second window of the same Chromium is read over the pipe of the first', async () => {
  await open();
  await readOverPipe();
  await act({ action: 'press', key: 'Control+N' });
  await act({ action: 'waitFor', condition: { title: 'New Tab' } });
  expect((await elementsNow()).filter(({ name }) => name === 'Cart')).toEqual([]);
  await act({ action: 'openApp', app: 'chromium', args: [`${url}second`] }, 60);
  await act({ action: 'waitFor', condition: { visible: { role: 'button', name: 'First' } } }, 60);
  expect((await readOverPipe()).filter(({ name }) => name === 'Cart')).toHaveLength(1);
}, 180_000);
