import type { DesktopProfile } from '@pilothouse/contract/workflow/desktop-options.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

let kit: DesktopKit;
let uploads: string;
beforeAll(async () => {
  kit = await startDesktopKit();
  uploads = await mkdtemp(join(tmpdir(), 'uploads-'));
}, 60_000);
afterAll(async () => {
  expect(await kit.close()).toEqual({ files: [], pids: [] });
  await rm(uploads, { recursive: true });
}, 30_000);

const open = (profile: DesktopProfile) =>
  kit.open({ desktop: { profile }, file: async (upload) => join(uploads, upload) });

test('the first step finds the files, the applications and the windows of the profile', async () => {
  await writeFile(join(uploads, 'upload-1'), 'from an upload ✓');
  const surface = await open({
    files: [
      { path: 'Documents/lists/inline.txt', text: 'from the workflow ✓' },
      { path: 'upload.txt', upload: 'upload-1' },
    ],
    applications: [
      { app: 'org.xfce.mousepad', args: ['Documents/lists/inline.txt'] },
      { app: 'featherpad', args: ['upload.txt'] },
    ],
    ready: [
      { app: 'org.xfce.mousepad', window: 'inline.txt' },
      { app: 'featherpad', window: 'upload.txt' },
    ],
  });
  const act = actor(() => surface);
  await act({ action: 'switchWindow', app: 'mousepad' });
  await act({ action: 'waitFor', condition: { visible: { text: 'from the workflow ✓', exact: true } } });
  await act({ action: 'switchWindow', app: 'featherpad' });
  await act({ action: 'waitFor', condition: { text: 'from an upload ✓' } });
  await surface.close();
}, 90_000);

test('a window that does not open is named with the windows that are open', async () => {
  const opening = open({
    applications: [{ app: 'org.xfce.mousepad' }],
    ready: [{ app: 'org.xfce.mousepad' }, { window: 'prices.ods' }],
    readyTimeout: 10,
  });
  await expect(opening).rejects.toMatchObject({
    code: 'CONDITION_NOT_MET',
    message: expect.stringMatching(
      /no window \{"window":"prices.ods"\} opened within 10 s; open windows: ".*Mousepad"/,
    ),
  });
}, 60_000);

test('a program that is not installed is named', async () => {
  await expect(open({ applications: [{ app: 'no-such-app' }] })).rejects.toMatchObject({
    code: 'ACTION_UNSUPPORTED',
    message: expect.stringContaining('desktop.profile.applications: Application "no-such-app" not found'),
  });
}, 60_000);

test('the next run finds nothing of a profile', async () => {
  const first = await open({ files: [{ path: 'left.txt', text: 'x' }] });
  await first.close();
  const surface = await open({
    applications: [{ app: 'org.xfce.mousepad', args: ['left.txt'] }],
    ready: [{ window: 'left.txt' }],
  });
  // Mousepad opens a document for a file that does not exist: it is empty.
  const { elements } = await surface.observe({}, contextWithin(20));
  expect(elements.find(({ role }) => role === 'textbox')?.value ?? '').toBe('');
  await surface.close();
}, 60_000);

test.each([
  ['libreoffice-writer', 'teh "quotes" (c) 1st -- THe end. lower -> x'],
  ['libreoffice-calc', 'teh "quotes" (c) THe -- end. lower\nteh'],
])(
  'autocorrect: off leaves a text in %s as it was typed',
  async (app, text) => {
    const surface = await open({ autocorrect: 'off' });
    const act = actor(() => surface);
    await act({ action: 'openApp', app }, 90);
    await act({ action: 'waitFor', condition: { window: NAMES[app] ?? app, stableMs: 1_000 } }, 60);
    const closeTip = async () => {
      if (await surface.isMet({ title: 'Tip of the Day' }, contextWithin(20)))
        await act({ action: 'press', key: 'Escape' });
    };
    await closeTip();
    await act({ action: 'waitFor', condition: { title: NAMES[app] ?? app, stableMs: 500 } }, 60);
    await act({ action: 'type', text: `${text}\n` }, 60);
    if (app === 'libreoffice-writer') await act({ action: 'press', key: 'Control+A' });
    else {
      // Each line is in a cell of its own. Completion would repeat the first one.
      await act({ action: 'press', key: 'ArrowUp' });
      for (const _ of text.split('\n').slice(1)) await act({ action: 'press', key: 'Shift+ArrowUp' });
    }
    let copied = '';
    await until('the application has copied', async () => {
      // On a busy machine the tip opens later, and takes the keys.
      await closeTip();
      await act({ action: 'press', key: 'Control+C' });
      copied = String((await act({ action: 'readClipboard' })).value).trimEnd();
      return copied !== '';
    });
    expect(copied).toBe(text);
    await surface.close();
  },
  180_000,
);

const NAMES: Readonly<Record<string, string>> = {
  'libreoffice-writer': 'LibreOffice Writer',
  'libreoffice-calc': 'LibreOffice Calc',
};

test('a window counts for the id that opened it, in the profile and in later steps', async () => {
  const surface = await open({ applications: [{ app: 'debian-xterm' }], ready: [{ app: 'debian-xterm' }] });
  await actor(() => surface)({ action: 'waitFor', condition: { app: 'debian-xterm' } });
});
