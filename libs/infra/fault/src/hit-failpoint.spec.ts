import { failpoints } from './failpoint-catalogue.ts';
import { parseFailpoints } from './hit-failpoint.ts';

test('orders name a failpoint, a passage and a action', () => {
  expect(parseFailpoints('worker.intent-durable:3=kill,gateway.claimed=pause/1500, link.append-sent:1=stop')).toEqual([
    { name: 'worker.intent-durable', at: 3, action: { kind: 'kill' } },
    { name: 'gateway.claimed', at: 1, action: { kind: 'pause', ms: 1500 } },
    { name: 'link.append-sent', at: 1, action: { kind: 'stop' } },
  ]);
});

test.each([
  ['', /no failpoint rule/],
  ['gateway.claimed', /no failpoint rule/],
  ['gateway.claimed:0=kill', /no failpoint rule/],
  ['gateway.claimed=pause', /no failpoint rule/],
  ['gateway.claimed=kill,', /no failpoint rule/],
  ['toString=kill', /no failpoint toString/],
  ['gateway.nowhere=kill', /no failpoint gateway.nowhere: run.before-insert, /],
  ['link.append-sent=pause/10', /Nothing waits at link.append-sent/],
])('%s is refused with a sentence', (text, expected) => {
  expect(() => parseFailpoints(text)).toThrow(expected);
});

test('every failpoint has a description', () => {
  for (const { description } of Object.values(failpoints)) expect(description).toMatch(/^[A-Z].*\.$/);
});
