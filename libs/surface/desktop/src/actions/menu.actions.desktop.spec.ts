import type { SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/** A file dialog of GTK 3 that stays open while a dialog asks for options of the format, as in GIMP. */
const EXPORTER = `import gi
gi.require_version('Gtk', '3.0')
from gi.repository import Gtk
dialog = Gtk.FileChooserDialog(title='Export Image', action=Gtk.FileChooserAction.SAVE)
dialog.add_buttons('Cancel', Gtk.ResponseType.CANCEL, 'Export', Gtk.ResponseType.OK)
dialog.set_default_response(Gtk.ResponseType.OK)
options = Gtk.Dialog(title='Options', transient_for=dialog)
options.add_buttons('Back', Gtk.ResponseType.CANCEL, 'Write', Gtk.ResponseType.OK)
options.get_content_area().add(Gtk.SpinButton.new_with_range(0, 9, 1))
def write(*_):
    open(dialog.get_filename(), 'w').write('image')
    Gtk.main_quit()
options.connect('response', write)
dialog.connect('response', lambda *_: options.show_all())
dialog.show()
Gtk.main()
`;

let kit: DesktopKit;
let surface: DesktopSurface;
let folder: string;
let files: SurfaceFile[];
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit({ commands: { exporter: ['/usr/bin/python3', '-c', EXPORTER] } });
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-attempt-'));
  files = [];
  const onFile = (file: SurfaceFile) => void files.push(file);
  surface = await kit.host.open({ folder, onFile }, contextWithin(60));
}, 60_000);
afterEach(async () => {
  await surface.close();
  await rm(folder, { recursive: true });
});

interface Application {
  readonly app: string;
  readonly saveAs: readonly [string, ...string[]];
  readonly menu: readonly [string, ...string[]];
  /** Name of the file. */
  readonly file: string;
}

const applications: readonly Application[] = [
  { app: 'org.xfce.mousepad', saveAs: ['File', 'Save As…'], menu: ['Edit'], file: 'gtk3.txt' },
  { app: 'featherpad', saveAs: ['File', 'Save As'], menu: ['Edit'], file: 'qt5.txt' },
  { app: 'org.gnome.TextEditor', saveAs: ['Menu', 'Save As'], menu: ['Menu'], file: 'gtk4.txt' },
  { app: 'libreoffice-writer', saveAs: ['File', 'Save As'], menu: ['Format', 'Text'], file: 'writer.odt' },
];

const open = async (app: string) => {
  await act({ action: 'openApp', app }, 60);
  if (app !== 'libreoffice-writer') return act({ action: 'waitFor', condition: { visible: { role: 'textbox' } } });
  await act({ action: 'waitFor', condition: { title: 'Tip of the Day' } }, 60);
  return act({ action: 'press', key: 'Escape' });
};

/** GTK 4 leaves the focus on the button of the menu. */
const focusText = async (app: string) => {
  if (app === 'org.gnome.TextEditor') await act({ action: 'click', target: { role: 'textbox' } });
};

test.each(applications)(
  '$app: a menu entry opens the dialog that saves the file, once and again',
  async ({ app, saveAs, file }) => {
    await open(app);
    const typeAndSee = async (text: string) => {
      await act({ action: 'type', text }, 30);
      // A text that is lost or late is not to be saved: a busy editor leaves it unverified.
      await act({ action: 'waitFor', condition: { text: text.trim() } }, 30);
    };
    await typeAndSee('First');
    await act({ action: 'selectMenuItem', items: [...saveAs] }, 30);
    const saved = await act({ action: 'fillFileDialog', path: file }, 30);
    expect(saved.value).toEqual({ path: expect.stringMatching(new RegExp(`/home/${file}$`)), exists: true });
    expect((await act({ action: 'collectFile', path: file })).value).toMatchObject({ path: file, name: file });
    await focusText(app);
    await typeAndSee(' second');
    await act({ action: 'selectMenuItem', items: [...saveAs] }, 30);
    await act({ action: 'fillFileDialog', path: file, overwrite: true }, 30);
    await act({ action: 'collectFile', glob: `*${file}` });
    const [original, edited] = await Promise.all(files.map(({ path }) => readFile(path)));
    expect(files.map(({ kind, name }) => [kind, name])).toEqual([
      ['download', file],
      ['download', file],
    ]);
    expect(original?.length).toBeGreaterThan(4);
    expect(edited?.equals(original ?? Buffer.alloc(0))).toBe(false);
    if (file.endsWith('.txt')) expect(edited?.toString()).toMatch(/^First\s+second\s*$/);
  },
  180_000,
);

test.each(applications)(
  '$app: the error of a missing entry lists the existing ones',
  async ({ app, menu }) => {
    await open(app);
    await expect(act({ action: 'selectMenuItem', items: [...menu, 'Nope'] }, 30)).rejects.toThrow(
      /^The menu ".+" has no entry "Nope"\. There are ".+", ".+"/,
    );
    // The menus are closed again, and the focus has left the menu bar: keys reach the text.
    await focusText(app);
    expect(await act({ action: 'type', text: 'Typed' }, 30)).toMatchObject({ effect: 'confirmed' });
    await act({ action: 'waitFor', condition: { text: 'Typed' } });
  },
  120_000,
);

test('an entry of the third level is chosen, and a disabled one is refused', async () => {
  await open('org.xfce.mousepad');
  await act({ action: 'type', text: 'upper' });
  await act({ action: 'selectMenuItem', items: ['Edit', 'Select All'] });
  await act({ action: 'selectMenuItem', items: ['Edit', 'Convert', 'To Uppercase'] });
  await act({ action: 'waitFor', condition: { visible: { text: 'UPPER', exact: true } } });
  await expect(act({ action: 'selectMenuItem', items: ['Edit', 'Redo'] })).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: 'The menu entry "Redo" is disabled',
  });
  await expect(act({ action: 'selectMenuItem', items: ['Fiel'] }, 2)).rejects.toThrow(
    'The active window has no menu "Fiel". There are "File", "Edit"',
  );
}, 60_000);

test('a dialog without the menu stays open', async () => {
  await open('org.xfce.mousepad');
  await act({ action: 'press', key: 'Control+Shift+S' });
  await act({ action: 'waitFor', condition: { title: 'Save As' } });
  await expect(act({ action: 'selectMenuItem', items: ['Nope', 'Entry'] }, 2)).rejects.toMatchObject({
    code: 'TARGET_NOT_FOUND',
  });
  await act({ action: 'fill', target: { label: 'Name' }, text: 'report.txt' });
}, 60_000);

test('an existing file is not replaced unless the step requests it', async () => {
  const source = join(folder, 'given.txt');
  await writeFile(source, 'given');
  await act({ action: 'putFile', file: source, path: 'notes/given.txt' });
  await open('org.xfce.mousepad');
  await act({ action: 'type', text: 'typed' });
  await act({ action: 'press', key: 'Control+S' });
  await expect(act({ action: 'fillFileDialog', path: 'notes/given.txt' })).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: '"notes/given.txt" exists: set `overwrite: true` to replace it',
  });
  await act({ action: 'collectFile', path: 'notes/given.txt' });
  expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('given');
}, 60_000);

test('the folder of a new file is created', async () => {
  for (const [app, file] of [
    ['org.xfce.mousepad', 'Documents/new/gtk.txt'],
    ['featherpad', 'Documents/qt.txt'],
  ] as const) {
    await open(app);
    await act({ action: 'type', text: 'some words' });
    await act({ action: 'press', key: 'Control+S' });
    expect((await act({ action: 'fillFileDialog', path: file }, 30)).value).toMatchObject({ exists: true });
    expect((await act({ action: 'collectFile', path: file })).value).toMatchObject({ path: file });
  }
}, 90_000);

test.each<[string, RegExp]>([
  ['org.xfce.mousepad', /The file is not written yet: the window "Save Changes" asks first/],
  ['featherpad', /locked\/new\.txt/],
])(
  '%s: a file that cannot be written is not reported as saved',
  async (app, message) => {
    const source = join(folder, 'given.txt');
    await writeFile(source, 'given');
    const { value } = await act({ action: 'putFile', file: source, path: 'locked/given.txt' });
    const locked = dirname((value as { path: string }).path);
    await chown(locked, 0, 0);
    await chmod(locked, 0o555);
    await open(app);
    await act({ action: 'type', text: 'some words' });
    await act({ action: 'press', key: 'Control+S' });
    const saving = act({ action: 'fillFileDialog', path: 'locked/new.txt' }, 15);
    const problem = await saving.then(
      ({ effect, effectReason }) => `${effect}: ${effectReason}`,
      (error: Error) => error.message,
    );
    expect(problem).toMatch(message);
    expect(problem).not.toContain(dirname(locked));
  },
  90_000,
);

test('a given file is opened by the dialog', async () => {
  const source = join(folder, 'given.txt');
  await writeFile(source, 'given by the run');
  expect((await act({ action: 'putFile', file: source })).value).toEqual({
    path: expect.stringMatching(/\/home\/given\.txt$/),
  });
  for (const app of ['org.xfce.mousepad', 'featherpad']) {
    await open(app);
    await act({ action: 'press', key: 'Control+O' });
    await act({ action: 'fillFileDialog', path: 'given.txt' });
    await act({ action: 'waitFor', condition: { text: 'given by the run' } });
    await act({ action: 'closeWindow', app });
  }
}, 90_000);

test('a step without a dialog fails, and a path outside the home folder is refused', async () => {
  await open('org.xfce.mousepad');
  await expect(act({ action: 'fillFileDialog', path: 'a.txt' }, 2)).rejects.toThrow('No file dialog is open');
  await act({ action: 'press', key: 'Control+S' });
  await expect(act({ action: 'fillFileDialog', path: '/etc/a.txt' })).rejects.toThrow(
    '"/etc/a.txt" is outside the home folder of the run',
  );
}, 60_000);

test('a file dialog that stays open below its options leaves them to the next step', async () => {
  await act({ action: 'openApp', app: 'exporter' }, 30);
  const { value, effect, effectReason } = await act({ action: 'fillFileDialog', path: 'out/photo.txt' });
  expect(value).toMatchObject({ exists: false });
  expect({ effect, effectReason }).toEqual({
    effect: 'unverifiable',
    effectReason: expect.stringContaining('"Options" asks first'),
  });
  await act({ action: 'click', target: { role: 'button', name: 'Write' } });
  expect(await act({ action: 'collectFile', path: 'out/photo.txt' })).toMatchObject({ value: { name: 'photo.txt' } });
}, 60_000);
