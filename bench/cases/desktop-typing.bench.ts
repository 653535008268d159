/**
 * Types pseudo-random text into applications of ten toolkits and compares it with what they save or copy. A character counts as wrong
 * if the outcome says `delivered` and the text differs there. Repeats this with four busy loops per core. The peer is `xdotool type`,
 * in a separate session.
 */
import { PilothouseError } from '@pilothouse/contract';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, plain, type Bench, type Figure } from '../harness/bench.ts';
import { saturateCores } from '../harness/busy-cores.ts';
import { openBenchDesktop, timed, timePeer, type BenchDesktop } from '../harness/desktop-bench.ts';
import { median, round } from '../harness/statistics.ts';
import { typingCommands, typingTargets, writePrograms, type TypingTarget } from '../harness/typing-targets.ts';

/** Characters of one step: the longest text that is typed by keys. */
const STEP_LENGTH = 200;

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
  /** Differences of steps that did not say `delivered`. */
  readonly wrongUnconfirmed: number;
  readonly undelivered: number;
  readonly times: readonly number[];
}

/** Busy loops per core of the second pass. */
const LOOPS_PER_CORE = 4;

export const desktopTyping: Bench = async ({ log, characters = 10_000 }) => {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bench-'));
  await chmod(folder, 0o755);
  try {
    await writePrograms(folder);
    const steps = Math.max(1, Math.ceil(characters / (2 * typingTargets.length * STEP_LENGTH)));
    const quiet = await typeIntoAll(folder, steps, (line) => log(line));
    const stopLoops = saturateCores(LOOPS_PER_CORE);
    const loaded = await typeIntoAll(folder, steps, (line) =>
      log(`${LOOPS_PER_CORE} busy loops per core: ${line}`),
    ).finally(stopLoops);
    const peers = await comparePeers();
    const sum = (field: 'typed' | 'wrong') =>
      [...quiet, ...loaded].reduce((total, { result }) => total + result[field], 0);
    return {
      figures: [
        atMost(`wrong characters called delivered, of ${sum('typed')}`, sum('wrong'), 0, 'characters'),
        ...quiet.flatMap((one) => figuresOf(one, '')),
        ...loaded.flatMap((one) => figuresOf(one, ', busy cores')),
        ...peers,
      ],
      raw: { quiet, loaded },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface TargetResult {
  readonly toolkit: string;
  readonly result: TypingResult;
}

const figuresOf = ({ toolkit, result }: TargetResult, suffix: string): Figure[] => [
  plain(
    `${toolkit}${suffix}: characters not reported as delivered, of ${result.typed}`,
    result.undelivered,
    'characters',
  ),
  plain(`${toolkit}${suffix}: ${STEP_LENGTH} mixed characters, confirmed, median`, round(median(result.times)), 'ms'),
];

async function typeIntoAll(folder: string, steps: number, log: (line: string) => void): Promise<TargetResult[]> {
  const results: TargetResult[] = [];
  for (const target of typingTargets) {
    const result = await typeInto(target, folder, steps);
    results.push({ toolkit: target.toolkit, result });
    log(
      `${target.toolkit}: ${result.typed} typed, ${result.wrong} wrong, ${result.undelivered} not delivered, ${round(median(result.times))} ms`,
    );
  }
  return results;
}

/** Each text is typed into an empty editor. */
async function comparePeers(): Promise<Figure[]> {
  const mixed = mixedText(STEP_LENGTH, 8);
  const pasted = await inEditor(({ act }) => timed(() => act({ action: 'type', text: mixedText(10_000, 7) }, 60)));
  const ours = await inEditor(({ act }) => timed(() => act({ action: 'type', text: mixed })));
  const peer = await inEditor((desktop) => timePeer(desktop, 'xdotool', ['type', '--delay', '12', '--', mixed]));
  return [
    atMost('10,000 characters by paste, confirmed', pasted, 300, 'ms'),
    atMost(`${STEP_LENGTH} mixed characters, confirmed`, ours, 400, 'ms'),
    ...(peer === null ? [] : [atMost('the same, against xdotool --delay 12', ours / peer, 0.25, '×')]),
  ];
}

async function inEditor<T>(measure: (desktop: BenchDesktop) => Promise<T>): Promise<T> {
  const desktop = await openBenchDesktop();
  try {
    await desktop.act({ action: 'openApp', app: 'org.xfce.mousepad', args: [] }, 60);
    return await measure(desktop);
  } finally {
    await desktop.close();
  }
}

async function typeInto(target: TypingTarget, folder: string, steps: number): Promise<TypingResult> {
  const desktop = await openBenchDesktop({ commands: typingCommands(folder) });
  try {
    await target.open(desktop);
    const times: number[] = [];
    const texts: string[] = [];
    const isDelivered: boolean[] = [];
    for (let step = 0; step < steps; step += 1) {
      // A line break first: Chromium publishes none at the end.
      const text = `${step === 0 ? '' : '\n'}${mixedText(step === 0 ? STEP_LENGTH : STEP_LENGTH - 1, step + 1)}`;
      const startedAt = performance.now();
      isDelivered.push(await typeText(desktop.act, text));
      times.push(performance.now() - startedAt);
      texts.push(text);
    }
    const lines = (await target.read(desktop, texts.join('').length)).split('\n');
    const wrong = texts.map((text, index) => differences(text.trimStart(), lines[index] ?? ''));
    return {
      typed: steps * STEP_LENGTH,
      wrong: wrong.reduce((sum, count, index) => sum + (isDelivered[index] ? count : 0), 0),
      wrongUnconfirmed: wrong.reduce((sum, count, index) => sum + (isDelivered[index] ? 0 : count), 0),
      undelivered: isDelivered.filter((delivered) => !delivered).length * STEP_LENGTH,
      times,
    };
  } finally {
    await desktop.close();
  }
}

/** @returns true if the step says that the text was delivered */
async function typeText(act: BenchDesktop['act'], text: string): Promise<boolean> {
  try {
    const { delivery } = await act({ action: 'type', text }, 60);
    return delivery?.status === 'delivered';
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'TYPED_TEXT_DIFFERS') return false;
    throw error;
  }
}

/** Number of positions at which two texts differ. */
function differences(expected: string, actual: string): number {
  const [first, second] = [[...expected], [...actual]];
  return Array.from({ length: Math.max(first.length, second.length) }).filter((_, at) => first[at] !== second[at])
    .length;
}
