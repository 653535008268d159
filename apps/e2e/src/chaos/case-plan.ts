import type { Failpoint } from '@pilothouse/infra-fault';
import { atFailpoint, variations, type Variation } from './faults/failpoint-faults.ts';
import type { Fault, SurfaceKind } from './faults/fault.ts';
import { faults, type FaultName } from './faults/fault-table.ts';
import { failpointNames } from './faults/failpoint-timing.ts';
import type { UndercoveredHit, Side } from './report/failpoint-coverage.ts';
import { SeededRandom } from './plan/seeded-random.ts';

/** One case: a fault and a surface. Everything else is drawn from its seed. */
export interface CasePlan {
  readonly index: number;
  /** Name of the fault. */
  readonly fault: string;
  /** Action at a failpoint. */
  readonly variation: string;
  readonly surface: SurfaceKind;
  readonly inject: Fault;
}

type CaseTemplate = Omit<CasePlan, 'index'>;

/** Frequency of each fault in the full set. The first suitable ones use a real browser. */
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
  'one API stopped': { cases: 3 },
  'one API stopped, then continued': { cases: 4 },
  'events come twice': { cases: 4 },
  'one API paused everywhere': { cases: 2 },
  'all paused briefly': { cases: 3 },
  'all paused briefly, runs recovered': { cases: 3 },
  'worker exits, others continue': { cases: 3 },
  'worker exits without successor': { cases: 3 },
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
  'worker killed as it caches': { cases: 3, browsers: 3 },
  'API caches after the lease': { cases: 2, browsers: 2 },
  'PostgreSQL killed as it caches': { cases: 2, browsers: 2 },
  'worker killed under control': { cases: 3, browsers: 3 },
  'worker drained': { cases: 4, browsers: 2 },
  'worker killed as it drains': { cases: 3, browsers: 1 },
  'browser killed': { cases: 2, browsers: 2 },
  'page killed': { cases: 2, browsers: 2 },
  'PostgreSQL killed': { cases: 3, browsers: 1 },
  'cancelled, and the worker killed': { cases: 3, browsers: 1 },
  'cancelled, and the worker stopped': { cases: 3, browsers: 1 },
  'cancelled, and the worker drained': { cases: 3, browsers: 1 },
  'workers killed without recovery': { cases: 3, browsers: 1 },
  'workers killed, runs restarted': { cases: 3, browsers: 1 },
  'workers killed, two steps interrupted': { cases: 3, browsers: 1 },
};

/** Failpoints that also run on a real browser, in two of their variations. */
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

const longVariations = variations.filter((variation) => variation !== 'delayed');
const breakingVariations: readonly Variation[] = ['killed', 'killed with all workers', 'stopped beyond the lease'];

/**
 * Actions at a single failpoint. A replica that breaks needs a restart, which is expensive. A delayed replica
 * reaches many failpoints in one life (`one API paused everywhere`). `all paused briefly` delays all processes
 * briefly.
 */
const variationsOf = (name: Failpoint): readonly Variation[] =>
  selectedVariations[name] ?? (/^(run|dispatch|gateway)[.]/.test(name) ? breakingVariations : longVariations);

/** Failpoints with fewer or other useful variations. */
const selectedVariations: Partial<Record<Failpoint, readonly Variation[]>> = {
  'worker.opened': breakingVariations,
  'worker.restored': breakingVariations,
  'worker.upload-sent': breakingVariations,
  'run.cancelled': ['killed', 'stopped beyond the lease'],
  'run.dismissed': ['killed', 'stopped beyond the lease'],
  // A case kills one process.
  'run.answered': ['killed', ...longVariations],
  'worker.before-handback': ['killed', 'killed', 'killed'],
  'gateway.handed-back': ['killed', 'killed', 'killed'],
  'gateway.slot-released': ['killed', 'killed', 'killed'],
  // Its only worker is already dead.
  'sweeper.reclaimed': [
    'killed',
    'killed',
    ...variations.filter((variation) => variation !== 'killed with all workers'),
    'delayed',
  ],
};

const failpointCase = (name: Failpoint, variation: Variation, surface: SurfaceKind): CaseTemplate => ({
  fault: name,
  variation,
  surface,
  inject: atFailpoint(name, variation),
});

const faultCase = (fault: FaultName, surface: SurfaceKind): CaseTemplate => ({
  fault,
  variation: '',
  surface,
  inject: faults[fault],
});

/** Every mandatory case, in the order of declaration. */
const caseTemplates: readonly CaseTemplate[] = [
  ...failpointNames.flatMap((name) =>
    variationsOf(name).map((variation) =>
      failpointCase(name, variation, withBrowser.has(name) && browserVariations.has(variation) ? 'browser' : 'http'),
    ),
  ),
  ...Object.entries(times).flatMap(([fault, { cases, browsers = 0 }]) =>
    Array.from({ length: cases }, (_, index) => faultCase(fault as FaultName, index < browsers ? 'browser' : 'http')),
  ),
];

/** Cases that make runs reach rare failpoints, or kill a process there. */
const isRare = ({ fault, variation }: CaseTemplate) =>
  /^all paused briefly|^worker exits/.test(fault) ||
  variation.startsWith('killed') ||
  (fault === 'sweeper.reclaimed' && variation === 'delayed');

/**
 * Yields the cases of a seed without end: full sets, each in random order. The same seed yields the same cases. Rare
 * cases and one case of each fault come first, so that a machine without time for the full set runs them.
 */
export function* generateCases(seed: string): Generator<CasePlan> {
  for (let round = 0; ; round += 1) {
    const shuffled = new SeededRandom(`${seed}/deck/${round}`).shuffle(caseTemplates);
    const oneOfEach = new Set(
      Object.keys(faults).map((name) => {
        const them = shuffled.filter(({ fault }) => fault === name);
        return them.find(({ surface }) => surface === 'browser') ?? them[0];
      }),
    );
    const isFirst = (template: CaseTemplate) => isRare(template) || oneOfEach.has(template);
    const ordered = [...shuffled.filter(isFirst), ...shuffled.filter((template) => !isFirst(template))];
    for (const [position, template] of ordered.entries())
      yield { ...template, index: round * caseTemplates.length + position };
  }
}

/** Number of cases of the full set. */
export const FULL_SET_SIZE = caseTemplates.length;

/** Minimum number of cases of the full set, and of those in a real browser. The rest is for machines with enough time. */
export const MINIMUM = { cases: 200, browsers: 30 } as const;

/** Number of the first case that is added to the full set, above every generated number. */
export const FIRST_ADDED_INDEX = 10 * FULL_SET_SIZE;

type RecoverySide = Exclude<Side, 'killed'>;

/** Cases that make runs reach a failpoint, with and without recovery. Default: one of `everywhere`. */
const exitCases: Readonly<Record<RecoverySide, CaseTemplate>> = {
  with: faultCase('worker exits, others continue', 'http'),
  without: faultCase('worker exits without successor', 'http'),
};
const casesOfFailpoint: Partial<Record<Failpoint, Readonly<Record<RecoverySide, CaseTemplate>>>> = {
  'worker.before-handback': exitCases,
  'gateway.handed-back': exitCases,
  'gateway.slot-released': exitCases,
  'sweeper.reclaimed': {
    with: failpointCase('sweeper.reclaimed', 'stopped for a moment', 'http'),
    without: failpointCase('sweeper.reclaimed', 'delayed', 'http'),
  },
};
const defaultCases: Readonly<Record<RecoverySide, CaseTemplate>> = {
  with: faultCase('all paused briefly, runs recovered', 'http'),
  without: faultCase('all paused briefly', 'http'),
};

/** Cases that kill a process at a failpoint. */
const killCases = new Map(failpointNames.map((name) => [name, failpointCase(name, 'killed', 'http')]));

/** Every case that may be added. */
const addableCases = [
  ...[...new Set([...Object.values(casesOfFailpoint), defaultCases])].flatMap((sides) => [sides.with, sides.without]),
  ...killCases.values(),
];

/**
 * A further case for a failpoint that was not reached often enough.
 * @param nth index among the added cases
 */
export const addedCase = (nth: number, { name, side }: Pick<UndercoveredHit, 'name' | 'side'>): CasePlan => {
  const coverage = casesOfFailpoint[name] ?? defaultCases;
  const template = side === 'killed' ? (killCases.get(name) ?? coverage.with) : coverage[side];
  return { ...template, index: FIRST_ADDED_INDEX + nth * addableCases.length + addableCases.indexOf(template) };
};

/**
 * Returns an added case by its number.
 * @returns undefined for another number
 */
export const addedAt = (index: number): CasePlan | undefined => {
  const template =
    index >= FIRST_ADDED_INDEX ? addableCases[(index - FIRST_ADDED_INDEX) % addableCases.length] : undefined;
  return template && { ...template, index };
};
