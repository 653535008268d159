/**
 * Types pseudo-random text into applications of ten toolkits and compares it with what they save or copy. A character counts as wrong
 * if the outcome says `confirmed` and the text differs there. Repeats this with four busy loops per core. The peer is `xdotool type`,
 * in a separate session.
 */
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { saturateCores } from '../harness/busy-cores.ts';
import { openBenchDesktop, timed, timePeer, type BenchDesktop } from '../harness/desktop-bench.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';
import { typingCommands, typingTargets, writePrograms, type TypingTarget } from '../harness/typing-targets.ts';

/** Characters of one step: the longest text that is typed by keys. */
const STEP_LENGTH = 200;

/** Steps in one session. Each session starts with an empty field. */
const STEPS_PER_SESSION = 25;

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
    const [first, end] = ranges[next(ranges.length)] ?? ranges[0];
    return String.fromCodePoint(first + next(end - first + 1));
  }).join('');
}

interface TypingResult {
  readonly typed: number;
  readonly wrong: number;
  /** Differences of steps that did not say `confirmed`. */
  readonly wrongUnconfirmed: number;
  readonly unconfirmed: number;
  readonly times: readonly number[];
  /** Messages of sessions that ended early. Their characters are not counted. */
  readonly failures: readonly string[];
  /** Steps that did not say `confirmed`, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Lines that differ although the step says `confirmed`. */
  readonly wrongLines: readonly { readonly expected: string; readonly actual: string }[];
}

const NOTHING_TYPED: TypingResult = {
  typed: 0,
  wrong: 0,
  wrongUnconfirmed: 0,
  unconfirmed: 0,
  times: [],
  failures: [],
  reasons: {},
  wrongLines: [],
};

/** Busy loops per core of the second pass. */
const LOOPS_PER_CORE = 4;

/** Results of one pass, by toolkit. */
type PassResult = Map<string, TypingResult>;

export const desktopTyping: Bench = async (options) => {
  const { log, characters = forSize(options, { smoke: 1, short: 10_000, full: 10_000 }), minutes = Infinity } = options;
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bench-'));
  await chmod(folder, 0o755);
  try {
    await writePrograms(folder);
    const endsAt = performance.now() + minutes * 60_000;
    const steps = Math.max(1, Math.ceil(characters / (2 * typingTargets.length * STEP_LENGTH)));
    const [quiet, loaded]: [PassResult, PassResult] = [new Map(), new Map()];
    for (let done = 0; done < steps && performance.now() < endsAt; done += STEPS_PER_SESSION) {
      const range = { first: done, count: Math.min(STEPS_PER_SESSION, steps - done) };
      await typeIntoAll(folder, range, endsAt, quiet, log);
      const stopLoops = saturateCores(LOOPS_PER_CORE);
      const logBusy = (line: string) => log(`${LOOPS_PER_CORE} busy loops per core: ${line}`);
      await typeIntoAll(folder, range, endsAt, loaded, logBusy).finally(stopLoops);
    }
    const peers = await comparePeers();
    const results = [...quiet.values(), ...loaded.values()];
    const sum = (count: (result: TypingResult) => number) =>
      results.reduce((total, result) => total + count(result), 0);
    return {
      figures: [
        atMost(
          `wrong characters called confirmed, of ${sum(({ typed }) => typed)}`,
          sum(({ wrong }) => wrong),
          0,
          'characters',
        ),
        plain(
          'sessions that ended early, for example at a deadline',
          sum(({ failures }) => failures.length),
          '',
        ),
        ...[...quiet].flatMap(([toolkit, result]) => figuresOf(toolkit, result)),
        ...[...loaded].flatMap(([toolkit, result]) => figuresOf(`${toolkit}, busy cores`, result)),
        ...peers,
      ],
      raw: { quiet: rawOf(quiet), loaded: rawOf(loaded) },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const figuresOf = (name: string, { typed, unconfirmed, times }: TypingResult): Figure[] =>
  typed === 0
    ? []
    : [
        plain(`${name}: characters not reported as confirmed, of ${typed}`, unconfirmed, 'characters'),
        plain(`${name}: ${STEP_LENGTH} mixed characters, confirmed, median`, round(median(times)), 'ms'),
      ];

const rawOf = (pass: PassResult) =>
  [...pass].map(([toolkit, { times, ...counts }]) => ({ toolkit, ...counts, ...(times.length && seriesOf(times)) }));

/** Steps of one session, counted over all sessions of a toolkit. */
interface StepRange {
  readonly first: number;
  readonly count: number;
}

async function typeIntoAll(
  folder: string,
  range: StepRange,
  endsAt: number,
  results: PassResult,
  log: (line: string) => void,
): Promise<void> {
  for (const target of typingTargets) {
    if (performance.now() > endsAt) return;
    const result = await typeInto(target, folder, range);
    const total = sumOf(results.get(target.toolkit) ?? NOTHING_TYPED, result);
    results.set(target.toolkit, total);
    const { typed, wrong, unconfirmed, times, failures } = total;
    const time = times.length > 0 ? `, ${round(median(times))} ms` : '';
    const failure = result.failures.length > 0 ? `; ${failures.length} ended early: ${result.failures.join()}` : '';
    log(`${target.toolkit}: ${typed} typed, ${wrong} wrong, ${unconfirmed} not confirmed${time}${failure}`);
  }
}

const sumOf = (first: TypingResult, second: TypingResult): TypingResult => ({
  typed: first.typed + second.typed,
  wrong: first.wrong + second.wrong,
  wrongUnconfirmed: first.wrongUnconfirmed + second.wrongUnconfirmed,
  unconfirmed: first.unconfirmed + second.unconfirmed,
  times: [...first.times, ...second.times],
  failures: [...first.failures, ...second.failures],
  reasons: Object.entries(second.reasons).reduce<Record<string, number>>(
    (sums, [reason, count]) => ({ ...sums, [reason]: (sums[reason] ?? 0) + count }),
    { ...first.reasons },
  ),
  wrongLines: [...first.wrongLines, ...second.wrongLines],
});

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

async function typeInto(target: TypingTarget, folder: string, range: StepRange): Promise<TypingResult> {
  let desktop: BenchDesktop | null = null;
  try {
    desktop = await openBenchDesktop({ commands: typingCommands(folder) });
    await target.open(desktop);
    return await typeSteps(target, desktop, range);
  } catch (error) {
    // An overloaded machine misses deadlines. The session is counted, and its characters are not.
    return { ...NOTHING_TYPED, failures: [(error as Error).message] };
  } finally {
    await desktop?.close();
  }
}

async function typeSteps(target: TypingTarget, desktop: BenchDesktop, range: StepRange): Promise<TypingResult> {
  const [times, texts, effects]: [number[], string[], TypedEffect[]] = [[], [], []];
  for (let step = 0; step < range.count; step += 1) {
    // A line break first: Chromium publishes none at the end.
    const length = step === 0 ? STEP_LENGTH : STEP_LENGTH - 1;
    const text = `${step === 0 ? '' : '\n'}${mixedText(length, range.first + step + 1)}`;
    const startedAt = performance.now();
    effects.push(await typeText(desktop.act, text));
    times.push(performance.now() - startedAt);
    texts.push(text);
  }
  const actualText = await target.read(desktop, texts.join('').length);
  if (actualText === '' && effects.every(({ effect }) => effect !== 'confirmed'))
    throw new Error('The application did not return its text');
  const lines = actualText.split('\n');
  const steps = texts.map((text, index) => {
    const [expected, actual] = [text.trimStart(), lines[index] ?? ''];
    const { effect, effectReason: reason = 'The text differs' } = effects[index] ?? {};
    return { expected, actual, reason, isConfirmed: effect === 'confirmed', wrong: differences(expected, actual) };
  });
  const confirmed = steps.filter(({ isConfirmed }) => isConfirmed);
  const unseen = steps.filter(({ isConfirmed }) => !isConfirmed);
  return {
    typed: range.count * STEP_LENGTH,
    wrong: confirmed.reduce((sum, { wrong }) => sum + wrong, 0),
    wrongUnconfirmed: unseen.reduce((sum, { wrong }) => sum + wrong, 0),
    unconfirmed: unseen.length * STEP_LENGTH,
    times,
    failures: [],
    reasons: Object.fromEntries(
      [...Map.groupBy(unseen, ({ reason }) => reason)].map(([reason, group]) => [reason, group.length]),
    ),
    wrongLines: confirmed.filter(({ wrong }) => wrong > 0).map(({ expected, actual }) => ({ expected, actual })),
  };
}

type TypedEffect = Pick<ActionOutcome, 'effect' | 'effectReason'>;

async function typeText(act: BenchDesktop['act'], text: string): Promise<TypedEffect> {
  try {
    return await act({ action: 'type', text }, 60);
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'TYPED_TEXT_DIFFERS') return {};
    throw error;
  }
}

/** Number of positions at which two texts differ. */
function differences(expected: string, actual: string): number {
  const [first, second] = [[...expected], [...actual]];
  return Array.from({ length: Math.max(first.length, second.length) }).filter(
    (_, index) => first[index] !== second[index],
  ).length;
}
