import { poll } from '@pilothouse/core/time/deadlines';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actor, contextWithin, startDesktopKit } from '../testing/desktop.fixture.ts';
import { sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';
import type { WindowFacts } from '../x/window-manager.ts';
import { startMachineSession } from '../session/machine-session.ts';
import { noIsolation } from '../process/session-isolation.ts';
import { defaultSessionOptions } from '../process/session-options.ts';

/** A wizard whose pages have their button at one place. It is busy while it turns a page, and a double click turns one only. */
const WIZARD = `import time
import gi
gi.require_version('Gtk', '3.0')
from gi.repository import Gdk, GLib, Gtk
GLib.set_prgname('wizard')
window, box, button, page = Gtk.Window(title='Wizard'), Gtk.Box(), Gtk.Button(label='Continue'), Gtk.Label(label='page 1')
def press(_, event):
    if event.type != Gdk.EventType.BUTTON_PRESS or event.time - press.last < 400:
        return True
    press.last = event.time
    time.sleep(0.3)
    page.set_text('page %d' % (int(page.get_text().split()[1]) + 1))
    return True
press.last = -1000
button.connect('button-press-event', press)
box.add(button)
box.add(page)
window.add(box)
window.show_all()
Gtk.main()
`;

test('two clicks at one place turn two pages of a busy wizard', async () => {
  const kit = await startDesktopKit({ commands: { wizard: ['/usr/bin/python3', '-c', WIZARD] } });
  const surface = await kit.open();
  const act = actor(() => surface);
  try {
    await act({ action: 'openApp', app: 'wizard' }, 60);
    for (const page of [3, 5, 7]) {
      for (const _ of [1, 2]) await act({ action: 'click', target: { role: 'button', name: 'Continue' } });
      await act({ action: 'waitFor', condition: { text: `page ${page}` } });
    }
  } finally {
    await surface.close();
    await kit.close();
  }
}, 120_000);

test('nothing is pressed on a window that moved or is covered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-press-'));
  const launcher = await sessionLauncher();
  const options = { ...defaultSessionOptions, folder, environment: {}, egress: null };
  const client = await startMachineSession(launcher, options, noIsolation);
  const activeWindow = (app: string): Promise<WindowFacts | undefined> =>
    poll(async () => {
      const window = await client.call('activeWindow', null);
      return window?.appId === app ? window : undefined;
    }, contextWithin(30));
  try {
    await client.call('openApp', { app: 'org.xfce.mousepad', files: [] });
    const window = await activeWindow('mousepad');
    if (!window) throw new Error('The editor opened no window');
    const point = { x: window.bounds.x + 200, y: window.bounds.y + 200 };
    const click = (bounds: WindowFacts['bounds']) =>
      client.call('click', {
        ...{ point, button: 'left', count: 1, modifiers: [] },
        ...{ window: { id: window.id, bounds }, source: null, field: null },
      });
    expect(await click(window.bounds)).toBe('pressed');
    expect(await click({ ...window.bounds, x: window.bounds.x + 1 })).toBe('obstructed');
    await client.call('openApp', { app: 'debian-xterm', files: [] });
    const cover = await activeWindow('xterm');
    await client.call('moveResizeWindow', {
      id: cover?.id ?? 0,
      bounds: { ...window.bounds, width: 500, height: 300 },
    });
    expect(await click(window.bounds)).toBe('obstructed');
    // The terminal still has the focus: neither it nor the editor was pressed.
    expect((await client.call('activeWindow', null))?.appId).toBe('xterm');
    await client.call('activate', { id: window.id });
    expect(await click(window.bounds)).toBe('pressed');
  } finally {
    await client.stop();
    await rm(folder, { recursive: true, force: true });
  }
}, 90_000);
