import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { until } from '@pilothouse/testing/test-helpers';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DesktopSurface } from './desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from './testing/desktop.fixture.ts';

const MIXED = 'Grüße aus Köln: 5 € – „ok“ ÄÖÜß ёЖ 日本 "quotes" {}[]|~\\';

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

test('an editor saves text in several scripts under the given name', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: `${MIXED}\nsecond line` });
  await act({ action: 'press', key: 'Control+S' });
  await act({ action: 'waitFor', condition: { title: 'Save As' } });
  await act({ action: 'fill', target: { label: 'Name' }, text: 'nötes.txt' });
  await act({ action: 'click', target: { role: 'button', name: 'Save', exact: true } });
  await act({ action: 'waitFor', condition: { title: 'nötes.txt' } });
  const files = await readdir(kit.folder, { recursive: true });
  const saved = files.find((path) => path.endsWith('/home/nötes.txt'));
  expect(await readFile(join(kit.folder, saved ?? ''), 'utf8')).toBe(`${MIXED}\nsecond line`);
}, 60_000);

test('elements have roles, names, values and bounds on the screen', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: 'hello' });
  const observation = await surface.observe({}, contextWithin(20));
  expect(observation.url).toMatch(/^app:\/\/mousepad\//);
  expect(observation.title).toContain('Mousepad');
  const field = observation.elements.find(({ role }) => role === 'textbox');
  expect(field).toMatchObject({ interactive: true, value: 'hello', state: { focused: true } });
  expect(observation.focused).toBe(field?.index);
  const menu = observation.elements.find(({ name }) => name === 'File');
  expect(menu).toMatchObject({ role: 'menuitem', interactive: true });
  expect(menu?.bounds.width).toBeGreaterThan(10);
}, 60_000);

test('an element at a point is described by a locator that finds it', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const { elements, viewport } = await surface.observe({}, contextWithin(20));
  const bounds = elements.find(({ name }) => name === 'Edit')?.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
  const point = {
    x: ((bounds.x + bounds.width / 2) / viewport.width) * 1000,
    y: ((bounds.y + bounds.height / 2) / viewport.height) * 1000,
  };
  expect(await surface.describeElement({ point }, contextWithin(20))).toMatchObject({
    locators: [
      { role: 'menuitem', name: 'Edit', exact: true },
      { text: 'Edit', exact: true },
    ],
    isSecret: false,
  });
  const { located } = await act({ action: 'hover', target: { text: 'Edit', exact: true } });
  expect(located?.alternatives?.[0]).toEqual({ role: 'menuitem', name: 'Edit', exact: true });
}, 60_000);

test('extract fails for a text above its limit instead of cutting it', async () => {
  const file = join(kit.sharedFolder, 'long.txt');
  await writeFile(file, 'a line of fifty characters, with its line break .\n'.repeat(20_001));
  await act({ action: 'openApp', app: 'org.xfce.mousepad', args: [file] }, 40);
  await act({ action: 'waitFor', condition: { text: 'a line of fifty' } }, 40);
  await expect(act({ action: 'extract', target: { role: 'textbox' }, value: {} })).rejects.toThrow(
    'the whole text could not be read; extract parts of it',
  );
  await rm(file);
}, 120_000);

test('extract reads the whole text of a field, typed values and lists', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const text = `Total: 1,234.50 EUR\n${'long line '.repeat(80)}end`;
  await act({ action: 'type', text });
  const target = { role: 'textbox' };
  expect(await act({ action: 'extract', target, value: {} })).toMatchObject({
    value: text,
    located: { alternatives: expect.arrayContaining([{ role: 'textbox' }]) },
  });
  const amount = { type: 'number' as const, pattern: 'Total: ([0-9.,]+)' };
  expect((await act({ action: 'extract', target, locale: 'en', value: amount })).value).toBe(1234.5);
  const { value: menus } = await act({ action: 'extract', target: { role: 'menuitem' }, list: {} });
  expect(menus).toEqual(expect.arrayContaining(['File', 'Edit', 'Search']));
  const missing = { role: 'button', name: 'Missing' };
  expect((await act({ action: 'extract', target: missing, value: { optional: true } })).value).toBeNull();
  await expect(act({ action: 'extract', target, value: { css: 'b' } })).rejects.toMatchObject({
    code: 'ACTION_UNSUPPORTED',
    message: 'On a desktop `extract` reads the text of its target; remove `css`',
  });
  await expect(act({ action: 'extract', target, value: { type: 'date' } })).rejects.toMatchObject({
    code: 'EXTRACTION_FAILED',
  });
}, 60_000);

test('a menu is opened by its path and its entry is clicked', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: 'one' });
  await act({ action: 'click', target: { role: 'menuitem', name: 'Edit', exact: true } });
  await act({ action: 'click', target: { role: 'menuitem', name: 'Select All', exact: true } });
  await act({ action: 'type', text: 'two' });
  await act({ action: 'waitFor', condition: { visible: { text: 'two', exact: true } } });
}, 60_000);

test('a double click selects a word, and a right click opens the menu of the place', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: 'lighthouse' });
  const { elements, viewport } = await surface.observe({}, contextWithin(20));
  const { x, y } = elements.find(({ role }) => role === 'textbox')?.bounds ?? { x: 0, y: 0 };
  // Within the first word of the first line.
  const word = { point: { x: ((x + 40) / viewport.width) * 1000, y: ((y + 12) / viewport.height) * 1000 } };
  await act({ action: 'click', target: word, count: 2 });
  await act({ action: 'press', key: 'Control+C' });
  expect((await act({ action: 'readClipboard' })).value).toBe('lighthouse');
  await act({ action: 'click', target: word, button: 'right' });
  await act({ action: 'click', target: { role: 'menuitem', name: 'Cut', exact: true } });
  await until('the word is cut', async () => {
    const observation = await surface.observe({}, contextWithin(20));
    return observation.elements.find(({ role }) => role === 'textbox')?.value === '';
  });
}, 60_000);

test('a pointer that rests on an entry of a menu opens its submenu', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'click', target: { role: 'menuitem', name: 'Document', exact: true } });
  const entry = { role: 'menuitem', name: 'Unix' };
  expect(await surface.isMet({ visible: entry }, contextWithin(10))).toBe(false);
  await act({ action: 'hover', target: { role: 'menuitem', name: 'Line Ending', exact: true } });
  await act({ action: 'waitFor', condition: { visible: entry } });
}, 60_000);

test('the clipboard carries text between the run and an application', async () => {
  await act({ action: 'writeClipboard', text: 'from the run ✓' });
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'press', key: 'Control+V' });
  await act({ action: 'waitFor', condition: { visible: { text: 'from the run ✓', exact: true } } });
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  const { value } = await act({ action: 'readClipboard' });
  expect(value).toBe('from the run ✓');
}, 60_000);

test('pasting a text does not change the clipboard', async () => {
  await act({ action: 'writeClipboard', text: 'before' });
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const long = 'emoji 😀 line\n'.repeat(60);
  await act({ action: 'type', text: long });
  await act({ action: 'waitFor', condition: { text: 'emoji 😀 line' } });
  const { value } = await act({ action: 'readClipboard' });
  expect(value).toBe('before');
}, 60_000);

test('activates a background window', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'openApp', app: 'featherpad' });
  expect((await surface.anchors(contextWithin(20))).url).toMatch(/^app:\/\/featherpad\//);
  await act({ action: 'switchWindow', app: 'mousepad' });
  expect((await surface.anchors(contextWithin(20))).url).toMatch(/^app:\/\/mousepad\//);
  await act({ action: 'closeWindow', app: 'featherpad' });
  await expect(act({ action: 'switchWindow', app: 'featherpad' }, 1)).rejects.toMatchObject({
    code: 'TARGET_NOT_FOUND',
  });
}, 60_000);

test('text is exact in an editor of Qt', async () => {
  await act({ action: 'openApp', app: 'featherpad' });
  await act({ action: 'type', text: MIXED });
  await act({ action: 'waitFor', condition: { text: MIXED } });
}, 60_000);

test('a screenshot shows the window, and changes when text is typed', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const screenshot = async () => (await act({ action: 'screenshot' })).screenshot;
  const originalImage = await screenshot();
  expect(originalImage).toMatchObject({ width: 1280, height: 800, contentType: 'image/jpeg' });
  await act({ action: 'type', text: 'visible' });
  const changedImage = await screenshot();
  const { elements } = await surface.observe({}, contextWithin(20));
  const { x, y } = elements.find(({ role }) => role === 'textbox')?.bounds ?? { x: 0, y: 0 };
  const [first, second] = [pixelsOf(originalImage?.body ?? ''), pixelsOf(changedImage?.body ?? '')];
  const offsets = Array.from({ length: 60 * 15 }, (_, index) => [index % 60, Math.floor(index / 60)] as const);
  const changed = offsets.filter(([dx, dy]) => first.at(x + dx, y + dy).join() !== second.at(x + dx, y + dy).join());
  expect(changed.length).toBeGreaterThan(50);
}, 60_000);

test('an action that a desktop does not have is refused', async () => {
  await expect(act({ action: 'navigate', url: 'https://example.org' })).rejects.toMatchObject({
    code: 'ACTION_UNSUPPORTED',
  });
  await expect(act({ action: 'click', target: { css: '#a' } }, 2)).rejects.toMatchObject({
    code: 'ACTION_UNSUPPORTED',
  });
});

test('an application that is not installed is named in the error', async () => {
  await expect(act({ action: 'openApp', app: 'no-such-app' })).rejects.toThrow(
    /Application "no-such-app" not found; installed: .*org\.xfce\.mousepad/,
  );
});

test('opens an application by name; other windows stay in the list', async () => {
  const empty = await surface.observe({}, contextWithin(20));
  expect(empty.applications).toContainEqual({ id: 'org.xfce.mousepad', name: 'Mousepad' });
  await act({ action: 'openApp', app: 'Mousepad' });
  await act({ action: 'openApp', app: 'FeatherPad' });
  const observation = await surface.observe({}, contextWithin(20));
  expect(observation.url).toMatch(/^app:\/\/featherpad\//);
  expect(observation.windows).toEqual([{ app: 'mousepad', title: expect.stringContaining('Mousepad') }]);
  expect(observation.applications).toBeUndefined();
}, 60_000);

test('an option of an application is refused', async () => {
  const open = act({ action: 'openApp', app: 'org.xfce.mousepad', args: ['--quit'] });
  await expect(open).rejects.toThrow('"--quit" is not a file or URL: options are not supported');
});

test('a missing element fails at the deadline with its locator', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const missing = act({ action: 'click', target: { role: 'button', name: 'Nope' } }, 2);
  await expect(missing).rejects.toThrow(PilothouseError);
  await expect(missing).rejects.toThrow('role=button[name="Nope"] is not in the active window');
}, 60_000);
