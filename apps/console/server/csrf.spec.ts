import { isCrossOrigin } from './csrf.ts';

const post = (headers: Record<string, string>) =>
  isCrossOrigin({ method: 'POST', headers: { host: 'a.example', ...headers } });

test.each([
  ['of this origin', { 'sec-fetch-site': 'same-origin' }, false],
  ['of the person at the address bar', { 'sec-fetch-site': 'none' }, false],
  ['of another site', { 'sec-fetch-site': 'cross-site' }, true],
  ['of a neighbour of the host', { 'sec-fetch-site': 'same-site', origin: 'https://a.example' }, true],
  ['of this origin, from a browser that says no more', { origin: 'http://a.example' }, false],
  ['of this origin, behind a proxy', { origin: 'https://b.example', 'x-forwarded-host': 'b.example' }, false],
  ['of another port', { origin: 'http://a.example:81' }, true],
  ['of a page that has no origin', { origin: 'null' }, true],
  ['of a program', {}, false],
])('a request %s', (_, headers, foreign) => expect(post(headers)).toBe(foreign));

test('reads are allowed from any origin', () =>
  expect(isCrossOrigin({ method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } })).toBe(false));
