import type { Surface } from '@pilothouse/core/ports/surface.port';
import { surfaceConformance } from '@pilothouse/testing/conformance/surface-conformance';
import { chmod, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextWithin, startDesktopKit } from './testing/desktop.fixture.ts';

/** A counter of GTK 3. It writes its number and its note to files in the home folder. */
const COUNTER = `import gi, os
gi.require_version('Gtk', '3.0')
from gi.repository import GLib, Gtk

GLib.set_prgname('counter')

def write(name, text):
    with open(os.path.join(os.environ['HOME'], name), 'w') as file:
        file.write(text)

class Counter(Gtk.Window):
    def __init__(self):
        super().__init__(title='Counter')
        self.count = 0
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.add(box)
        box.add(Gtk.Label(label='Counter'))
        button = Gtk.Button(label='More')
        button.connect('clicked', self.add_one)
        box.add(button)
        label = Gtk.Label(label='_Note', use_underline=True)
        box.add(label)
        note = Gtk.Entry()
        label.set_mnemonic_widget(note)
        note.connect('changed', lambda entry: write('note', entry.get_text()))
        box.add(note)
        self.connect('destroy', Gtk.main_quit)
        write('count', '0')
        write('note', '')

    def add_one(self, button):
        self.count += 1
        write('count', str(self.count))

Counter().show_all()
Gtk.main()
`;

surfaceConformance('desktop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-counter-'));
  // Users of sessions read the program.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'counter.py'), COUNTER);
  const kit = await startDesktopKit({ commands: { counter: ['/usr/bin/python3', join(folder, 'counter.py')] } });
  const homes = new Map<Surface, string>();
  const read = (surface: Surface, name: string) => readFile(join(homes.get(surface) ?? '', name), 'utf8');

  return {
    host: kit.host,
    folder: kit.folder,
    placePattern: /^app:\/\/counter/,
    openCounter: async () => {
      const surface = await kit.open();
      const others = await kit.pidsOf('counter.py');
      await surface.act({ action: 'openApp', app: 'counter' }, contextWithin(30));
      const [pid] = (await kit.pidsOf('counter.py')).filter((each) => !others.includes(each));
      homes.set(surface, await readlink(`/proc/${pid}/cwd`));
      await surface.expect({ visible: { role: 'button', name: 'More' } }, contextWithin(20));
      return surface;
    },
    countOf: async (surface) => Number(await read(surface, 'count')),
    noteOf: (surface) => read(surface, 'note'),
    leaveTrace: async (surface) => {
      await surface.act({ action: 'writeClipboard', text: 'trace' }, contextWithin(10));
    },
    hasTrace: async (surface) => {
      const { value } = await surface.act({ action: 'readClipboard' }, contextWithin(10));
      return value === 'trace';
    },
    close: async () => {
      expect(await kit.close()).toEqual({ files: [], pids: [] });
      await rm(folder, { recursive: true });
    },
  };
});
