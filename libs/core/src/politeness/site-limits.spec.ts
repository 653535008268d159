import { decideVisit, type LimitState } from './site-limits.ts';

const standing = (more: Partial<LimitState> & { waiting?: Partial<LimitState['ahead']> } = {}): LimitState => {
  const { waiting = {}, ...rest } = more;
  return {
    perMinute: null,
    concurrent: null,
    nextInMs: 0,
    inside: 0,
    isInside: false,
    ahead: { perMinute: 0, concurrent: 0, ...waiting },
    ...rest,
  };
};

test.each<[string, LimitState[], object]>([
  ['nothing in the way', [standing({ perMinute: 30, concurrent: 2 })], { go: true }],
  ['the turn is not there yet', [standing({ perMinute: 30, nextInMs: 1500 })], { limit: 'perMinute', waitMs: 1500 }],
  ['a turn that was', [standing({ perMinute: 30, nextInMs: -9 })], { go: true }],
  [
    'behind two others, each has a turn',
    [standing({ perMinute: 60, nextInMs: 500, waiting: { perMinute: 2 } })],
    { limit: 'perMinute', waitMs: 2500, ahead: 2 },
  ],
  ['a far turn is looked at sooner', [standing({ perMinute: 1, nextInMs: 50_000 })], { waitMs: 25_000 }],
  ['a very far one, too', [standing({ perMinute: 0.1, nextInMs: 500_000 })], { waitMs: 30_000 }],
  ['the last place', [standing({ concurrent: 2, inside: 1 })], { go: true }],
  ['no place', [standing({ concurrent: 2, inside: 2 })], { limit: 'concurrent', waitMs: 200 }],
  ['a place of its own', [standing({ concurrent: 2, inside: 1, isInside: true })], { go: true }],
  [
    'a place for which somebody came before',
    [standing({ concurrent: 2, inside: 1, waiting: { concurrent: 1 } })],
    { limit: 'concurrent', ahead: 1 },
  ],
  // Else the run inside would wait for the one outside, which waits for it.
  [
    'who waits for a place does not stand before who has one and waits for a turn',
    [standing({ concurrent: 1, perMinute: 60, isInside: true, waiting: { concurrent: 3 } })],
    { go: true },
  ],
  [
    'each limit has to allow it',
    [standing({ perMinute: 600 }), standing({ perMinute: 60, nextInMs: 700 })],
    { at: 1, limit: 'perMinute', waitMs: 700 },
  ],
  [
    'who waits elsewhere is not waited for',
    [standing({ perMinute: 600, waiting: { perMinute: 0 } }), standing({ concurrent: 1, isInside: true })],
    { go: true },
  ],
])('%s', (_what, standings, verdict) => expect(decideVisit(standings)).toMatchObject(verdict));
