import { recordCreationFailure, NO_BACKOFF } from './creation-backoff.ts';
import { decideScaling } from './scaling-decision.ts';
import { type FleetObservation, type ScalingConfig, type ScalingWorker, defaultTuning } from './scaling-observation.ts';

const now = 1_800_000_000_000;
const ago = (seconds: number) => now - seconds * 1000;

const base: ScalingConfig = {
  minWorkers: 0,
  maxWorkers: 4,
  idleSlots: 0,
  slots: 2,
  cooldownSeconds: 60,
  paused: false,
};

const worker = (name: string, overrides: Partial<ScalingWorker> = {}): ScalingWorker => ({
  name,
  state: 'ready',
  slots: 2,
  busy: 0,
  idleSince: overrides.busy ? null : ago(10),
  startedAt: ago(1000),
  stateSince: null,
  managed: true,
  ...overrides,
});
const starting = (name: string, seconds = 5, overrides: Partial<ScalingWorker> = {}) =>
  worker(name, { state: 'starting', startedAt: ago(seconds), idleSince: null, ...overrides });

const fleet = (
  waiting: number,
  workers: ScalingWorker[] = [],
  config: Partial<ScalingConfig> = {},
  template?: string,
): FleetObservation => ({ config: { ...base, ...config }, waiting, workers, template });

/** Decisions as texts: `create 2 waiting`, `drain a cooldown`, `stop a start-timeout`, `held 3 at-max`. */
function describeDecisions(observation: FleetObservation, backoff = NO_BACKOFF): string[] {
  const { decisions, heldCreation: held } = decideScaling(observation, now, backoff);
  return [
    ...decisions.map((decision) =>
      decision.action === 'create'
        ? `create ${decision.count} ${decision.reason}`
        : `${decision.action} ${decision.worker} ${decision.reason}`,
    ),
    ...(held ? [`held ${held.count} ${held.reason}`] : []),
  ];
}

const cases: [string, FleetObservation, string[]][] = [
  ['nothing to do at zero', fleet(0), []],
  ['wakes from zero at once', fleet(1), ['create 1 waiting']],
  ['a burst fills slots, not workers', fleet(5), ['create 3 waiting']],
  ['never above max', fleet(100), ['create 4 waiting', 'held 46 at-max']],
  ['max 0 creates nothing', fleet(3, [], { maxWorkers: 0 }), ['held 2 at-max']],
  [
    'a cordoned worker is not there for what waits, nor for min',
    fleet(2, [worker('a', { cordoned: true }), worker('b', { busy: 2 })], { minWorkers: 2 }),
    ['create 1 below-min'],
  ],
  [
    'a cordoned worker is within max',
    fleet(8, [worker('a', { cordoned: true })], { maxWorkers: 2 }),
    ['create 1 waiting', 'held 3 at-max'],
  ],
  [
    'a cordoned worker stays, however long it is idle, and another does not stay for it',
    fleet(0, [worker('a', { cordoned: true, idleSince: ago(900) }), worker('b', { idleSince: ago(90) })]),
    ['drain b cooldown'],
  ],
  ['min is kept without any work', fleet(0, [], { minWorkers: 2 }), ['create 2 below-min']],
  ['min counts for what waits', fleet(3, [], { minWorkers: 1 }), ['create 1 below-min', 'create 1 waiting']],
  [
    'idle target is kept while something waits',
    fleet(2, [], { idleSlots: 1 }),
    ['create 1 waiting', 'create 1 idle-target'],
  ],
  [
    'idle target is kept while something runs',
    fleet(0, [worker('a', { busy: 2 })], { idleSlots: 1 }),
    ['create 1 idle-target'],
  ],
  ['a free slot is the idle target', fleet(0, [worker('a', { busy: 1 })], { idleSlots: 1 }), []],
  ['idle target is kept without any work, from zero', fleet(0, [], { idleSlots: 3 }), ['create 2 idle-target']],
  ['idle target is kept after work', fleet(0, [worker('a', { idleSince: ago(900) })], { idleSlots: 1 }), []],
  [
    'workers beyond the idle target are drained after the cooldown',
    fleet(0, [worker('a', { idleSince: ago(900) }), worker('b', { idleSince: ago(800) })], { idleSlots: 1 }),
    ['drain a cooldown'],
  ],
  ['workers that min keeps are warm, too', fleet(0, [], { minWorkers: 1, idleSlots: 2 }), ['create 1 below-min']],
  ['idle target is bounded by max', fleet(0, [worker('a')], { idleSlots: 3, maxWorkers: 1 }), ['held 1 at-max']],
  ['no idle target while paused', fleet(0, [], { idleSlots: 3, paused: true }), []],
  ['slots of a starting worker count', fleet(2, [starting('a')]), []],
  ['only what starting workers leave is created', fleet(5, [starting('a'), starting('b')]), ['create 1 waiting']],
  ['free slots take what waits', fleet(1, [worker('a', { busy: 1 })]), []],
  ['full workers do not', fleet(1, [worker('a', { busy: 2 })]), ['create 1 waiting']],
  [
    'draining workers count for max and give no capacity',
    fleet(4, [worker('a', { state: 'draining', busy: 1, stateSince: ago(900) })], { maxWorkers: 2 }),
    ['create 1 waiting', 'held 1 at-max'],
  ],
  [
    'a worker out of touch counts for max',
    fleet(1, [worker('a', { state: 'disconnected', stateSince: ago(9) })], { maxWorkers: 1 }),
    ['held 1 at-max'],
  ],
  ['a worker joined from elsewhere takes what waits', fleet(2, [worker('x', { managed: false })]), []],
  [
    'a worker joined from elsewhere counts neither for min nor for max',
    fleet(3, [worker('x', { managed: false, busy: 2 })], { minWorkers: 1, maxWorkers: 2 }),
    ['create 1 below-min', 'create 1 waiting'],
  ],
  ['idle after the cooldown: zero', fleet(0, [worker('a', { idleSince: ago(60) })]), ['drain a cooldown']],
  ['idle within the cooldown stays', fleet(0, [worker('a', { idleSince: ago(59) })]), []],
  [
    'cooldown counts from the start if the idle time is unknown',
    fleet(0, [worker('a', { idleSince: null })]),
    ['drain a cooldown'],
  ],
  ['a busy worker is never drained', fleet(0, [worker('a', { busy: 1, idleSince: ago(900) })]), []],
  [
    'min stays',
    fleet(0, [worker('a', { idleSince: ago(70) }), worker('b', { idleSince: ago(80) })], { minWorkers: 1 }),
    ['drain b cooldown'],
  ],
  [
    'starting workers do not stand in for min',
    fleet(0, [worker('a', { idleSince: ago(70) }), starting('b')], { minWorkers: 1 }),
    [],
  ],
  ['what waits is covered before anything goes', fleet(2, [worker('a', { idleSince: ago(70) })]), []],
  [
    'longest idle first, as far as the idle target allows',
    fleet(0, [worker('busy', { busy: 2 }), worker('b', { idleSince: ago(70) }), worker('c', { idleSince: ago(90) })], {
      idleSlots: 2,
    }),
    ['drain c cooldown'],
  ],
  [
    'newest template last',
    fleet(
      0,
      [
        worker('new', { idleSince: ago(90), template: 't2' }),
        worker('old', { idleSince: ago(70), template: 't1' }),
        worker('older', { idleSince: ago(80), template: 't1' }),
      ],
      { minWorkers: 1 },
      't2',
    ),
    ['drain older cooldown', 'drain old cooldown'],
  ],
  [
    'an idle worker of an old template is replaced, and stays until its successor is ready',
    fleet(0, [worker('old', { template: 't1' })], { minWorkers: 1 }, 't2'),
    ['create 1 below-min'],
  ],
  [
    'while the successor starts, nothing more is done',
    fleet(0, [worker('old', { template: 't1' }), starting('new', 5, { template: 't2' })], { minWorkers: 1 }, 't2'),
    [],
  ],
  [
    'once the successor is ready, the old one goes without a cooldown',
    fleet(0, [worker('old', { template: 't1' }), worker('new', { template: 't2' })], { minWorkers: 1 }, 't2'),
    ['drain old old-template'],
  ],
  [
    'a busy worker of an old template is left alone and counts',
    fleet(0, [worker('old', { template: 't1', busy: 1 })], { minWorkers: 1, idleSlots: 1 }, 't2'),
    [],
  ],
  [
    'which makes its successor superfluous neither while that starts',
    fleet(
      0,
      [worker('old', { template: 't1', busy: 1 }), starting('new', 60, { template: 't2' })],
      { minWorkers: 1, cooldownSeconds: 2 },
      't2',
    ),
    [],
  ],
  [
    'nor once that is ready',
    fleet(
      0,
      [worker('old', { template: 't1', busy: 1 }), worker('new', { template: 't2' })],
      { minWorkers: 1, cooldownSeconds: 2 },
      't2',
    ),
    [],
  ],
  [
    'nor one that is to be warm',
    fleet(
      0,
      [worker('old', { template: 't1', busy: 1 }), starting('new', 60, { template: 't2' })],
      { idleSlots: 1, cooldownSeconds: 2 },
      't2',
    ),
    [],
  ],
  [
    'but max was lowered: the successor does not come',
    fleet(
      0,
      [worker('old', { template: 't1', busy: 1 }), starting('new', 5, { template: 't2' })],
      { minWorkers: 1, maxWorkers: 1 },
      't2',
    ),
    ['stop new not-needed'],
  ],
  [
    'surplus workers of the new template are drained',
    fleet(
      0,
      [
        worker('old', { template: 't1', busy: 1 }),
        worker('a', { template: 't2', idleSince: ago(90) }),
        worker('b', { template: 't2', idleSince: ago(80) }),
      ],
      { minWorkers: 1 },
      't2',
    ),
    ['drain a cooldown'],
  ],
  [
    'an idle one of an old template does not stay warm',
    fleet(0, [worker('old', { template: 't1' }), worker('b', { template: 't1', busy: 2 })], { idleSlots: 1 }, 't2'),
    ['create 1 idle-target'],
  ],
  ['but it takes what waits', fleet(1, [worker('old', { template: 't1' })], {}, 't2'), []],
  [
    'at max one old one goes before its successor comes',
    fleet(
      0,
      [worker('a', { template: 't1' }), worker('b', { template: 't1' })],
      { minWorkers: 2, maxWorkers: 2 },
      't2',
    ),
    ['drain a old-template', 'held 2 at-max'],
  ],
  [
    'nor for one that drains with a run',
    fleet(
      0,
      [
        worker('a', { template: 't1' }),
        worker('b', { template: 't2', state: 'draining', busy: 1, stateSince: ago(99) }),
      ],
      { minWorkers: 1, maxWorkers: 2 },
      't2',
    ),
    ['drain a old-template', 'held 1 at-max'],
  ],
  [
    'but where its going would make no room it stays',
    fleet(
      0,
      [
        worker('a', { template: 't1' }),
        worker('b', { template: 't2', state: 'draining', busy: 1, stateSince: ago(99) }),
        worker('c', { template: 't2', state: 'draining', busy: 1, stateSince: ago(99) }),
      ],
      { minWorkers: 1, maxWorkers: 2 },
      't2',
    ),
    ['held 1 at-max'],
  ],
  [
    'and the next only when that one is replaced',
    fleet(
      0,
      [worker('a', { template: 't1' }), worker('b', { template: 't1', state: 'draining', stateSince: ago(1) })],
      { minWorkers: 2, maxWorkers: 2 },
      't2',
    ),
    ['held 2 at-max'],
  ],
  [
    'paused replaces nothing',
    fleet(0, [worker('a', { template: 't1' })], { minWorkers: 1, maxWorkers: 1, paused: true }, 't2'),
    ['held 1 paused'],
  ],
  [
    'a starting worker of an old template is replaced immediately',
    fleet(1, [starting('old', 5, { template: 't1' })], {}, 't2'),
    ['stop old old-template', 'create 1 waiting'],
  ],
  ['without a template no worker is outdated', fleet(0, [worker('a', { template: 't1' })], { minWorkers: 1 }), []],
  [
    'above max goes at once, but only what is idle',
    fleet(0, [worker('a'), worker('b', { busy: 1 }), worker('c', { idleSince: ago(20) })], { maxWorkers: 1 }),
    ['drain c above-max', 'drain a above-max'],
  ],
  ['external workers are not drained', fleet(0, [worker('x', { managed: false, idleSince: ago(900) })]), []],
  ['paused creates nothing', fleet(3, [], { paused: true, minWorkers: 1 }), ['held 1 paused']],
  [
    'paused lets go what is idle, to min',
    fleet(3, [worker('a', { idleSince: ago(61) })], { paused: true }),
    ['drain a cooldown'],
  ],
  [
    'a worker that does not start is stopped, and not replaced at once',
    fleet(1, [starting('a', 61)]),
    ['stop a start-timeout', 'held 1 backoff'],
  ],
  [
    'a worker that does not drain in time is stopped',
    fleet(0, [worker('a', { state: 'draining', stateSince: ago(31) })]),
    ['stop a drain-timeout'],
  ],
  [
    'a draining worker with a run has no deadline',
    fleet(0, [worker('a', { state: 'draining', busy: 1, stateSince: ago(9000) })]),
    [],
  ],
  [
    'a starting worker that is no longer needed is stopped after the cooldown',
    fleet(0, [starting('a', 20)], { cooldownSeconds: 20 }),
    ['stop a not-needed'],
  ],
  ['and not before', fleet(0, [starting('a', 19)], { cooldownSeconds: 20 }), []],
  [
    'the youngest goes first',
    fleet(2, [starting('a', 30), starting('b', 25)], { cooldownSeconds: 20 }),
    ['stop b not-needed'],
  ],
  ['one that will be warm stays', fleet(0, [starting('a', 30)], { idleSlots: 1, cooldownSeconds: 20 }), []],
  ['one that min wants stays', fleet(0, [starting('a', 30)], { minWorkers: 1, cooldownSeconds: 20 }), []],
  [
    'what others can take does not keep it',
    fleet(1, [worker('a', { busy: 1 }), starting('b', 30)], { cooldownSeconds: 20 }),
    ['stop b not-needed'],
  ],
  [
    'a successor of an idle old one stays',
    fleet(
      0,
      [worker('a', { template: 'x' }), starting('b', 30, { template: 'y' })],
      { idleSlots: 1, cooldownSeconds: 20 },
      'y',
    ),
    [],
  ],
  [
    'max was lowered: what starts goes at once, and what works stays',
    fleet(9, [worker('a', { busy: 2 }), starting('b'), starting('c')], { maxWorkers: 1 }),
    ['stop c not-needed', 'stop b not-needed', 'held 5 at-max'],
  ],
  [
    'a worker long out of touch is stopped',
    fleet(0, [worker('a', { state: 'disconnected', stateSince: ago(301) })]),
    ['stop a out-of-touch'],
  ],
  ['external workers are not stopped', fleet(0, [starting('x', 999, { managed: false })]), []],
];

test.each(cases)('%s', (_, observation, expected) => {
  expect(describeDecisions(observation)).toEqual(expected);
  expect(describeDecisions(observation)).toEqual(expected);
});

describe('failures', () => {
  const backoffAfter = (times: number, firstFailureAt = now) => {
    let backoff = NO_BACKOFF;
    for (let n = 0; n < times; n += 1) {
      const failedAt = backoff.failures[0]?.retryAt ?? firstFailureAt;
      backoff = recordCreationFailure(backoff, 'CreateFailed', 'no room', failedAt, defaultTuning);
    }
    return backoff;
  };

  test('delay creation with exponential backoff up to a maximum', () => {
    const waits = [1, 2, 3, 4, 7, 8, 40].map((times) => {
      const [failure] = backoffAfter(times).failures;
      return (failure?.retryAt ?? 0) - (failure?.failedAt ?? 0);
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000, 60_000]);
    expect(describeDecisions(fleet(1), backoffAfter(1))).toEqual(['held 1 backoff']);
    expect(describeDecisions(fleet(1), backoffAfter(1, ago(1)))).toEqual(['create 1 waiting']);
  });

  test('of one burst count once', () => {
    const backoff = recordCreationFailure(backoffAfter(1), 'CreateFailed', 'still no room', now + 10, defaultTuning);
    expect(backoff.failures).toMatchObject([{ count: 1, message: 'still no room' }]);
  });

  test('of workers that were created together count once, even if reported late', () => {
    const first = backoffAfter(1);
    const later = now + 60_000;
    const failuresAfter = (madeAt?: number) =>
      recordCreationFailure(first, 'CreateFailed', 'no room', later, defaultTuning, madeAt).failures.map(
        ({ count, retryAt: backoffEnd }) => [count, backoffEnd - now],
      );
    expect(failuresAfter(now - 10)).toEqual([[1, 1_000]]);
    // Made after the wait: it was tried again, and failed again.
    expect(failuresAfter(now + 1_000)).toEqual([[2, 62_000]]);
    expect(failuresAfter()).toEqual([[2, 62_000]]);
  });

  test('keep working capacity: workers of the old template stay while the new one does not start', () => {
    const observation = fleet(0, [worker('a', { template: 't1' })], { minWorkers: 1, maxWorkers: 1 }, 't2');
    expect(describeDecisions(observation, backoffAfter(1))).toEqual(['held 1 backoff']);
    expect(describeDecisions(observation)).toEqual(['drain a old-template', 'held 1 at-max']);
  });

  test('are counted by reason, and the longest delay applies', () => {
    let backoff = backoffAfter(3);
    backoff = recordCreationFailure(backoff, 'CrashLoop', 'exit code 1', now, defaultTuning);
    expect(backoff.failures.map(({ reason, count }) => [reason, count])).toEqual([
      ['CreateFailed', 3],
      ['CrashLoop', 1],
    ]);
  });

  test('are forgotten once a later worker is stable, or with time', () => {
    const backoff = recordCreationFailure(NO_BACKOFF, 'CreateFailed', 'no room', ago(100), defaultTuning);
    const failuresLeft = (workers: ScalingWorker[], time = now) =>
      decideScaling(fleet(0, workers), time, backoff).next.failures.length;
    expect(failuresLeft([])).toBe(1);
    expect(failuresLeft([worker('before', { startedAt: ago(200) })])).toBe(1);
    expect(failuresLeft([worker('young', { startedAt: ago(14) })])).toBe(1);
    expect(failuresLeft([worker('elsewhere', { startedAt: ago(50), managed: false })])).toBe(1);
    expect(failuresLeft([worker('stable', { startedAt: ago(50) })])).toBe(0);
    expect(failuresLeft([], ago(100) + defaultTuning.forgetMs)).toBe(0);
  });

  test('a stuck start is replaced after the wait, and counts as a failure', () => {
    const { next } = decideScaling(fleet(1, [starting('a', 61)]), now);
    expect(next.failures).toMatchObject([{ reason: 'StartTimeout', count: 1, retryAt: now + 1000 }]);
    expect(decideScaling(fleet(1), now + 1000, next).decisions).toEqual([
      { action: 'create', count: 1, reason: 'waiting' },
    ]);
  });
});

test('a thousand workers that are enough for a thousand runs are left alone', () => {
  const workers = Array.from({ length: 1000 }, (_, n) => worker(`w${n}`, { busy: n % 3, idleSince: ago(n) }));
  const observation = fleet(1000, workers, { maxWorkers: 1000 });
  expect(decideScaling(observation, now).decisions).toEqual([]);
});
