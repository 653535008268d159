import { decideVisit, type LimitState } from './site-limits.ts';

const limitState = (overrides: Partial<LimitState> & { waiting?: Partial<LimitState['ahead']> } = {}): LimitState => {
  const { waiting = {}, ...rest } = overrides;
  return {
    requestsPerMinute: null,
    maxConcurrentRuns: null,
    nextInMs: 0,
    activeRuns: 0,
    hasSlot: false,
    ahead: { requestsPerMinute: 0, maxConcurrentRuns: 0, ...waiting },
    ...rest,
  };
};

test.each<[string, LimitState[], object]>([
  ['no limit is reached', [limitState({ requestsPerMinute: 30, maxConcurrentRuns: 2 })], { go: true }],
  [
    'the interval is not over',
    [limitState({ requestsPerMinute: 30, nextInMs: 1500 })],
    { limit: 'requestsPerMinute', waitMs: 1500 },
  ],
  ['the interval is over', [limitState({ requestsPerMinute: 30, nextInMs: -9 })], { go: true }],
  [
    'two runs are ahead',
    [limitState({ requestsPerMinute: 60, nextInMs: 500, waiting: { requestsPerMinute: 2 } })],
    { limit: 'requestsPerMinute', waitMs: 2500, ahead: 2 },
  ],
  ['a long wait is split', [limitState({ requestsPerMinute: 1, nextInMs: 50_000 })], { waitMs: 25_000 }],
  ['a very long wait has a maximum', [limitState({ requestsPerMinute: 0.1, nextInMs: 500_000 })], { waitMs: 30_000 }],
  ['the last slot', [limitState({ maxConcurrentRuns: 2, activeRuns: 1 })], { go: true }],
  ['no slot', [limitState({ maxConcurrentRuns: 2, activeRuns: 2 })], { limit: 'maxConcurrentRuns', waitMs: 200 }],
  ['the run has a slot', [limitState({ maxConcurrentRuns: 2, activeRuns: 1, hasSlot: true })], { go: true }],
  [
    'a slot with a run ahead',
    [limitState({ maxConcurrentRuns: 2, activeRuns: 1, waiting: { maxConcurrentRuns: 1 } })],
    { limit: 'maxConcurrentRuns', ahead: 1 },
  ],
  // Otherwise two runs would wait for each other.
  [
    'runs that wait for a slot are not ahead of a run with a slot',
    [limitState({ maxConcurrentRuns: 1, requestsPerMinute: 60, hasSlot: true, waiting: { maxConcurrentRuns: 3 } })],
    { go: true },
  ],
  [
    'every limit must allow the visit',
    [limitState({ requestsPerMinute: 600 }), limitState({ requestsPerMinute: 60, nextInMs: 700 })],
    { limitIndex: 1, limit: 'requestsPerMinute', waitMs: 700 },
  ],
  [
    'queues of other limits do not matter',
    [
      limitState({ requestsPerMinute: 600, waiting: { requestsPerMinute: 0 } }),
      limitState({ maxConcurrentRuns: 1, hasSlot: true }),
    ],
    { go: true },
  ],
])('%s', (_what, limits, verdict) => expect(decideVisit(limits)).toMatchObject(verdict));
