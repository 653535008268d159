import { forwardedOf } from './forwarded-headers.ts';

const peer = '10.0.0.9';
const forwardedValues = (proxies: number, headers: Record<string, string | string[]>) =>
  Object.values(forwardedOf({ proxies, peer, headers: { host: 'fleet.example', ...headers } }));

test.each([
  [0, {}, [peer, 'fleet.example', 'http']],
  [
    0,
    { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    [peer, 'fleet.example', 'http'],
  ],
  [1, {}, [peer, 'fleet.example', 'http']],
  [1, { 'x-forwarded-for': '203.0.113.7' }, ['203.0.113.7', 'fleet.example', 'http']],
  [1, { 'x-forwarded-for': '1.1.1.1, 203.0.113.7' }, ['203.0.113.7', 'fleet.example', 'http']],
  [1, { 'x-forwarded-for': ['1.1.1.1', '203.0.113.7'] }, ['203.0.113.7', 'fleet.example', 'http']],
  [2, { 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 10.0.0.1' }, ['203.0.113.7', 'fleet.example', 'http']],
  [2, { 'x-forwarded-for': '203.0.113.7' }, ['203.0.113.7', 'fleet.example', 'http']],
  [
    1,
    { 'x-forwarded-host': 'evil.example, a.example', 'x-forwarded-proto': 'http, https' },
    [peer, 'a.example', 'https'],
  ],
])('with %i proxies %j is %j', (proxies, headers, expected) => {
  expect(forwardedValues(proxies, headers as Record<string, string>)).toEqual(expected);
});
