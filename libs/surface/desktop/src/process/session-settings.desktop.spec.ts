import type { DesktopOptions } from '@pilothouse/contract/workflow/desktop-options.schema';
import { poll } from '@pilothouse/core/time/deadlines';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

let locales: string;
let kit: DesktopKit;
let surface: DesktopSurface;
/** Folder of the surface's session. */
let folder: string;
const act = actor(() => surface);

beforeAll(async () => {
  locales = await mkdtemp(join(tmpdir(), 'locales-'));
  // The user of a session reads them.
  await chmod(locales, 0o755);
  execFileSync('localedef', ['-i', 'de_DE', '-f', 'UTF-8', join(locales, 'de_DE.UTF-8')]);
  kit = await startDesktopKit({ environment: { LOCPATH: locales, LC_ALL: 'C.UTF-8', LANGUAGE: 'en' } });
}, 60_000);
afterAll(async () => {
  expect(await kit.close()).toEqual({ files: [], pids: [] });
  await rm(locales, { recursive: true });
}, 30_000);
afterEach(() => surface?.close());

/** Opens a session with these settings and no others. */
async function open(desktop: DesktopOptions): Promise<void> {
  const others = await readdir(kit.folder);
  surface = await kit.open({ desktop });
  // A warm session for the next run may have started since.
  const folders = (await readdir(kit.folder))
    .filter((name) => !others.includes(name))
    .map((name) => join(kit.folder, name));
  const births = await Promise.all(folders.map(async (path) => ({ path, time: (await stat(path)).birthtimeMs })));
  folder = births.toSorted((first, second) => first.time - second.time)[0]?.path ?? '';
}

/** Runs a short command in a terminal of the session. @returns its first line */
async function runInTerminal(command: string): Promise<string> {
  await act({ action: 'openApp', app: 'debian-xterm' });
  await act({ action: 'type', text: `${command} >out\n` });
  const output = await poll(async () => {
    const text = await readFile(join(folder, 'home/out'), 'utf8').catch(() => '');
    return text.includes('\n') ? text.trim() : undefined;
  }, contextWithin(20));
  return output ?? '';
}

/** Reads a property of the root window as a separate client. */
async function rootProperty(name: string): Promise<string> {
  const environments = await Promise.all(
    (await kit.pidsOf('openbox')).map((pid) => readFile(`/proc/${pid}/environ`, 'utf8')),
  );
  const variables = environments.find((text) => text.includes(`HOME=${folder}/`))?.split('\0') ?? [];
  const env = Object.fromEntries(variables.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]));
  return execFileSync('xprop', ['-root', name], { env, encoding: 'utf8' });
}

test('programs have the locale, the time zone and the screen of the run', async () => {
  await open({
    resolution: { width: 1000, height: 700 },
    dpi: 144,
    locale: 'de-DE',
    timezoneId: 'Asia/Tokyo',
  });
  expect(await rootProperty('RESOURCE_MANAGER')).toContain('Xft.dpi:\\t144');
  expect(await rootProperty('_NET_DESKTOP_GEOMETRY')).toContain('1000, 700');
  const { screenshot } = await act({ action: 'screenshot' });
  expect(screenshot).toMatchObject({ width: 1000, height: 700 });
  expect(await runInTerminal('date -d @0 +%A:%R:%Z')).toBe('Donnerstag:09:00:JST');
}, 60_000);

test('a larger scale makes the fields of an application larger', async () => {
  const heightOfMenu = async (dpi: number) => {
    await open({ dpi });
    await act({ action: 'openApp', app: 'org.xfce.mousepad' });
    const { elements } = await surface.observe({}, contextWithin(20));
    await surface.close();
    return elements.find(({ name }) => name === 'File')?.bounds.height ?? 0;
  };
  expect(await heightOfMenu(192)).toBeGreaterThan((await heightOfMenu(96)) * 1.5);
}, 60_000);

const TEXT = 'Grüße: 5 € zyx ZYX ёЖщ éèçà 日本 "q" \'a\' {}[]|~\\^`@#';

describe.each(['de', 'fr', 'ru', 'us(dvorak)'])('with the keyboard layout %s', (keyboardLayout) => {
  test.each([
    ['org.xfce.mousepad', 'mousepad'],
    ['featherpad', 'featherpad'],
  ])(
    'text in %s is exact, and hotkeys work',
    async (app) => {
      await open({ keyboardLayout });
      await act({ action: 'openApp', app });
      await act({ action: 'type', text: TEXT });
      await act({ action: 'waitFor', condition: { text: TEXT } });
      await act({ action: 'press', key: 'Control+A' });
      await act({ action: 'press', key: 'Control+C' });
      expect((await act({ action: 'readClipboard' })).value).toBe(TEXT);
      const long = 'emoji 😀 line\n'.repeat(30);
      await act({ action: 'press', key: 'Delete' });
      await act({ action: 'type', text: long });
      await act({ action: 'press', key: 'Control+A' });
      await act({ action: 'press', key: 'Control+C' });
      expect((await act({ action: 'readClipboard' })).value).toBe(long);
    },
    60_000,
  );
});

test('the layout of the run is the layout of the keys', async () => {
  await open({ keyboardLayout: 'ru' });
  expect(await rootProperty('_XKB_RULES_NAMES')).toContain('"ru,us"');
}, 60_000);

test.each<[DesktopOptions, string]>([
  [{ locale: 'fr-FR' }, 'desktop.locale: this worker has no locale fr_FR.UTF-8; install it'],
  [{ keyboardLayout: 'xx' }, 'desktop.keyboardLayout: XKB has no layout "xx"; use a name such as de'],
  [{ keyboardLayout: 'de(xx)' }, 'desktop.keyboardLayout: XKB has no layout "de(xx)"'],
])('%j is refused with field and fix', async (desktop, message) => {
  await expect(kit.open({ desktop })).rejects.toMatchObject({
    code: 'ACTION_UNSUPPORTED',
    message: expect.stringContaining(message),
  });
});

test('a warm session is used only by a run with its settings', async () => {
  await kit.host.warm();
  const folders = await readdir(kit.folder);
  await open({ resolution: { width: 800, height: 600 } });
  expect((await act({ action: 'screenshot' })).screenshot).toMatchObject({ width: 800, height: 600 });
  expect(await readdir(kit.folder)).toEqual(expect.arrayContaining(folders));
  await surface.close();
  await open({ resolution: { width: 1280, height: 800 }, dpi: 96, timezoneId: 'UTC' });
  expect((await act({ action: 'screenshot' })).screenshot).toMatchObject({ width: 1280, height: 800 });
  const warm = folders.at(0) ?? '';
  await surface.close();
  expect(await readdir(kit.folder)).not.toContain(warm);
}, 60_000);
