import { decideVisit, type LimitState } from './site-limits.ts';

const standing = (more: Partial<LimitState> & { waiting?: Partial<LimitState['ahead']> } = {}): LimitState => {
  const { waiting = {}, ...rest } = more;
  return {
    requestsPerMinute: null,
    maxConcurrentRuns: null,
    nextInMs: 0,
    inside: 0,
    isInside: false,
    ahead: { requestsPerMinute: 0, maxConcurrentRuns: 0, ...waiting },
    ...rest,
  };
};

test.each<[string, LimitState[], object]>([
  ['nothing in the way', [standing({ requestsPerMinute: 30, maxConcurrentRuns: 2 })], { go: true }],
  [
    'the turn is not there yet',
    [standing({ requestsPerMinute: 30, nextInMs: 1500 })],
    { limit: 'requestsPerMinute', waitMs: 1500 },
  ],
  ['a turn that was', [standing({ requestsPerMinute: 30, nextInMs: -9 })], { go: true }],
  [
    'behind two others, each has a turn',
    [standing({ requestsPerMinute: 60, nextInMs: 500, waiting: { requestsPerMinute: 2 } })],
    { limit: 'requestsPerMinute', waitMs: 2500, ahead: 2 },
  ],
  ['a far turn is looked at sooner', [standing({ requestsPerMinute: 1, nextInMs: 50_000 })], { waitMs: 25_000 }],
  ['a very far one, too', [standing({ requestsPerMinute: 0.1, nextInMs: 500_000 })], { waitMs: 30_000 }],
  ['the last place', [standing({ maxConcurrentRuns: 2, inside: 1 })], { go: true }],
  ['no place', [standing({ maxConcurrentRuns: 2, inside: 2 })], { limit: 'maxConcurrentRuns', waitMs: 200 }],
  ['a place of its own', [standing({ maxConcurrentRuns: 2, inside: 1, isInside: true })], { go: true }],
  [
    'a place for which somebody came before',
    [standing({ maxConcurrentRuns: 2, inside: 1, waiting: { maxConcurrentRuns: 1 } })],
    { limit: 'maxConcurrentRuns', ahead: 1 },
  ],
  // Else the run inside would wait for the one outside, which waits for it.
  [
    'who waits for a place does not stand before who has one and waits for a turn',
    [standing({ maxConcurrentRuns: 1, requestsPerMinute: 60, isInside: true, waiting: { maxConcurrentRuns: 3 } })],
    { go: true },
  ],
  [
    'each limit has to allow it',
    [standing({ requestsPerMinute: 600 }), standing({ requestsPerMinute: 60, nextInMs: 700 })],
    { at: 1, limit: 'requestsPerMinute', waitMs: 700 },
  ],
  [
    'who waits elsewhere is not waited for',
    [
      standing({ requestsPerMinute: 600, waiting: { requestsPerMinute: 0 } }),
      standing({ maxConcurrentRuns: 1, isInside: true }),
    ],
    { go: true },
  ],
])('%s', (_what, standings, verdict) => expect(decideVisit(standings)).toMatchObject(verdict));
