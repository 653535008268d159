import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/** Fields of GTK 3 that change, reject or lose typed text. Each has its name as its accessible name. */
const FIELDS = `import gi
gi.require_version('Gtk', '3.0')
from gi.repository import GLib, Gtk

GLib.set_prgname('fields')
window = Gtk.Window(title='Fields')
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)

def add(name, change=None, **properties):
    entry = Gtk.Entry(**properties)
    entry.get_accessible().set_name(name)
    box.add(entry)
    if change is None:
        return
    def apply(entry):
        text = entry.get_text()
        if change(text) != text:
            entry.set_text(change(text))
            entry.set_position(-1)
    entry.connect('changed', apply)

add('full', max_length=3)
add('read-only', editable=False)
add('upper case', lambda text: text.upper())
add('no digits', lambda text: ''.join(each for each in text if not each.isdigit()))
add('curled quotes', lambda text: text.replace('"', '\\u201d'))
add('no emoji', lambda text: ''.join(each for each in text if ord(each) < 0x10000))
add('no letter e', lambda text: text.replace('e', ''))
add('single spaces', lambda text: text.replace('  ', ' '))
add('grouped', lambda text: '-'.join(part for part in (text[:4], text[4:].replace('-', '')) if part))
add('fixed', lambda text: '')

window.connect('destroy', Gtk.main_quit)
window.show_all()
Gtk.main()
`;

/** Texts that each field changes. */
const texts = ['a "quote"  9 e 😀', 'Ada "e"  7 😀', '2 kg "coffee"  🚀', 'Grüße "seven"  77 🎉', 'ёж "e"  日本 1 🙂'];

const fields = [
  'full',
  'read-only',
  'upper case',
  'no digits',
  'curled quotes',
  'no emoji',
  'no letter e',
  'single spaces',
  'grouped',
  'fixed',
];

let kit: DesktopKit;
let surface: DesktopSurface;
let folder: string;
const act = actor(() => surface);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-fields-'));
  // Users of sessions read the program.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'fields.py'), FIELDS);
  kit = await startDesktopKit({ commands: { fields: ['/usr/bin/python3', join(folder, 'fields.py')] } });
  surface = await kit.open();
  await act({ action: 'openApp', app: 'fields' }, 60);
}, 90_000);
afterAll(async () => {
  await surface.close();
  expect(await kit.close()).toEqual({ files: [], pids: [] });
  await rm(folder, { recursive: true });
}, 30_000);

/** Types into a field. @returns what the step says about the text */
async function readbackOf(field: string, text: string): Promise<string> {
  await act({ action: 'click', target: { role: 'textbox', name: field } });
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Delete' });
  try {
    return (await act({ action: 'type', text })).effect ?? 'none';
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'TYPED_TEXT_DIFFERS') return 'different';
    throw error;
  }
}

test.each(fields)(
  'no text that the field "%s" changes counts as delivered',
  async (field) => {
    const deliveries: string[] = [];
    for (const text of texts) deliveries.push(await readbackOf(field, text));
    expect(deliveries.filter((status) => status !== 'different' && status !== 'unverifiable')).toEqual([]);
  },
  60_000,
);
