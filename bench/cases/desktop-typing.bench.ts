/**
 * Types pseudo-random text into applications of several toolkits and compares the saved files with it. A character counts as wrong if
 * the outcome says `delivered` and the file differs there. The peer is `xdotool type`, in the same session.
 */
import { systemTimers } from '@pilothouse/core/timers';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, plain, type Bench, type Figure } from '../harness/bench.ts';
import { openBenchDesktop, timed, timePeer, type BenchDesktop } from '../harness/desktop-bench.ts';
import { median, round } from '../harness/statistics.ts';

/** Characters of one step: the longest text that is typed by keys. */
const CHUNK = 200;

/** Milliseconds for an application to write its file. */
const SAVE_TIMEOUT_MS = 30_000;

const editors = [
  { toolkit: 'GTK 3', app: 'org.xfce.mousepad' },
  { toolkit: 'GTK 4', app: 'org.gnome.TextEditor' },
  { toolkit: 'Qt 5', app: 'featherpad' },
  { toolkit: 'Qt 5, KDE', app: 'org.kde.kate' },
] as const;

const ranges = [
  [0x21, 0x7e],
  [0xc0, 0x17e],
  [0x410, 0x44f],
  [0x3b1, 0x3c9],
  [0x4e00, 0x4e80],
] as const;

/** Text of several scripts; the same for the same seed. */
function mixedText(length: number, seed: number): string {
  let state = seed;
  const next = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % limit;
  };
  return Array.from({ length }, () => {
    const [from, to] = ranges[next(ranges.length)] ?? ranges[0];
    return String.fromCodePoint(from + next(to - from + 1));
  }).join('');
}

interface TypingResult {
  readonly typed: number;
  readonly wrong: number;
  readonly undelivered: number;
  readonly times: readonly number[];
}

export const desktopTyping: Bench = async ({ log, characters = 4_000 }) => {
  const figures: Figure[] = [];
  const raw: Record<string, unknown> = {};
  let wrong = 0;
  for (const { toolkit, app } of editors) {
    const result = await typeInto(app, Math.ceil(characters / editors.length / CHUNK));
    wrong += result.wrong;
    raw[toolkit] = result;
    figures.push(
      plain(`${toolkit}: ${result.typed} characters, not reported as delivered`, result.undelivered, 'characters'),
      plain(`${toolkit}: ${CHUNK} mixed characters, confirmed, median`, round(median(result.times)), 'ms'),
    );
    log(`${toolkit}: ${result.typed} typed, ${result.wrong} wrong`);
  }
  const desktop = await openBenchDesktop();
  try {
    await open(desktop, 'org.xfce.mousepad');
    const long = mixedText(10_000, 7);
    const pasted = await timed(() => desktop.act({ action: 'type', text: long }, 60));
    const ascii = 'x'.repeat(CHUNK);
    const peer = await timePeer(desktop, 'xdotool', ['type', '--delay', '12', '--', ascii]);
    const ours = await timed(() => desktop.act({ action: 'type', text: ascii }));
    figures.push(
      atMost('10,000 characters by paste, confirmed', pasted, 300, 'ms'),
      plain(`${CHUNK} ASCII characters, confirmed`, round(ours), 'ms'),
    );
    if (peer !== null) figures.push(atMost(`the same, against xdotool --delay 12`, ours / peer, 0.25, '×'));
  } finally {
    await desktop.close();
  }
  figures.unshift(atMost('wrong characters called delivered', wrong, 0, 'characters'));
  return { figures, raw };
};

const open = ({ act }: BenchDesktop, app: string, ...args: string[]) => act({ action: 'openApp', app, args }, 60);

async function typeInto(app: string, chunks: number): Promise<TypingResult> {
  const desktop = await openBenchDesktop();
  try {
    const file = join(desktop.home, 'typed.txt');
    await writeFile(file, '');
    await open(desktop, app, 'typed.txt');
    await desktop.act({ action: 'waitFor', condition: { title: 'typed.txt' } }, 30);
    if (app === 'org.kde.kate') await desktop.act({ action: 'click', target: { role: 'textbox', name: 'typed.txt' } });
    const times: number[] = [];
    const texts: string[] = [];
    const deliveries: (string | undefined)[] = [];
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      const text = `${mixedText(CHUNK - 1, chunk + 1)}\n`;
      const startedAt = performance.now();
      const { delivery } = await desktop.act({ action: 'type', text }, 60);
      times.push(performance.now() - startedAt);
      texts.push(text);
      deliveries.push(delivery?.status);
    }
    await desktop.act({ action: 'press', key: 'Control+S' });
    const saved = await savedLines(file, texts.join('').length);
    const differing = texts.map((text, index) => differences(text.slice(0, -1), saved[index] ?? ''));
    const sumOf = (isCounted: (index: number) => boolean) =>
      differing.reduce((sum, count, index) => sum + (isCounted(index) ? count : 0), 0);
    return {
      typed: chunks * CHUNK,
      wrong: sumOf((index) => deliveries[index] === 'delivered'),
      undelivered: deliveries.filter((status) => status !== 'delivered').length * CHUNK,
      times,
    };
  } finally {
    await desktop.close();
  }
}

/** Lines of a file when it has as many characters as were typed, or after the timeout. */
async function savedLines(file: string, length: number): Promise<string[]> {
  const deadline = performance.now() + SAVE_TIMEOUT_MS;
  let text = '';
  while (text.length < length && performance.now() < deadline) {
    text = await readFile(file, 'utf8');
    await systemTimers.delay(50);
  }
  if (text === '') throw new Error(`${file} was not saved within ${SAVE_TIMEOUT_MS / 1_000} s`);
  return text.split('\n');
}

/** Number of positions at which two texts differ. */
function differences(expected: string, actual: string): number {
  const [first, second] = [[...expected], [...actual]];
  return Array.from({ length: Math.max(first.length, second.length) }).filter((_, at) => first[at] !== second[at])
    .length;
}
