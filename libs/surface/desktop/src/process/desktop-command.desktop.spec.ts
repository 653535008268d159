import { poll } from '@pilothouse/core/time/deadlines';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

const MIXED = 'Grüße – 5 € Ωμέγα ЖЯ 日本 "q" {}[]|~\\';

/** A text field of Tk, which publishes no accessible text. It writes its text to a file. */
const EDITOR = `
import sys, tkinter
window = tkinter.Tk(className='Ledger')
text = tkinter.Text(window)
def save(event):
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write(text.get('1.0', 'end-1c'))
    text.edit_modified(False)
text.bind('<<Modified>>', save)
text.pack()
text.focus_force()
window.mainloop()
`;

let kit: DesktopKit;
let surface: DesktopSurface;
let folder: string;
const act = actor(() => surface);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-command-'));
  // Programs of a session may have a separate user.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'editor.py'), EDITOR);
  kit = await startDesktopKit({
    // Programs start in their home folder.
    commands: { ledger: ['python3', join(folder, 'editor.py'), 'saved.txt'] },
  });
  surface = await kit.open();
}, 60_000);
afterAll(async () => {
  await surface.close();
  expect(await kit.close()).toEqual({ files: [], pids: [] });
  await rm(folder, { recursive: true });
}, 30_000);

test('opens an allowed command, and types into its text field without verification', async () => {
  const opened = await act({ action: 'openApp', app: 'ledger' }, 30);
  expect(opened.value).toMatchObject({ app: 'ledger' });
  expect(await act({ action: 'type', text: MIXED })).toMatchObject({
    effect: 'unverifiable',
    effectReason: 'The application publishes no text that can be read back',
  });
  const saved = async () => {
    const sessions = await readdir(kit.folder);
    const paths = sessions.map((session) => join(kit.folder, session, 'home/saved.txt'));
    return (await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')))).join('');
  };
  await poll(async () => ((await saved()) === MIXED ? true : undefined), contextWithin(10));
  expect(await saved()).toBe(MIXED);
}, 60_000);

test('rejects a command that is not allowed, and lists the allowed ones', async () => {
  await expect(act({ action: 'openApp', app: 'python3' })).rejects.toThrow(
    /^The desktop rejected the action: Application "python3" not found; installed: ledger, .* with PILOTHOUSE_DESKTOP_COMMANDS$/,
  );
});
