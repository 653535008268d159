import { poll } from '@pilothouse/core/time/deadlines';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDesktopKit, actor, contextWithin, type DesktopKit } from './testing/desktop.fixture.ts';
import type { DesktopSurface } from './desktop.surface.ts';

describe('a session that loses a process', () => {
  let kit: DesktopKit;
  let surface: DesktopSurface;
  const act = actor(() => surface);

  beforeEach(async () => {
    kit = await startDesktopKit();
    surface = await kit.open();
  }, 60_000);
  afterEach(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

  test.each(['Xvfb', 'openbox', 'dbus-daemon', 'session-process'])(
    '%s: the surface is lost with the reason, and nothing stays',
    async (program) => {
      await act({ action: 'openApp', app: 'org.xfce.mousepad' });
      // The warm session for the next run has the same programs: the oldest is that of the open surface.
      const [pid] = (await kit.pidsOf(program)).toSorted((first, second) => first - second);
      process.kill(pid ?? Number.NaN, 'SIGKILL');
      if (!surface.lossSignal.aborted) await once(surface.lossSignal, 'abort');
      expect(surface.lossSignal.reason).toMatchObject({ code: 'SURFACE_LOST' });
      await expect(act({ action: 'press', key: 'Enter' }, 2)).rejects.toMatchObject({ code: 'SURFACE_LOST' });
      await surface.close();
      // The next run is not affected.
      const next = await kit.open();
      expect(await next.anchors(contextWithin(10))).toEqual({ url: 'about:desktop', title: '' });
      await next.close();
    },
    60_000,
  );

  test('a program that exits does not affect the session', async () => {
    await act({ action: 'openApp', app: 'org.xfce.mousepad' });
    for (const pid of await kit.pidsOf('mousepad')) process.kill(pid, 'SIGKILL');
    await act({ action: 'openApp', app: 'featherpad' });
    expect(surface.lossSignal.aborted).toBe(false);
  }, 60_000);
});

test('a session above its memory limit ends with the measured size', async () => {
  const kit = await startDesktopKit({ maxMemoryMb: 20 });
  const surface = await kit.open();
  await surface.act({ action: 'openApp', app: 'org.xfce.mousepad' }, contextWithin(20)).catch(() => undefined);
  if (!surface.lossSignal.aborted) await once(surface.lossSignal, 'abort');
  expect((surface.lossSignal.reason as Error).message).toMatch(/uses \d+ MB, above its limit of 20 MB/);
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 60_000);

test('two surfaces that open together have sessions of their own', async () => {
  const kit = await startDesktopKit();
  const [first, second] = await Promise.all([kit.open(), kit.open()]);
  await first.act({ action: 'writeClipboard', text: 'of the first' }, contextWithin(10));
  expect((await second.act({ action: 'readClipboard' }, contextWithin(10))).value).toBe('');
  await Promise.all([first.close(), second.close()]);
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 60_000);

test('a surface that is cancelled while opening leaves no session', async () => {
  const kit = await startDesktopKit();
  const cancelled = AbortSignal.abort(new Error('cancelled'));
  const opening = kit.host.open({ folder: kit.folder }, { ...contextWithin(60), signal: cancelled });
  await expect(opening).rejects.toThrow('cancelled');
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 60_000);

test('ten consecutive sessions leave no files and no processes', async () => {
  const kit = await startDesktopKit();
  for (let run = 0; run < 10; run += 1) {
    const surface = await kit.open();
    await surface.act({ action: 'writeClipboard', text: `run ${run}` }, contextWithin(10));
    await surface.close();
  }
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 120_000);

test('closing ends programs that dropped the environment of the session', async () => {
  const kit = await startDesktopKit();
  const surface = await kit.open();
  const act = actor(() => surface);
  await act({ action: 'openApp', app: 'debian-xterm' });
  await act({ action: 'type', text: 'env -i setsid sleep 98765 & exit' });
  await act({ action: 'press', key: 'Enter' });
  const program = await poll(async () => (await kit.pidsOf('98765'))[0], contextWithin(10));
  expect(program).toBeDefined();
  await surface.close();
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 60_000);

test('a session starts below a folder whose path is too long for sockets', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'pilothouse-long-'));
  const folder = join(parent, 'a'.repeat(100));
  await mkdir(folder);
  const long = await startDesktopKit({ folder });
  const session = await long.open();
  await session.act({ action: 'openApp', app: 'org.xfce.mousepad' }, contextWithin(30));
  await session.close();
  await long.close();
  await rm(parent, { recursive: true });
}, 60_000);
