import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
  surface = await kit.open();
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
}, 60_000);
afterAll(async () => {
  await surface.close();
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 30_000);

test('windows are listed with the topmost first', async () => {
  expect((await act({ action: 'listWindows' })).value).toEqual([
    {
      app: 'mousepad',
      title: 'Untitled 1 - Mousepad',
      bounds: { x: expect.any(Number), y: expect.any(Number), width: 640, height: 480 },
      active: true,
      state: 'normal',
    },
  ]);
});

test('moves and resizes a window; omitted values stay', async () => {
  const placed = await act({ action: 'setWindow', bounds: { x: 100, y: 120, width: 500, height: 400 } });
  expect(placed.value).toMatchObject({ bounds: { x: 100, y: 120, width: 500, height: 400 }, state: 'normal' });
  const widened = await act({ action: 'setWindow', app: 'mousepad', bounds: { width: 600 } });
  expect(widened.value).toMatchObject({ bounds: { x: 100, y: 120, width: 600, height: 400 } });
});

test('a window is maximized, minimized, shown on the whole screen and restored', async () => {
  for (const state of ['maximized', 'minimized', 'fullscreen', 'normal'] as const) {
    const { value } = await act({ action: 'setWindow', app: 'mousepad', state });
    expect(value).toMatchObject({ state, active: state !== 'minimized' });
  }
  const [window] = (await act({ action: 'listWindows' })).value as { bounds: unknown }[];
  expect(window?.bounds).toMatchObject({ width: 600, height: 400 });
});

test('a maximized window that gets bounds is restored', async () => {
  await act({ action: 'setWindow', state: 'maximized' });
  const { value } = await act({ action: 'setWindow', bounds: { x: 50, y: 60, width: 500, height: 300 } });
  expect(value).toMatchObject({ bounds: { x: 50, y: 60, width: 500, height: 300 }, state: 'normal' });
});

test('a size that the application rejects fails with the current size', async () => {
  await expect(act({ action: 'setWindow', bounds: { width: 10, height: 10 } })).rejects.toThrow(
    /has the bounds \d+ × \d+ at 50, 60: the application rejected 10 × 10 at 50, 60/,
  );
});

test('a terminal takes sizes of whole characters', async () => {
  await act({ action: 'openApp', app: 'debian-xterm' });
  const { value } = await act({ action: 'setWindow', app: 'xterm', bounds: { x: 10, y: 30, width: 401, height: 301 } });
  const { bounds } = value as { bounds: { width: number; height: number } };
  expect(Math.abs(bounds.width - 401)).toBeLessThan(10);
  expect(Math.abs(bounds.height - 301)).toBeLessThan(20);
}, 30_000);

test('a window that does not exist is named', async () => {
  await expect(act({ action: 'setWindow', app: 'kate', state: 'maximized' }, 1)).rejects.toMatchObject({
    code: 'TARGET_NOT_FOUND',
  });
});

test('openApp waits for the second window of a program that runs once, and returns it', async () => {
  for (const folder of ['/usr/bin', '/usr/share']) {
    const title = expect.stringContaining(folder.slice('/usr/'.length));
    expect((await act({ action: 'openApp', app: 'thunar', args: [folder] })).value).toMatchObject({
      app: 'thunar',
      title,
    });
  }
}, 60_000);

test('openApp with an open file returns its window', async () => {
  await act({ action: 'switchWindow', app: 'mousepad' });
  const open = () => act({ action: 'openApp', app: 'org.xfce.mousepad', args: ['/etc/debian_version'] });
  const value = { app: 'mousepad', title: expect.stringContaining('debian_version') };
  expect(await open()).toMatchObject({ value });
  expect(await open()).toMatchObject({ value });
}, 60_000);
