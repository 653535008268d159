import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DesktopActionContext } from '../action-context.ts';
import { filesNamed } from '../files/home-files.ts';
import { waitForFile } from './saved-file.ts';

let home: string;
const inHome = (name: string) => join(home, name);
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pilothouse-home-'));
});
afterEach(() => rm(home, { recursive: true }));

/** Looks once: the deadline of the step is past, and no window has the focus. */
const wait = (earlierFiles: Awaited<ReturnType<typeof filesNamed>>, isRequired: boolean) => {
  const call = async (name: string) => (name === 'filesNamed' ? filesNamed(home, 'notes') : null);
  const context = { session: { home, call }, signal: new AbortController().signal, deadline: 0 };
  return waitForFile(context as unknown as DesktopActionContext, { path: 'notes', earlierFiles, isRequired });
};

test('files of the name are listed, the newest extension first; folders and temporary files are none', async () => {
  for (const name of ['notes.old', 'notes', 'notes.txt', 'notes.tmp', 'notes.Ab12Cd', 'notes2.txt'])
    await writeFile(inHome(name), 'x');
  await mkdir(inHome('notes.d'));
  await utimes(inHome('notes.old'), 1, 1);
  expect((await filesNamed(home, 'notes')).map(({ path }) => path)).toEqual(
    ['notes', 'notes.txt', 'notes.old'].map(inHome),
  );
});

test.each(['notes', 'notes.txt'])(
  '%s from shortly before the dialog is not the saved file, until it changes',
  async (name) => {
    await writeFile(inHome(name), 'before');
    const earlierFiles = await filesNamed(home, 'notes');
    await expect(wait(earlierFiles, true)).rejects.toMatchObject({
      code: 'TARGET_NOT_ACTIONABLE',
      message: expect.stringContaining('"notes" was not written'),
    });
    await appendFile(inHome(name), ' and after');
    expect(await wait(earlierFiles, true)).toEqual({ path: inHome(name), reason: null });
  },
);

test('a file that the application may write later is not an error', async () => {
  expect(await wait([], false)).toEqual({ path: 'notes', reason: expect.stringContaining('is not written yet') });
});

test('a message with an icon and one button to close it is no question', async () => {
  const window = { id: 7, title: 'Error', isDialog: true };
  const listed = [
    { role: 'button', name: '', fallbackName: 'unnamed image 1', state: {} },
    { role: 'text', name: 'The disk is full', state: {} },
    { role: 'button', name: 'OK', state: {} },
  ];
  const call = async (name: string) => (name === 'filesNamed' ? [] : window);
  const screen = { read: async () => ({ tree: { window }, elements: listed }) };
  const context = { session: { home, call }, screen, signal: new AbortController().signal, deadline: 0 };
  const saved = waitForFile(context as unknown as DesktopActionContext, {
    ...{ path: 'notes', earlierFiles: [], isRequired: false },
  });
  await expect(saved).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringContaining('disk'),
  });
});
