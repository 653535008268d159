import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/** Number of reads that must not crash an application or increase its memory. */
const READ_COUNT = 30;

/** Megabytes by which an application may grow meanwhile. */
const MAX_GROWTH_MB = 60;

const PAGE = `<!doctype html><title>Order form</title><h1>Order</h1><p>Please fill in.</p>
<form onsubmit="document.title='Sent '+n.value+' '+c.checked;return false"><label>Name <input id=n></label>
<label><input type=checkbox id=c> Express</label><label>Size <select><option>Small<option>Large</select></label>
<button>Send order</button></form>`;

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);
const observe = () => surface.observe({}, contextWithin(20));
/** Reads the active window until its list is complete. On a busy machine a read may exceed its limit of 1 s. */
const observeWhole = () =>
  until('the window is read whole', async () => {
    const observation = await observe();
    return observation.incomplete === undefined && observation;
  });
const find = async (wanted: Partial<ElementView>): Promise<ElementView | undefined> =>
  (await observe()).elements.find((element) =>
    Object.entries(wanted).every(([key, value]) => element[key as keyof ElementView] === value),
  );

beforeAll(async () => {
  kit = await startDesktopKit();
}, 60_000);
afterAll(async () => expect(await kit.close()).toMatchObject({ pids: [] }), 30_000);

beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

/** Opens an application of LibreOffice, and closes its tip of the day. */
async function openOffice(app: string, title: string): Promise<void> {
  await act({ action: 'openApp', app }, 60);
  await act({ action: 'waitFor', condition: { title: 'Tip of the Day' } }, 60);
  await act({ action: 'press', key: 'Escape' });
  await act({ action: 'waitFor', condition: { title } }, 60);
}

/** Reads the active window many times. @returns megabytes by which the process has grown */
async function readRepeatedly(command: string): Promise<number> {
  const [pid] = await kit.pidsOf(command);
  const memoryMb = async () =>
    Number(/VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;
  await observe();
  const initialMb = await memoryMb();
  for (let count = 0; count < READ_COUNT; count += 1) await observe();
  return (await memoryMb()) - initialMb;
}

test('a file manager of GTK 3 lists files as cells that can be selected', async () => {
  await act({ action: 'openApp', app: 'thunar' }, 40);
  const home = await until(
    'the location bar shows the home',
    async () => (await find({ role: 'textbox' }))?.value || null,
  );
  await writeFile(join(home, 'report.txt'), 'x');
  // The icon view publishes no entries, the list view does.
  await act({ action: 'press', key: 'Control+2' });
  await act({ action: 'click', target: { role: 'gridcell', name: 'report.txt', exact: true } });
  await act({ action: 'waitFor', condition: { text: '"report.txt"' } });
  const cell = await find({ role: 'gridcell', name: 'report.txt' });
  expect(cell).toMatchObject({ interactive: true, state: { selected: true } });
}, 60_000);

test('an editor of GTK 4 is clicked at the right place, and its menus are read', async () => {
  await act({ action: 'openApp', app: 'org.gnome.TextEditor' }, 40);
  await act({ action: 'click', target: { role: 'button', name: 'Menu', exact: true } });
  await act({ action: 'click', target: { text: 'Preferences', exact: true } });
  await act({ action: 'waitFor', condition: { visible: { text: 'Display Grid Pattern' } } });
  expect((await observe()).elements.filter(({ name }) => name.startsWith('Gtk'))).toEqual([]);
}, 60_000);

test.each(['org.xfce.mousepad', 'org.gnome.TextEditor', 'featherpad'])(
  'the caret of %s is no change of the screen',
  async (app) => {
    await act({ action: 'openApp', app }, 60);
    await act({ action: 'waitFor', condition: { stableMs: 500 } });
    await act({ action: 'type', text: 'Hello' });
    // Carets of GTK 3 stop blinking ten seconds after the last key.
    await act({ action: 'waitFor', condition: { stableMs: 3_000 } }, 9);
  },
  90_000,
);

test('OCR reads the word beside the caret of GTK 4', async () => {
  await act({ action: 'openApp', app: 'org.gnome.TextEditor' }, 60);
  // The beginning is also the title.
  await act({ action: 'type', text: `${'Beginning '.repeat(10)}\nHello quiet World` });
  await act({ action: 'waitFor', condition: { stableMs: 500 } });
  const { located } = await act({ action: 'hover', target: { screenText: 'World' } });
  expect(located?.locator).toBe('screenText="World"');
}, 90_000);

test.each([
  ['featherpad', 'featherpad'],
  ['org.kde.kate', 'kate'],
])(
  '%s of Qt 5 names its buttons, and reading does not end or grow it',
  async (app, command) => {
    await act({ action: 'openApp', app }, 60);
    await act({ action: 'waitFor', condition: { stableMs: 500 } });
    const { elements } = await observe();
    const buttons = elements.filter(({ role }) => role === 'button');
    expect(buttons.length).toBeGreaterThan(4);
    expect(buttons.filter(({ name, fallbackName }) => name === '' && fallbackName === undefined)).toEqual([]);
    expect(await readRepeatedly(command)).toBeLessThan(MAX_GROWTH_MB);
    expect(await kit.pidsOf(command)).not.toEqual([]);
  },
  90_000,
);

test('LibreOffice Writer is clicked at the right place', async () => {
  await openOffice('libreoffice-writer', 'LibreOffice Writer');
  await act({ action: 'type', text: 'Hello' });
  await act({ action: 'waitFor', condition: { text: 'Hello' } });
  await act({ action: 'click', target: { role: 'button', name: 'Bold', exact: true } });
  await act({ action: 'waitFor', condition: { stableMs: 300 } });
  expect(await find({ role: 'button', name: 'Bold' })).toMatchObject({ state: { pressed: true } });
  expect((await observe()).elements.filter(({ name, role }) => name === 'File' && role === 'menuitem')).toHaveLength(1);
  await act({ action: 'click', target: { role: 'button', name: 'Font Color menu', exact: true } });
  await act({ action: 'waitFor', condition: { visible: { role: 'button', name: 'Custom Color' } } });
  await act({ action: 'press', key: 'Escape' });
  await act({ action: 'click', target: { role: 'button', name: '1 word, 5 characters', exact: true } });
  await act({ action: 'waitFor', condition: { title: 'Word Count' } });
}, 120_000);

test('LibreOffice Calc has cells by name, and reading does not end or grow it', async () => {
  await openOffice('libreoffice-calc', 'LibreOffice Calc');
  await act({ action: 'click', target: { role: 'gridcell', name: 'B2', exact: true } }, 60);
  await act({ action: 'type', text: '40\n' });
  await act({ action: 'click', target: { role: 'gridcell', name: 'C7', exact: true } });
  await act({ action: 'type', text: '=B2+2\n' });
  const isSummed = { visible: { role: 'gridcell', name: 'C7', exact: true, pattern: 'C7' }, text: '42' };
  await act({ action: 'waitFor', condition: isSummed });
  const cell = (name: string) => ({ role: 'gridcell', name, exact: true });
  const fill = (name: string, text: string) => act({ action: 'fill', target: cell(name), text });
  const isOpen = { effect: 'unverifiable', effectReason: expect.stringContaining('entry of the cell has not ended') };
  // AutoCorrect changes a cell when its entry ends.
  expect(await fill('D2', 'teh\n')).toMatchObject({
    effect: 'unverifiable',
    effectReason: expect.stringContaining('first difference at character 2: "he" instead of "eh"'),
  });
  expect(await fill('D3', 'plain\n')).toMatchObject({ effect: 'confirmed' });
  // The cell shows the text before and after.
  expect(await fill('D3', 'plain\n')).toMatchObject({ effect: 'unverifiable' });
  // The whole sheet is not selected.
  await act({ action: 'fill', target: { role: 'gridcell', name: 'D3', exact: true }, text: ' or', append: true });
  expect(await act({ action: 'type', text: ' adn' })).toMatchObject({ effect: 'unverifiable' });
  await act({ action: 'press', key: 'Enter' });
  await act({ action: 'press', key: 'Delete' });
  await act({ action: 'click', target: cell('B4') });
  expect(await act({ action: 'type', text: 'teh' })).toMatchObject(isOpen);
  await act({ action: 'press', key: 'Enter' });
  // The text of an open editor is replaced or extended.
  expect(await fill('B5', 'old')).toMatchObject(isOpen);
  expect(await fill('B5', 'new')).toMatchObject(isOpen);
  await act({ action: 'fill', target: cell('B5'), text: 'er\n', append: true });
  await fill('B6', 'gone');
  expect(await act({ action: 'clear', target: cell('B6') })).toMatchObject(isOpen);
  await act({ action: 'press', key: 'Enter' });
  await fill('B7', 'gone\n');
  await act({ action: 'clear', target: cell('B7') });
  await fill('B8', 'kept\n');
  const { elements } = await observeWhole();
  const cells = elements
    .filter(({ role, value }) => role === 'gridcell' && value)
    .map(({ name, value }) => [name, value]);
  expect(cells).toEqual([
    ['B2', '40'],
    ['D2', 'the'],
    ['D3', 'plain or and'],
    ['B4', 'the'],
    ['B5', 'newer'],
    ['C7', '42'],
    ['B8', 'kept'],
  ]);
  expect(await readRepeatedly('soffice.bin')).toBeLessThan(MAX_GROWTH_MB);
  const [add, tab] = ['Add', 'Sheet1'].map((wanted) => elements.find(({ name }) => name === wanted)?.bounds);
  expect(add?.y).toBe(tab?.y);
}, 180_000);

test.each(['chromium', 'firefox-esr'])(
  'a page in %s is read with names and states, and operated',
  async (app) => {
    const file = join(kit.sharedFolder, 'order.html');
    await writeFile(file, PAGE);
    await act({ action: 'openApp', app, args: [`file://${file}`] }, 90);
    await act({ action: 'waitFor', condition: { text: 'Please fill in.' } }, 60);
    const { elements } = await observeWhole();
    expect(elements.find(({ role, name }) => role === 'combobox' && name === 'Size')).toMatchObject({ value: 'Small' });
    await act({ action: 'fill', target: { label: 'Name' }, text: 'Robin' });
    await act({ action: 'check', target: { role: 'checkbox', name: 'Express' } });
    await act({ action: 'click', target: { role: 'button', name: 'Send order' } });
    await act({ action: 'waitFor', condition: { title: 'Sent Robin true' } });
    await surface.close();
  },
  180_000,
);

test('a terminal without accessible objects is one region', async () => {
  await act({ action: 'openApp', app: 'debian-xterm' }, 40);
  const { elements, opaqueRegions } = await observeWhole();
  expect(elements).toEqual([]);
  expect(opaqueRegions).toMatchObject([{ kind: 'application' }]);
}, 60_000);
