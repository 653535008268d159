import { gapsIn, findSecret } from './event-sequence.ts';

test('numbers of events count from 1, each once', () => {
  expect(gapsIn([{ seq: 1 }, { seq: 2 }, { seq: 3 }])).toEqual([]);
  expect(gapsIn([{ seq: 1 }, { seq: 3 }])).toEqual(['event 2 has the number 3']);
  expect(gapsIn([{ seq: 2 }])).toHaveLength(1);
  expect(gapsIn([{ seq: 1 }, { seq: 1 }])).toHaveLength(1);
});

test('a secret is found in all its encodings', () => {
  const secret = 'härbour "demo"';
  const bytes = Buffer.from(secret);
  const encodings = [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64'),
    encodeURIComponent(secret),
    JSON.stringify(secret),
  ];
  for (const encoding of encodings)
    expect(findSecret(secret, { first: `a ${encoding} b`, second: 'nothing' })).toHaveLength(1);
  expect(findSecret(secret, { here: 'h\u00e4rbour' })).toEqual([]);
});
