/**
 * Measures desktop sessions: start, memory, what resets leave behind, element lists per toolkit, screenshots and clicks. The peers are
 * `scrot` and `xdotool`, started on the same display in turns.
 */
import { systemTimers } from '@pilothouse/core/time/timers';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { contextWithin, startDesktopKit } from '../../libs/surface/desktop/src/testing/desktop.fixture.ts';
import { atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { openBenchDesktop, openOffice, timed, timePeer, type BenchDesktop } from '../harness/desktop-bench.ts';
import { cpuOf, pssOf, treeOf } from '../harness/process-memory.ts';
import { typingCommands, writePrograms } from '../harness/typing-targets.ts';
import { median, percentile, round, seriesOf } from '../harness/statistics.ts';

/** Applications whose element list is measured, with the target in milliseconds for its size. */
const applications = [
  { toolkit: 'GTK 3', app: 'org.xfce.mousepad', limitMs: 30 },
  { toolkit: 'GTK 3, file list', app: 'thunar', limitMs: 30 },
  { toolkit: 'GTK 4', app: 'org.gnome.TextEditor', limitMs: 150 },
  { toolkit: 'Qt 5', app: 'featherpad', limitMs: 150 },
  { toolkit: 'Qt 6', app: 'bench-qt6', limitMs: 150 },
  { toolkit: 'VTE', app: 'xfce4-terminal', limitMs: 30 },
  { toolkit: 'Chromium', app: 'bench-chromium', limitMs: 30 },
  { toolkit: 'Firefox', app: 'bench-firefox', limitMs: 150 },
  { toolkit: 'LibreOffice Writer', app: 'libreoffice-writer', limitMs: 70 },
  { toolkit: 'LibreOffice Calc', app: 'libreoffice-calc', limitMs: 350 },
] as const;

/** Milliseconds without a change after which an application has started. */
const SETTLE_MS = 3_000;

/** Milliseconds for an application to show all its elements after its window. */
const LOAD_TIMEOUT_MS = 8_000;

export const desktopSession: Bench = async (options) => {
  const { log } = options;
  const rounds = forSize(options, {
    smoke: { starts: 1, resets: 1, lists: 1, screen: 1 },
    short: { starts: 12, resets: 20, lists: 15, screen: 30 },
    full: { starts: 40, resets: 200, lists: 40, screen: 100 },
  });
  const starts = await measureStarts(rounds.starts, rounds.resets);
  log('sessions');
  const lists = await measureLists(rounds.lists, log);
  const screen = await measureScreen(rounds.screen);
  const rest = await measureRest(forSize(options, { smoke: 2_000, short: 30_000, full: 120_000 }));
  return {
    figures: [...starts.figures, ...lists.figures, ...screen.figures, ...rest],
    raw: { ...starts.raw, ...lists.raw, ...screen.raw },
  };
};

/** Percent of one core that processes use in a time. */
async function coreShareOf(pids: readonly number[], timeMs: number): Promise<number> {
  const [startedAt, earlierMs] = [performance.now(), cpuOf(pids)];
  await systemTimers.delay(timeMs);
  return (100 * (cpuOf(pids) - earlierMs)) / (performance.now() - startedAt);
}

/** Measures the cost of a desktop with an editor while nothing happens, and while a step waits for a text. */
async function measureRest(timeMs: number): Promise<Figure[]> {
  const desktop = await openBenchDesktop();
  try {
    await desktop.act({ action: 'openApp', app: 'org.xfce.mousepad', args: [] }, 30);
    await desktop.act({ action: 'waitFor', condition: { stableMs: SETTLE_MS } }, 60);
    const pids = treeOf(await desktop.kit.pidsOf('session-process')).filter((pid) => pid !== process.pid);
    const idle = await coreShareOf(pids, timeMs);
    const condition = { text: 'a text that never appears' };
    const waiting = desktop.surface.expect(condition, contextWithin(timeMs / 1_000 + 5)).catch(() => undefined);
    const wait = await coreShareOf([...pids, process.pid], timeMs);
    await waiting;
    return [
      atMost('an idle desktop with an editor, of a core', idle, 1, '%'),
      plain('the same with the worker while a step waits for a text', round(wait), '%'),
    ];
  } finally {
    await desktop.close();
  }
}

async function measureStarts(coldCount: number, resets: number) {
  const cold: number[] = [];
  for (let start = 0; start < coldCount; start += 1) {
    const kit = await startDesktopKit();
    cold.push(await timed(() => kit.host.warm()));
    await kit.close();
  }
  const kit = await startDesktopKit();
  await kit.host.warm();
  const sessionProcesses = await kit.pidsOf('session-process');
  const pids = treeOf(sessionProcesses).filter((pid) => pid !== process.pid);
  const idle = pssOf(pids);
  const idlePrograms = pssOf(pids.filter((pid) => !sessionProcesses.includes(pid)));
  const warm: number[] = [];
  for (let reset = 0; reset < resets; reset += 1) {
    await kit.host.warm();
    const startedAt = performance.now();
    const surface = await kit.open();
    warm.push(performance.now() - startedAt);
    await surface.act({ action: 'writeClipboard', text: `run ${reset}` }, contextWithin(10));
    await surface.close();
  }
  const left = await kit.close();
  return {
    figures: [
      atMost('session start, cold, p95', percentile(cold, 0.95), 300, 'ms'),
      atMost('session start, warm, p95', percentile(warm, 0.95), 50, 'ms'),
      plain('memory of an idle session with its process of Node (PSS)', round(idle), 'MB'),
      atMost('memory of the programs of an idle session (PSS)', idlePrograms, 70, 'MiB'),
      atMost(`files and processes left after ${resets} resets`, left.files.length + left.pids.length, 0, ''),
    ],
    raw: { cold: seriesOf(cold), warm: seriesOf(warm) },
  };
}

async function measureLists(rounds: number, log: (line: string) => void) {
  const figures: Figure[] = [];
  const raw: Record<string, unknown> = {};
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bench-'));
  await chmod(folder, 0o755);
  await writePrograms(folder);
  for (const { toolkit, app, limitMs } of applications) {
    const desktop = await openBenchDesktop({ commands: typingCommands(folder) });
    try {
      if (app.startsWith('libreoffice-')) await openOffice(desktop, app, toolkit);
      else await desktop.act({ action: 'openApp', app, args: [] }, 60);
      const count = await elementsWhenLoaded(desktop);
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        times.push(await timed(() => desktop.surface.observe({}, contextWithin(20))));
      raw[toolkit] = { elements: count, ...seriesOf(times) };
      figures.push(
        atMost(`elements, ${toolkit}, ${count} of them, median`, median(times), limitMs, 'ms'),
        atMost(`elements, ${toolkit}, longest`, Math.max(...times), 1_050, 'ms'),
      );
      log(`${toolkit}: ${count} elements, ${round(median(times))} ms`);
    } finally {
      await desktop.close();
    }
  }
  await rm(folder, { recursive: true });
  return { figures, raw };
}

/** Number of elements when two reads in a row have the same. */
async function elementsWhenLoaded({ surface }: BenchDesktop): Promise<number> {
  const deadline = performance.now() + LOAD_TIMEOUT_MS;
  let [previous, current] = [-1, 0];
  while ((current !== previous || current === 0) && performance.now() < deadline) {
    previous = current;
    await systemTimers.delay(500);
    current = (await surface.observe({}, contextWithin(20))).elements.length;
  }
  return current;
}

async function measureScreen(rounds: number) {
  const desktop = await openBenchDesktop();
  try {
    await desktop.act({ action: 'openApp', app: 'org.xfce.mousepad', args: [] }, 30);
    const [ours, scrot, clicks, xdotool]: number[][] = [[], [], [], []];
    const screenshotFile = join(tmpdir(), `pilothouse-bench-${process.pid}.jpg`);
    for (let round = 0; round < rounds; round += 1) {
      ours?.push(await timed(() => desktop.surface.screenshot({}, contextWithin(10))));
      const peer = await timePeer(desktop, 'scrot', ['--overwrite', '--quality', '85', screenshotFile]);
      if (peer !== null) scrot?.push(peer);
      const target = { point: { x: 500, y: 500 } };
      clicks?.push(await timed(() => desktop.act({ action: 'click', target })));
      const click = await timePeer(desktop, 'xdotool', ['mousemove', '640', '400', 'click', '1']);
      if (click !== null) xdotool?.push(click);
    }
    return {
      figures: [
        atMost('screen to JPEG, median', median(ours ?? []), 15, 'ms'),
        plain('scrot, median', round(median(scrot ?? [])), 'ms'),
        plain(
          'click at a point as an action, with its wait for a stable screen, median',
          round(median(clicks ?? [])),
          'ms',
        ),
        plain('xdotool mousemove click, median', round(median(xdotool ?? [])), 'ms'),
      ],
      raw: { screenshot: seriesOf(ours ?? []), click: seriesOf(clicks ?? []) },
    };
  } finally {
    await desktop.close();
  }
}
