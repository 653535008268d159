import type { Failpoint } from '@pilothouse/infra-fault';
import { atFailpoint, variations, type Variation } from '../faults/failpoint-faults.ts';
import type { Fault, SurfaceKind } from '../faults/fault.ts';
import { faults, type FaultName } from '../faults/fault-table.ts';
import { failpointNames } from '../faults/failpoint-timing.ts';
import type { RarelyPassed, Side } from '../report/failpoint-coverage.ts';
import { SeededRandom } from './seeded-random.ts';

/** One case: what is broken, on which surface. Everything else is drawn from its seed. */
export interface CasePlan {
  readonly index: number;
  /** What is broken. */
  readonly fault: string;
  /** How, at a failpoint. */
  readonly variation: string;
  readonly surface: SurfaceKind;
  readonly play: Fault;
}

type Card = Omit<CasePlan, 'index'>;

/** How often each fault is played in a whole deck; the first of those that may is on a real browser. */
const times: Readonly<Record<FaultName, { cases: number; browsers?: number }>> = {
  'worker killed': { cases: 7, browsers: 3 },
  'worker stopped, then continued': { cases: 7, browsers: 2 },
  'lone worker stopped, then continued': { cases: 5 },
  'socket cut': { cases: 5, browsers: 1 },
  'socket frozen': { cases: 5, browsers: 1 },
  'socket slow': { cases: 3, browsers: 1 },
  'sockets closed': { cases: 3, browsers: 1 },
  'one API killed': { cases: 4, browsers: 2 },
  'both APIs killed': { cases: 4, browsers: 1 },
  'one API told to stop': { cases: 3 },
  'one API stopped, then continued': { cases: 4 },
  'events come twice': { cases: 4 },
  'one API held up everywhere': { cases: 2 },
  'all held up for moments': { cases: 3 },
  'all held up for moments, runs taken over': { cases: 3 },
  'worker leaves, others go on': { cases: 3 },
  'worker leaves, nobody goes on': { cases: 3 },
  'controller killed': { cases: 3, browsers: 1 },
  'Redis flushed': { cases: 4 },
  'Redis restarted': { cases: 4 },
  'Redis paused': { cases: 4 },
  'PostgreSQL restarted': { cases: 3, browsers: 1 },
  'writes broken': { cases: 3, browsers: 1 },
  'object store refuses': { cases: 3 },
  'disk full': { cases: 3 },
  'clock of a worker stepped': { cases: 3 },
  'clock of an API stepped': { cases: 2 },
  '500 runs at once': { cases: 1 },
  'cancel races completion': { cases: 5, browsers: 1 },
  'duplicate submits': { cases: 4 },
  'worker killed as it heals': { cases: 3, browsers: 3 },
  'APIs killed as they propose': { cases: 2, browsers: 2 },
  'worker killed as it remembers': { cases: 3, browsers: 3 },
  'API told too late what to remember': { cases: 2, browsers: 2 },
  'PostgreSQL killed as it remembers': { cases: 2, browsers: 2 },
  'worker killed as it is driven': { cases: 3, browsers: 3 },
  'worker told to end': { cases: 4, browsers: 2 },
  'worker killed as it drains': { cases: 3, browsers: 1 },
  'browser killed': { cases: 2, browsers: 2 },
  'page killed': { cases: 2, browsers: 2 },
  'PostgreSQL killed': { cases: 3, browsers: 1 },
  'cancelled, and the worker killed': { cases: 3, browsers: 1 },
  'cancelled, and the worker stopped': { cases: 3, browsers: 1 },
  'cancelled, and the worker told to end': { cases: 3, browsers: 1 },
  'workers killed, nobody takes over': { cases: 3, browsers: 1 },
  'workers killed, begun anew': { cases: 3, browsers: 1 },
  'workers killed, two steps in doubt': { cases: 3, browsers: 1 },
};

/** Failpoints that are played on a real browser, too: in two of their variations. */
const withBrowser: ReadonlySet<Failpoint> = new Set([
  'worker.accepted',
  'worker.intent-durable',
  'worker.input-sent',
  'worker.outcome-buffered',
  'worker.before-cleanup',
  'worker.question-durable',
  'gateway.safe-point-stored',
]);
const browserVariations = new Set(['killed', 'stopped beyond the lease']);

const longVariations = variations.filter((variation) => variation !== 'held up');
const breaking: readonly Variation[] = ['killed', 'killed with all workers', 'stopped beyond the lease'];

/**
 * What is played at a failpoint by itself. A replica that is to break needs a life for it, and that costs: where it is only held up it passes many
 * failpoints in one life (`one API held up everywhere`). For a moment everybody is held up in `all held up for moments`.
 */
const variationsOf = (name: Failpoint): readonly Variation[] =>
  selectedVariations[name] ?? (/^(way|gateway)[.]/.test(name) ? breaking : longVariations);

/** Failpoints at which fewer, or other, variations tell something. */
const selectedVariations: Partial<Record<Failpoint, readonly Variation[]>> = {
  'worker.opened': breaking,
  'worker.restored': breaking,
  'worker.upload-sent': breaking,
  'run.cancelled': ['killed', 'stopped beyond the lease'],
  'run.dismissed': ['killed', 'stopped beyond the lease'],
  // One process is killed in a case.
  'run.answered': ['killed', ...longVariations],
  'worker.before-handback': ['killed', 'killed', 'killed'],
  'gateway.handed-back': ['killed', 'killed', 'killed'],
  'gateway.slot-released': ['killed', 'killed', 'killed'],
  // There are no other workers that could be killed with it.
  'sweeper.reclaimed': [
    'killed',
    'killed',
    ...variations.filter((variation) => variation !== 'killed with all workers'),
    'held up',
  ],
};

const failpointCard = (name: Failpoint, variation: Variation, surface: SurfaceKind): Card => ({
  fault: name,
  variation,
  surface,
  play: atFailpoint(name, variation),
});

const faultCard = (fault: FaultName, surface: SurfaceKind): Card => ({
  fault,
  variation: '',
  surface,
  play: faults[fault],
});

/** Every case that has to be, in the order in which it was declared. */
const cards: readonly Card[] = [
  ...failpointNames.flatMap((name) =>
    variationsOf(name).map((variation) =>
      failpointCard(name, variation, withBrowser.has(name) && browserVariations.has(variation) ? 'browser' : 'http'),
    ),
  ),
  ...Object.entries(times).flatMap(([fault, { cases, browsers = 0 }]) =>
    Array.from({ length: cases }, (_, index) => faultCard(fault as FaultName, index < browsers ? 'browser' : 'http')),
  ),
];

/** What brings runs by failpoints, or to a side of them, that hardly anything else brings them to, and what kills a process there. */
const isRare = ({ fault, variation }: Card) =>
  /^all held up for moments|^worker leaves/.test(fault) ||
  variation.startsWith('killed') ||
  (fault === 'sweeper.reclaimed' && variation === 'held up');

/**
 * The cases of a seed, without end: the first ones are a whole deck in random order, then the next deck, and so on. The same seed
 * deals the same cases. Rare ones are the first of a deck, and with them one of each fault: a machine without time for all of it has played them.
 */
export function* deal(seed: string): Generator<CasePlan> {
  for (let round = 0; ; round += 1) {
    const shuffled = new SeededRandom(`${seed}/deck/${round}`).shuffle(cards);
    const oneOfEach = new Set(
      Object.keys(faults).map((name) => {
        const them = shuffled.filter(({ fault }) => fault === name);
        return them.find(({ surface }) => surface === 'browser') ?? them[0];
      }),
    );
    const isFirst = (card: Card) => isRare(card) || oneOfEach.has(card);
    const dealt = [...shuffled.filter(isFirst), ...shuffled.filter((card) => !isFirst(card))];
    for (const [at, card] of dealt.entries()) yield { ...card, index: round * cards.length + at };
  }
}

/** Cases of a whole deck. */
export const DECK_SIZE = cards.length;

/** Cases of a deck that have to be played, and how many of them in a real browser; what is left then is for a machine that has the time. */
export const MINIMUM = { cases: 200, browsers: 30 } as const;

/** Number of the first case that is added to a deck; none that is dealt is looked for so far. */
export const FIRST_ADDED_INDEX = 10 * DECK_SIZE;

type RecoverySide = Exclude<Side, 'killed'>;

/** What brings runs by a failpoint with a takeover, and without; where it is not named: one of `everywhere`. */
const exitCases: Readonly<Record<RecoverySide, Card>> = {
  with: faultCard('worker leaves, others go on', 'http'),
  without: faultCard('worker leaves, nobody goes on', 'http'),
};
const casesOfFailpoint: Partial<Record<Failpoint, Readonly<Record<RecoverySide, Card>>>> = {
  'worker.before-handback': exitCases,
  'gateway.handed-back': exitCases,
  'gateway.slot-released': exitCases,
  'sweeper.reclaimed': {
    with: failpointCard('sweeper.reclaimed', 'stopped for a moment', 'http'),
    without: failpointCard('sweeper.reclaimed', 'held up', 'http'),
  },
};
const everywhere: Readonly<Record<RecoverySide, Card>> = {
  with: faultCard('all held up for moments, runs taken over', 'http'),
  without: faultCard('all held up for moments', 'http'),
};

/** What kills a process at a failpoint. */
const killing = new Map(failpointNames.map((name) => [name, failpointCard(name, 'killed', 'http')]));

/** Every card that may be added. */
const added = [
  ...[...new Set([...Object.values(casesOfFailpoint), everywhere])].flatMap((sides) => [sides.with, sides.without]),
  ...killing.values(),
];

/** A further case for a failpoint that was not passed often enough on one side. @param nth of those that are added */
export const addedCase = (nth: number, { name, side }: Pick<RarelyPassed, 'name' | 'side'>): CasePlan => {
  const takenOver = casesOfFailpoint[name] ?? everywhere;
  const card = side === 'killed' ? (killing.get(name) ?? takenOver.with) : takenOver[side];
  return { ...card, index: FIRST_ADDED_INDEX + nth * added.length + added.indexOf(card) };
};

/** A case that was added, by its number. @returns undefined when it has another's */
export const addedAt = (index: number): CasePlan | undefined => {
  const card = index >= FIRST_ADDED_INDEX ? added[(index - FIRST_ADDED_INDEX) % added.length] : undefined;
  return card && { ...card, index };
};
