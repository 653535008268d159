/**
 * Measures input and screenshots of a desktop session at its process. Clicks: the time, and the pixel each arrives at.
 * Keys: the time until the screen has changed. Also screenshots of an unchanged screen, and OCR of a terminal.
 */
import { systemTimers } from '@pilothouse/core/time/timers';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOfLine } from '../../libs/surface/desktop/src/screen/screen-text.ts';
import { startMachineSession } from '../../libs/surface/desktop/src/session/machine-session.ts';
import type { SessionClient } from '../../libs/surface/desktop/src/session/session-client.ts';
import { defaultSessionOptions } from '../../libs/surface/desktop/src/process/session-options.ts';
import { noIsolation } from '../../libs/surface/desktop/src/process/session-isolation.ts';
import { sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';
import { atLeast, atMost, forSize, type Bench, type Figure } from '../harness/bench.ts';
import { timed } from '../harness/desktop-bench.ts';
import { median, seriesOf } from '../harness/statistics.ts';

/** Milliseconds until a window is shown, or a file is complete. */
const WINDOW_TIMEOUT_MS = 30_000;

/** Duration of the test with an unchanged screen. */
const UNCHANGED_MS = 5_000;

/** A window that covers the screen and writes the position of each press to a file. */
const PRESSES = `import sys, tkinter
window = tkinter.Tk()
window.title('presses')
window.overrideredirect(True)
window.geometry('%dx%d+0+0' % (window.winfo_screenwidth(), window.winfo_screenheight()))
log = open(sys.argv[1], 'w')
def write(event):
    log.write('%d %d\\n' % (event.x_root, event.y_root))
    log.flush()
window.bind('<Button-1>', write)
window.mainloop()
`;

/** 44 words of a terminal: prose, paths, numbers and options. */
const WORDS = `The nightly import of 4,512 invoices finished in 37 minutes.
Three rows were rejected because their amount was missing:
  /var/lib/invoices/2026-11-24/eastern.csv line 118
  /var/lib/invoices/2026-11-24/western.csv line 2040
Run the command with --strict to stop at the first error
Total: 1,284.50 EUR  Tax: 244.06 EUR  Due: 31.12.2026
`;

interface InputSession {
  readonly folder: string;
  readonly client: SessionClient;
  /** Opens a command, and waits until its window is shown. */
  open(app: string): Promise<void>;
}

const options = () => ({ signal: AbortSignal.timeout(60_000) });

export const desktopInput: Bench = async (options) => {
  const { log } = options;
  const rounds = forSize(options, {
    smoke: { clicks: 10, screen: 3, ocr: 1 },
    short: { clicks: 1_000, screen: 50, ocr: 5 },
    full: { clicks: 10_000, screen: 200, ocr: 20 },
  });
  const clicks = await withSession((session) => measureClicks(session, rounds.clicks));
  log('clicks');
  const screen = await withSession((session) => measureScreen(session, rounds.screen));
  log('screen');
  const ocr = await withSession((session) => measureOcr(session, rounds.ocr));
  return {
    figures: [...clicks.figures, ...screen.figures, ...ocr.figures],
    raw: { ...clicks.raw, ...screen.raw, ...ocr.raw },
  };
};

async function withSession<T>(measure: (session: InputSession) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bench-'));
  const launcher = await sessionLauncher();
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'session'));
  await writeFile(join(folder, 'presses.py'), PRESSES);
  await writeFile(join(folder, 'words.txt'), WORDS);
  const commands = {
    presses: ['python3', join(folder, 'presses.py'), join(folder, 'presses.txt')],
    words: ['xterm', '-geometry', '90x24', '-e', 'sh', '-c', `cat ${join(folder, 'words.txt')}; sleep 600`],
    editor: ['mousepad', '--disable-server'],
  };
  const settings = {
    ...defaultSessionOptions,
    folder: join(folder, 'session'),
    environment: {},
    commands,
    egress: null,
  };
  // Programs run as this user, because presses.py writes into the folder of the benchmark.
  const client = await startMachineSession(launcher, settings, noIsolation);
  const open = async (app: string) => {
    await client.call('openApp', { app, files: [] }, options());
    const deadline = performance.now() + WINDOW_TIMEOUT_MS;
    while (!(await hasWindow(client)) || (await client.call('unchangedMs', null, options())) < 500) {
      if (performance.now() > deadline) throw new Error(`No window of ${app} within ${WINDOW_TIMEOUT_MS / 1_000} s`);
      await systemTimers.delay(100);
    }
  };
  try {
    return await measure({ folder, client, open });
  } finally {
    await client.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Also checks a point: the window manager does not list override-redirect windows. */
async function hasWindow(client: SessionClient): Promise<boolean> {
  const windows = await client.call('windows', null, options());
  return windows.length > 0 || (await client.call('windowAt', { x: 300, y: 250 }, options())) !== 0;
}

async function measureClicks({ client, folder, open }: InputSession, count: number) {
  await open('presses');
  const points = Array.from({ length: count }, (_, index) => ({ x: (index * 397) % 1_280, y: (index * 211) % 800 }));
  const times: number[] = [];
  for (const point of points) {
    const click = { point, button: 'left', count: 1, modifiers: [], window: null, source: null, field: null } as const;
    times.push(await timed(() => client.call('click', click, options())));
  }
  const expected = points.map(({ x, y }) => `${x} ${y}`);
  const deadline = performance.now() + WINDOW_TIMEOUT_MS;
  let actual: string[] = [];
  while (actual.length < count && performance.now() < deadline) {
    actual = (await readFile(join(folder, 'presses.txt'), 'utf8')).split('\n').slice(0, -1);
    await systemTimers.delay(50);
  }
  const exact = expected.filter((point, index) => actual[index] === point).length;
  return {
    figures: [
      atMost('click, median', median(times), 3, 'ms'),
      atLeast(`presses at the right pixel, of ${count}`, exact, count, 'presses'),
    ],
    raw: { click: seriesOf(times) },
  };
}

async function measureScreen({ client, open }: InputSession, rounds: number) {
  await open('editor');
  const [captures, changes]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const { version } = await client.call('capture', { format: 'jpeg' }, options());
    captures.push(performance.now() - startedAt);
    const pressedAt = performance.now();
    await client.call('press', { chord: { modifiers: [], key: 'A' }, times: 1 }, options());
    const next = await client.call('waitForChange', { version, timeoutMs: 2_000 }, options());
    if (next.version !== version) changes.push(performance.now() - pressedAt);
  }
  return {
    figures: [
      atMost('screen of 1280 × 800 to JPEG, median', median(captures), 15, 'ms'),
      atMost('key until the screen has changed, median', median(changes), 20, 'ms'),
    ],
    raw: { screenshot: seriesOf(captures), change: seriesOf(changes) },
  };
}

/** Notices of a change while nothing changes. */
async function measureUnchanged(client: SessionClient): Promise<Figure> {
  const deadline = performance.now() + UNCHANGED_MS;
  let changes = 0;
  let { version } = await client.call('capture', { format: 'jpeg' }, options());
  while (performance.now() < deadline) {
    const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
    const next = await client.call('waitForChange', { version, timeoutMs }, options());
    if (next.version !== version) changes += 1;
    version = next.version;
  }
  return atMost(`notices of a change in ${UNCHANGED_MS / 1_000} s of an unchanged screen`, changes, 0, '');
}

async function measureOcr({ client, open }: InputSession, rounds: number) {
  await open('words');
  const window = await client.call('activeWindow', null, options());
  if (!window) throw new Error('The terminal has no window');
  const times: number[] = [];
  let text = '';
  for (let round = 0; round < rounds; round += 1) {
    // Another size each time: an unchanged screenshot is not read again.
    const region = { ...window.bounds, height: window.bounds.height - round };
    const startedAt = performance.now();
    const lines = await client.call('readScreenText', { region, timeoutMs: 10_000 }, options());
    times.push(performance.now() - startedAt);
    text = lines.map(textOfLine).join(' ');
  }
  const words = WORDS.split(/\s+/).filter(Boolean);
  const read = text.split(/\s+/);
  const right = words.filter((word) => read.includes(word)).length;
  return {
    figures: [
      atLeast(`words of a terminal that OCR reads, of ${words.length}`, (100 * right) / words.length, 98, '%'),
      atMost('OCR of a window, median', median(times), 600, 'ms'),
      // The caret of xterm does not blink.
      await measureUnchanged(client),
    ],
    raw: { ocr: seriesOf(times), missing: words.filter((word) => !read.includes(word)) },
  };
}
