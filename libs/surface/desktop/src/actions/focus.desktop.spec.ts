import { poll } from '@pilothouse/core/time/deadlines';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/**
 * Windows of GTK 3. `form`: rows of labels and fields; a field that starts a terminal by itself, one without a paste shortcut, and one that
 * closes typed brackets. `question`: a message with a focused button. `calculator`: a window that takes keys while its button has the focus,
 * and quits on q. `cover`: a button below another window of the program, which has no focus. `still`: a window that ignores keys. `cell`: the
 * first key opens a field, as in a sheet. `search`: Ctrl+H opens a dialog with a field, after a busy second.
 */
const PROGRAM = `import subprocess, sys, time
import gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, GLib, Gtk

kind = sys.argv[1]
GLib.set_prgname(kind)

def named(widget, name):
    widget.get_accessible().set_name(name)
    return widget

def form():
    window = Gtk.Window(title='Form')
    grid = Gtk.Grid(row_spacing=4, column_spacing=6)
    window.add(grid)
    title = named(Gtk.Entry(width_chars=50), 'first field')
    user = Gtk.ComboBoxText.new_with_entry()
    named(user.get_child(), 'second field')
    user.set_hexpand(False)
    late = named(Gtk.Entry(), 'starts a terminal')
    late.connect('changed', lambda entry: entry.get_text() == 'now' and subprocess.Popen(['setsid', '-f', 'xterm']))
    plain = named(Gtk.Entry(), 'no paste')
    plain.connect('paste-clipboard', lambda entry: entry.stop_emission_by_name('paste-clipboard'))
    editor = named(Gtk.Entry(), 'closes brackets')
    def close(entry, event):
        if event.string == '(':
            entry.emit('insert-at-cursor', '()')
            entry.emit('move-cursor', Gtk.MovementStep.VISUAL_POSITIONS, -1, False)
        return event.string == '('
    editor.connect('key-press-event', close)
    fields = [('Title:', title), ('User:', user), ('Only text:', Gtk.Label(label='fixed')), ('Late:', late), ('Plain:', plain), ('Code:', editor)]
    for row, (label, field) in enumerate(fields):
        grid.attach(Gtk.Label(label=label), 0, row, 1, 1)
        grid.attach(field, 1, row, 1, 1)
    return window

def question():
    dialog = Gtk.MessageDialog(text='Go on?', buttons=Gtk.ButtonsType.OK, title='Question')
    dialog.connect('response', lambda *_: Gtk.main_quit())
    return dialog

def calculator():
    window = Gtk.Window(title='Calculator')
    box = Gtk.Box()
    shown, button = Gtk.Label(label='sum '), Gtk.Button(label='five')
    box.add(button)
    box.add(shown)
    window.add(box)
    def take(_, event):
        if event.string == 'q':
            sys.exit()
        shown.set_text(shown.get_text() + (event.string if event.string in '0123456789+' else ''))
        return False
    window.connect('key-press-event', take)
    button.grab_focus()
    return window

def cover():
    window = Gtk.Window(title='Below')
    button = Gtk.Button(label='Press')
    button.connect('clicked', lambda each: each.set_label('Pressed'))
    button.set_size_request(300, 200)
    window.add(button)
    window.move(200, 200)
    above = Gtk.Window(title='Above', accept_focus=False)
    above.set_size_request(500, 400)
    above.set_keep_above(sys.argv[2] == 'kept')
    def show():
        above.show_all()
        above.move(150, 150)
        if len(sys.argv) > 3:
            GLib.timeout_add(int(sys.argv[3]), above.destroy)
    GLib.timeout_add(500, show)
    return window

def still():
    window = Gtk.Window(title='Still')
    area = Gtk.DrawingArea(can_focus=True)
    area.set_size_request(200, 100)
    window.add(area)
    area.grab_focus()
    return window

def cell():
    window = Gtk.Window(title='Cell')
    box = Gtk.Box()
    area = Gtk.DrawingArea(can_focus=True)
    area.set_size_request(200, 100)
    box.add(area)
    window.add(box)
    def edit(_, event):
        if not event.string.strip():
            return False
        entry = named(Gtk.Entry(text=event.string), 'cell')
        box.add(entry)
        entry.show()
        entry.grab_focus_without_selecting()
        entry.set_position(-1)
        return True
    area.connect('key-press-event', edit)
    area.grab_focus()
    return window

def search():
    window = Gtk.Window(title='Text')
    window.add(named(Gtk.Entry(), 'text'))
    def find(_, event):
        if event.keyval == Gdk.KEY_h and event.state & Gdk.ModifierType.CONTROL_MASK:
            time.sleep(1)
            dialog = Gtk.Dialog(title='Find', transient_for=window)
            dialog.get_content_area().add(named(Gtk.Entry(), 'find'))
            dialog.show_all()
            return True
        return False
    window.connect('key-press-event', find)
    return window

kinds = {'form': form, 'question': question, 'calculator': calculator, 'cover': cover}
kinds.update({'still': still, 'cell': cell, 'search': search})
window = kinds[kind]()
window.connect('destroy', Gtk.main_quit)
window.show_all()
Gtk.main()
`;

let kit: DesktopKit;
let surface: DesktopSurface;
let folder: string;
const act = actor(() => surface);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-focus-'));
  // Users of sessions read the program.
  await chmod(folder, 0o755);
  const program = join(folder, 'program.py');
  await writeFile(program, PROGRAM);
  const command = (...args: string[]) => ['/usr/bin/python3', program, ...args];
  kit = await startDesktopKit({
    commands: {
      form: command('form'),
      question: command('question'),
      calculator: command('calculator'),
      still: command('still'),
      cell: command('cell'),
      search: command('search'),
      covered: command('cover', 'normal'),
      'covered-for-long': command('cover', 'kept'),
      'covered-briefly': command('cover', 'kept', '3000'),
    },
  });
}, 60_000);
afterAll(async () => {
  expect(await kit.close()).toEqual({ files: [], pids: [] });
  await rm(folder, { recursive: true });
}, 30_000);
beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

const isMet = (condition: Parameters<DesktopSurface['isMet']>[0]) => surface.isMet(condition, contextWithin(10));

/** Waits without naming the window to the run. */
const waitUntilMet = (condition: Parameters<DesktopSurface['isMet']>[0]) =>
  poll(async () => (await isMet(condition)) || undefined, contextWithin(40));

const valueOf = async (name: string) =>
  (await act({ action: 'extract', target: { role: 'textbox', name }, value: {} })).value;

test('a field beside a label is that of its row', async () => {
  await act({ action: 'openApp', app: 'form' }, 60);
  const beside = (text: string) => ({ role: 'textbox', near: { text }, side: 'right' as const });
  await act({ action: 'fill', target: beside('Title:'), text: 'Bank' });
  await act({ action: 'fill', target: beside('User:'), text: 'ada' });
  expect([await valueOf('first field'), await valueOf('second field')]).toEqual(['Bank', 'ada']);
  await expect(act({ action: 'fill', target: beside('Only text:'), text: 'lost' }, 2)).rejects.toMatchObject({
    code: 'TARGET_NOT_FOUND',
  });
}, 120_000);

test('a text is not typed into a button with the focus; a line break presses it', async () => {
  await act({ action: 'openApp', app: 'question' }, 60);
  await act({ action: 'waitFor', condition: { visible: { role: 'button', name: 'OK' } } });
  await expect(act({ action: 'type', text: 'lost' }, 3)).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringMatching(/Nothing was typed: the button "OK" of the window .+ has the focus/),
  });
  await act({ action: 'type', text: '\n' });
  expect(await waitUntilMet({ hidden: { role: 'button', name: 'OK' } })).toBe(true);
}, 120_000);

test('a text waits for the program of the run, and does not go to a window that opened by itself', async () => {
  await act({ action: 'openApp', app: 'form' }, 60);
  await act({ action: 'fill', target: { role: 'textbox', name: 'starts a terminal' }, text: 'now' });
  await waitUntilMet({ app: 'xterm' });
  await expect(act({ action: 'type', text: 'lost' }, 3)).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringMatching(/of xterm has the focus instead of program/),
  });
  await act({ action: 'switchWindow', app: 'xterm' });
  await act({ action: 'type', text: 'exit\n' });
  await waitUntilMet({ hidden: { text: 'nothing', app: 'xterm' } });
  await poll(async () => !(await isMet({ app: 'xterm' })) || undefined, contextWithin(30));
  // The terminal has closed its windows: the form has the focus again.
  expect(await act({ action: 'type', text: '!' })).toMatchObject({ effect: 'confirmed' });
}, 180_000);

test('a window takes keys while its button has the focus, and may quit on one', async () => {
  await act({ action: 'openApp', app: 'calculator' }, 60);
  await act({ action: 'waitFor', condition: { visible: { role: 'button', name: 'five' } } });
  expect(await act({ action: 'type', text: '12+3' })).toMatchObject({
    effect: 'unverifiable',
    effectReason: 'No text field has the focus, only the button "five"',
  });
  expect(await waitUntilMet({ text: 'sum 12+3' })).toBe(true);
  await expect(act({ action: 'type', text: '4 5' }, 3)).rejects.toThrow(/Nothing was typed: the button "five"/);
  expect(await act({ action: 'type', text: 'q' })).toMatchObject({
    effect: 'unverifiable',
    effectReason: 'The window "Calculator" closed while the text was typed',
  });
}, 120_000);

test('a long text is pasted, or typed by keys into a field that takes no paste', async () => {
  await act({ action: 'openApp', app: 'form' }, 60);
  const text = 'iIl1|!oO0 AbCdEfGhIjKlMnOpQrStUvWxYz ~"$%&/()=? '.repeat(10);
  await act({ action: 'click', target: { role: 'textbox', name: 'no paste' } });
  expect(await act({ action: 'type', text }, 60)).toMatchObject({ effect: 'confirmed' });
  expect(await valueOf('no paste')).toBe(text);
  await act({ action: 'click', target: { role: 'textbox', name: 'closes brackets' } });
  expect(await act({ action: 'type', text }, 60)).toMatchObject({ effect: 'confirmed' });
}, 120_000);

test('a covered element is raised, or waited for', async () => {
  const press = { role: 'button', name: 'Press', exact: true };
  for (const app of ['covered', 'covered-briefly']) {
    await act({ action: 'openApp', app }, 60);
    await waitUntilMet({ window: 'Above' });
    await act({ action: 'click', target: { ...press, window: 'Below' } });
    expect(await waitUntilMet({ visible: { role: 'button', name: 'Pressed' } })).toBe(true);
    await act({ action: 'closeWindow', window: 'Below' });
    await poll(async () => !(await isMet({ window: 'Below' })) || undefined, contextWithin(20));
  }
  await act({ action: 'openApp', app: 'covered-for-long' }, 60);
  await waitUntilMet({ window: 'Above' });
  await expect(act({ action: 'click', target: { ...press, window: 'Below' } }, 3)).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringContaining('is covered by the window "Above"'),
  });
}, 180_000);

test('a text that no field takes and that changes nothing fails', async () => {
  await act({ action: 'openApp', app: 'still' }, 60);
  await act({ action: 'waitFor', condition: { title: 'Still', stableMs: 500 } }, 30);
  await expect(act({ action: 'type', text: 'lost words' }, 10)).rejects.toMatchObject({
    code: 'TYPED_TEXT_DIFFERS',
    message: expect.stringContaining('no field has the focus and nothing changed on the screen'),
  });
}, 120_000);

test('a text whose first key opens a field is delivered there', async () => {
  await act({ action: 'openApp', app: 'cell' }, 60);
  await act({ action: 'waitFor', condition: { title: 'Cell', stableMs: 500 } }, 30);
  expect(await act({ action: 'type', text: 'Total 42' })).toMatchObject({ effect: 'confirmed' });
  expect(await valueOf('cell')).toBe('Total 42');
}, 120_000);

test('a text waits for the dialog that the key before it opens in a busy application', async () => {
  await act({ action: 'openApp', app: 'search' }, 60);
  await act({ action: 'press', key: 'Control+H' });
  expect(await act({ action: 'type', text: 'words' })).toMatchObject({ effect: 'confirmed' });
  expect(await valueOf('find')).toBe('words');
}, 120_000);
