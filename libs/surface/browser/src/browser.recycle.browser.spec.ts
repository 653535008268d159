import { poll } from '@pilothouse/core/time/deadlines';
import { BrowserHost, type HostOptions } from './browser.host.ts';
import type { BrowserSurface } from './browser.surface.ts';
import { expectFailure, startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';
import { browsers, survivingProcesses, processesOf, renderersOf } from './testing/test-processes.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit({});
  kit.serve('/page', '<title>Page</title><b id="out">here</b><button onclick="for (;;);">Hang</button>');
});
afterAll(() => kit.close());

/** A separate host, whose processes are checked after it closes. */
async function withHost(options: HostOptions, work: (host: BrowserHost, ownBrowsers: () => number[]) => Promise<void>) {
  const otherBrowsers = browsers();
  const ownBrowsers = () => browsers().filter((pid) => !otherBrowsers.includes(pid));
  const host = new BrowserHost(options);
  const pids = new Set<number>();
  try {
    await host.warm(testContext(60_000));
    await work(host, () => {
      for (const pid of ownBrowsers()) pids.add(pid);
      return ownBrowsers();
    });
  } finally {
    await host.close();
  }
  expect(await survivingProcesses([...pids], 20_000)).toEqual([]);
}

const open = (host: BrowserHost) => host.open({ folder: kit.folder }, testContext(20_000));

/** Performs the steps of a run. */
async function use(surface: BrowserSurface): Promise<void> {
  await kit.act(surface, { action: 'navigate', url: `${kit.origin}/page` }, testContext(20_000));
  const readOutput = { action: 'extract', target: { css: '#out' }, value: {} } as const;
  expect((await kit.act(surface, readOutput, testContext(20_000))).value).toBe('here');
}

test('a browser retires after its runs: new runs use another one, open surfaces continue, and it ends with the last one', () =>
  withHost({ maxRuns: 3 }, async (host, ownBrowsers) => {
    const [first] = ownBrowsers();
    const long = await open(host);
    await use(long);
    const usedBrowsers = new Set<number>();
    await Promise.all(
      [1, 2].map(async () => {
        for (let round = 0; round < 4; round += 1) {
          const surface = await open(host);
          await use(surface);
          for (const pid of ownBrowsers()) usedBrowsers.add(pid);
          await surface.close();
          expect(surface.lossSignal.aborted).toBe(false);
        }
      }),
    );
    // Nine runs, three per browser.
    expect(usedBrowsers.size).toBeGreaterThanOrEqual(3);
    expect(ownBrowsers()).toContain(first);
    await use(long);
    expect(long.lossSignal.aborted).toBe(false);
    await long.close();
    expect(
      await survivingProcesses(
        [...usedBrowsers].filter((pid) => pid === first),
        20_000,
      ),
    ).toEqual([]);
    const last = await open(host);
    await use(last);
    expect(await poll(async () => ownBrowsers().length === 1 || undefined, testContext(20_000))).toBe(true);
    await last.close();
  }));

test.each([
  [1, true],
  [100_000, false],
])('with a limit of %d MB the browser is replaced: %p', (maxMegabytes, isReplaced) =>
  withHost({ maxMemoryMb: maxMegabytes, memoryCheckIntervalMs: 0 }, async (host, ownBrowsers) => {
    const [first = 0] = ownBrowsers();
    const [firstSurface, secondSurface] = [await open(host), await open(host)];
    await use(firstSurface);
    await firstSurface.close();
    await use(secondSurface);
    await secondSurface.close();
    if (isReplaced) expect(await survivingProcesses([first], 20_000)).toEqual([]);
    const next = await open(host);
    await use(next);
    expect(ownBrowsers().includes(first)).toBe(!isReplaced);
    await next.close();
  }),
);

test('no process of a killed browser remains, not even a hanging page', () =>
  withHost({}, async (host, ownBrowsers) => {
    const [first = 0] = ownBrowsers();
    const surface = await open(host);
    await use(surface);
    await expectFailure(kit.act(surface, { action: 'click', target: { role: 'button' } }, testContext(1000)));
    expect(processesOf(first).length).toBeGreaterThan(2);
    process.kill(first, 'SIGKILL');
    expect(await survivingProcesses([first], 20_000)).toEqual([]);
    expect(await poll(async () => surface.lossSignal.aborted || undefined, testContext(20_000))).toBe(true);
    await surface.close();
    await use(await open(host));
  }));

test('a browser with a surface that does not close is killed and accepts no more surfaces', () =>
  withHost({}, async (host, ownBrowsers) => {
    const [first = 0] = ownBrowsers();
    const surface = await open(host);
    await use(surface);
    process.kill(first, 'SIGSTOP');
    await surface.close();
    await use(await open(host));
    expect(await survivingProcesses([first], 20_000)).toEqual([]);
  }));

test('a browser that opens no page fails one surface but not the next', () =>
  withHost({}, async (host, ownBrowsers) => {
    const [first = 0] = ownBrowsers();
    const surface = await open(host);
    process.kill(first, 'SIGSTOP');
    expect((await expectFailure(host.open({ folder: kit.folder }, testContext(500)))).code).toBe('SURFACE_UNAVAILABLE');
    await use(await open(host));
    await surface.close();
    expect(await survivingProcesses([first], 20_000)).toEqual([]);
  }));

test('keeps a spare context while a slot is free', () =>
  withHost({ slots: 2 }, async (host, ownBrowsers) => {
    const [chromium = 0] = ownBrowsers();
    const rooms = (count: number) =>
      poll(async () => renderersOf(chromium).length === count || undefined, testContext(20_000)).then(
        () => renderersOf(chromium).length,
      );
    expect(await rooms(1)).toBe(1);
    const firstSurface = await open(host);
    await host.warm(testContext(60_000));
    expect(await rooms(2)).toBe(2);
    const secondSurface = await open(host);
    await use(secondSurface);
    await host.warm(testContext(60_000));
    expect(await rooms(2)).toBe(2);
    await firstSurface.close();
    await host.warm(testContext(60_000));
    expect(await rooms(2)).toBe(2);
    await secondSurface.close();
  }));
