import { failpoints } from './failpoint-catalogue.ts';
import { parseFailpoints } from './failpoint.ts';

test('a rule has a failpoint, a hit count and an action', () => {
  expect(parseFailpoints('worker.intent-durable:3=kill,gateway.claimed=pause/1500, link.append-sent:1=stop')).toEqual([
    { name: 'worker.intent-durable', count: 3, action: { kind: 'kill' } },
    { name: 'gateway.claimed', count: 1, action: { kind: 'pause', ms: 1500 } },
    { name: 'link.append-sent', count: 1, action: { kind: 'stop' } },
  ]);
});

test.each([
  ['', /not a failpoint rule/],
  ['gateway.claimed', /not a failpoint rule/],
  ['gateway.claimed:0=kill', /not a failpoint rule/],
  ['gateway.claimed=pause', /not a failpoint rule/],
  ['gateway.claimed=kill,', /not a failpoint rule/],
  ['toString=kill', /Failpoint toString not found/],
  ['gateway.nowhere=kill', /Failpoint gateway.nowhere not found: run.before-insert, /],
  ['link.append-sent=pause/10', /link.append-sent cannot pause/],
])('%s is refused with a sentence', (text, expected) => {
  expect(() => parseFailpoints(text)).toThrow(expected);
});

test('every failpoint has a description', () => {
  for (const { description } of Object.values(failpoints)) expect(description).toMatch(/^[A-Z].*\.$/);
});
