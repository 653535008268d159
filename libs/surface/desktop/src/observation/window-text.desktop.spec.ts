import { until } from '@pilothouse/testing/test-helpers';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/* The text of a whole window, beyond what is in view. */

/** A list that scrolls, a page behind another one, and fields. */
const RECORDS = `import gi
gi.require_version('Gtk', '3.0')
from gi.repository import GLib, Gtk

GLib.set_prgname('records')
window = Gtk.Window(title='Records')
window.set_default_size(400, 300)
pages = Gtk.Notebook()
window.add(pages)
scrolled = Gtk.ScrolledWindow()
rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
scrolled.add(rows)
for number in range(1, 81):
    rows.add(Gtk.Label(label='Record %d' % number))
password = Gtk.Entry(visibility=False, text='hidden-password')
shown = Gtk.Entry(text='typed-below')
rows.add(password)
rows.add(shown)
pages.append_page(scrolled, Gtk.Label(label='List'))
pages.append_page(Gtk.Label(label='Behind the list'), Gtk.Label(label='Other'))
window.connect('destroy', Gtk.main_quit)
window.show_all()
Gtk.main()
`;

let programs: string;
let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);
const observePage = () => surface.observe({ level: 'page' }, contextWithin(20));

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'pilothouse-records-'));
  // Users of sessions read the program.
  await chmod(programs, 0o755);
  const program = join(programs, 'records.py');
  await writeFile(program, RECORDS);
  kit = await startDesktopKit({ commands: { records: ['/usr/bin/python3', program] } });
}, 60_000);
afterAll(async () => {
  await rm(programs, { recursive: true, force: true });
  expect(await kit.close()).toMatchObject({ pids: [] });
}, 30_000);

beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

test('the whole text of an editor is read, only at the level `page`', async () => {
  const lines = Array.from({ length: 400 }, (_, index) => `entry number ${index + 1}`);
  await act({ action: 'openApp', app: 'org.xfce.mousepad' }, 60);
  await act({ action: 'type', text: lines.join('\n') }, 60);
  const page = await until('the text is read', async () => {
    const observation = await observePage();
    return observation.text?.text.includes('entry number 400') && observation;
  });
  expect(page.text?.isRecognized).toBeUndefined();
  expect(JSON.stringify(page.elements)).not.toContain('entry number 400');
  expect((await surface.observe({}, contextWithin(20))).text).toBeUndefined();
  const { value } = await act({ action: 'observe', level: 'page' });
  expect(value).toContain('entry number 400');
}, 120_000);

test('a list is read to its end, without pages behind it, passwords and fields out of view', async () => {
  await act({ action: 'openApp', app: 'records' }, 60);
  await act({ action: 'waitFor', condition: { title: 'Records' } }, 60);
  const { text, elements } = await until('the list is read', async () => {
    const observation = await observePage();
    return observation.text?.text.includes('Record 80') && observation;
  });
  const lines = text?.text.split('\n') ?? [];
  expect(lines).toEqual(expect.arrayContaining(['List', 'Other', 'Record 1', 'Record 40', 'Record 80']));
  expect(elements.map(({ name }) => name)).not.toContain('Record 80');
  for (const hidden of ['Behind the list', 'hidden-password', 'typed-below']) expect(text?.text).not.toContain(hidden);
}, 120_000);

test('the wheel scrolls a list under the pointer, down and up again', async () => {
  await act({ action: 'openApp', app: 'records' }, 60);
  const record = (number: number) => ({ text: `Record ${number}`, exact: true });
  await act({ action: 'waitFor', condition: { visible: record(1), hidden: record(80) } }, 60);
  await act({ action: 'scroll', target: record(2), by: { x: 0, y: 3_000 } });
  await act({ action: 'waitFor', condition: { visible: record(80), hidden: record(1) } });
  await act({ action: 'scroll', target: record(80), by: { x: 0, y: -3_000 } });
  await act({ action: 'waitFor', condition: { visible: record(1), hidden: record(80) } });
}, 120_000);

test('the text of a window without objects is recognized in its screenshot', async () => {
  await act({ action: 'openApp', app: 'debian-xterm' }, 60);
  await act({ action: 'type', text: 'clear; echo Invoice number $((4000 + 711))\n' }, 60);
  await act({ action: 'waitFor', condition: { text: 'Invoice number 4711' } }, 60);
  const { text, elements } = await observePage();
  expect(elements).toEqual([]);
  expect(text).toMatchObject({ isRecognized: true, text: expect.stringContaining('Invoice number 4711') });
}, 120_000);

test('an application that hangs costs the deadline of the read only', async () => {
  await act({ action: 'openApp', app: 'records' }, 60);
  await act({ action: 'waitFor', condition: { visible: { text: 'Record 1', exact: true } } }, 60);
  const [pid] = await kit.pidsOf('records');
  process.kill(pid ?? 0, 'SIGSTOP');
  const startedAt = performance.now();
  const { incomplete, text } = await observePage();
  process.kill(pid ?? 0, 'SIGCONT');
  expect(performance.now() - startedAt).toBeLessThan(12_000);
  expect(incomplete?.reason).toMatch(/unresponsive|timeout/);
  expect(text?.text ?? '').not.toContain('Record 80');
}, 120_000);
