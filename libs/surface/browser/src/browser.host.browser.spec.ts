import { existsSync } from 'node:fs';
import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { chromium } from 'playwright-core';
import { chromiumPaths, findChromium, launchChromium } from './process/launch-browser.ts';
import { BrowserHost } from './browser.host.ts';
import { prepareContext } from './context/browser-context.ts';
import { BrowserSurface } from './browser.surface.ts';
import { expectFailure, startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';
import { browsers, renderersOf } from './testing/test-processes.ts';

const lost = (surface: BrowserSurface) =>
  new Promise<PilothouseError>((resolve) => {
    const onLost = () => resolve(surface.lossSignal.reason as PilothouseError);
    if (surface.lossSignal.aborted) onLost();
    else surface.lossSignal.addEventListener('abort', onLost, { once: true });
  });

describe('a host', () => {
  let kit: SurfaceKit;
  beforeAll(async () => {
    kit = await startKit({});
  });
  afterAll(() => kit.close());

  test('supports every action of a browser', () =>
    expect(kit.host.capabilities.actions).toBe(surfaceSupport.browser.actions));

  test('prepares a spare context with a blank page', async () => {
    await kit.host.warm(testContext(60_000));
    const surface = await kit.open();
    expect(await surface.anchors(testContext(10_000))).toEqual({ url: 'about:blank', title: '' });
    await surface.close();
  });

  test('loses its surfaces when Chromium exits and starts another one for the next surface', async () => {
    const [first, second] = [await kit.open(), await kit.open()];
    const waiting = expectFailure(
      kit.act(first, { action: 'waitFor', condition: { text: 'Never' } }, testContext(20_000)),
    );
    const [pid] = browsers();
    process.kill(pid ?? 0, 'SIGKILL');
    expect((await lost(first)).code).toBe('SURFACE_LOST');
    expect((await lost(second)).code).toBe('SURFACE_LOST');
    expect((await waiting).code).toBe('SURFACE_LOST');
    await first.close();
    const three = await kit.open();
    await kit.act(three, { action: 'navigate', url: kit.serve('/again', '<title>Again</title>') });
    expect(await kit.title(three)).toBe('Again');
    expect(three.lossSignal.aborted).toBe(false);
    await three.close();
  });
});

test('discards a spare page that crashed', async () => {
  const kit = await startKit({});
  const [browser = 0] = browsers();
  const url = kit.serve('/there', '<title>There</title>');
  const first = await kit.showPage('');
  const usedRenderers = renderersOf(browser);
  await kit.host.warm(testContext(30_000));
  const spare = renderersOf(browser).filter((pid) => !usedRenderers.includes(pid));
  expect(spare).toHaveLength(1);
  // Chromium reports them one after the other.
  for (const pid of [...spare, ...usedRenderers]) process.kill(pid, 'SIGKILL');
  await lost(first);
  await first.close();
  const codes: string[] = [];
  let is = '';
  // The report about the spare one may come later. The next surface is then lost.
  for (let times = 0; is !== 'There' && times < 3; times += 1) {
    const surface = await kit.open();
    const opening = kit.act(surface, { action: 'navigate', url });
    await opening.catch(({ code }: PilothouseError) => codes.push(code));
    is = await kit.title(surface).catch(() => '');
    await surface.close();
  }
  expect(codes.filter((code) => code !== 'SURFACE_LOST')).toEqual([]);
  expect(is).toBe('There');
  await kit.close();
});

test('a crashed page ends only its own surface', async () => {
  const browser = await launchChromium({}, testContext(60_000));
  const rooms = [await prepareContext(browser), await prepareContext(browser)] as const;
  const [first, second] = rooms.map((room) => new BrowserSurface(room, { folder: '/tmp' }, testContext(1).log)) as [
    BrowserSurface,
    BrowserSurface,
  ];
  const waiting = expectFailure(first.act({ action: 'waitFor', condition: { text: 'Never' } }, testContext(20_000)));
  const wire = await rooms[0].context.newCDPSession(rooms[0].tab.page);
  wire.send('Page.crash').catch(() => undefined);
  expect(await lost(first)).toMatchObject({ code: 'SURFACE_LOST', message: 'The page crashed' });
  expect((await waiting).code).toBe('SURFACE_LOST');
  expect((await expectFailure(first.screenshot({}, testContext(5000)))).code).toBe('SURFACE_LOST');
  expect(second.lossSignal.aborted).toBe(false);
  expect((await second.screenshot({}, testContext(5000))).width).toBe(1280);
  await first.close();
  await second.close();
  await browser.close();
});

test('leaves no process after closing and opens nothing afterwards', async () => {
  const host = new BrowserHost();
  await host.warm(testContext(60_000));
  await host.open({ folder: '/tmp' }, testContext(30_000));
  const processes = browsers();
  expect(processes).toHaveLength(1);
  await host.close();
  expect(browsers()).toEqual([]);
  expect((await expectFailure(host.open({ folder: '/tmp' }, testContext(1000)))).code).toBe('SURFACE_UNAVAILABLE');
});

describe('an unavailable browser', () => {
  test.each([
    ['is not there', { executablePath: '/nowhere/chromium' }, 'No browser found at /nowhere/chromium'],
    ['is none', { executablePath: '/bin/false' }, 'did not start'],
  ])('%s', async (_, options, message) => {
    const error = await expectFailure(new BrowserHost(options).open({ folder: '/tmp' }, testContext(10_000)));
    expect(error).toMatchObject({ code: 'SURFACE_UNAVAILABLE', message: expect.stringContaining(message) });
  });

  test('does not start in time', async () => {
    const host = new BrowserHost();
    const error = await expectFailure(host.open({ folder: '/tmp' }, testContext(20)));
    expect(error.code).toBe('SURFACE_UNAVAILABLE');
    const aborted = new AbortController();
    const reason = new PilothouseError('RUN_CANCELLED', 'stop');
    aborted.abort(reason);
    expect(await expectFailure(host.open({ folder: '/tmp' }, testContext(5000, { signal: aborted.signal })))).toBe(
      reason,
    );
    // The start continues for the next caller.
    await (await host.open({ folder: '/tmp' }, testContext(20_000))).close();
    await host.close();
    expect(browsers()).toEqual([]);
  });

  test('error names what to install if none is found', async () => {
    const error = await expectFailure((async () => findChromium(undefined, ['/nowhere']))());
    expect(error).toMatchObject({
      code: 'SURFACE_UNAVAILABLE',
      message: expect.stringContaining('apt-get install chromium'),
    });
  });
});

test('search paths for browsers', () => {
  expect(chromiumPaths('linux')[0]).toBe('/usr/bin/chromium');
  expect(chromiumPaths('darwin', '/Users/ada')).toContain(
    '/Users/ada/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  );
  expect(existsSync(findChromium(undefined, [...chromiumPaths(), chromium.executablePath()]))).toBe(true);
});
