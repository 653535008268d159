import { parseRobots } from './robots-rules.ts';

const text = `
# a site
User-agent: otherbot
Disallow: /

User-Agent: *
Disallow: /private   # a comment
Disallow: /*.pdf$
Allow: /private/open
Disallow: /a%2Fb
Disallow: /caf%C3%A9
disallow: /search?*q=

User-agent: Pilothouse
User-agent: friend
Allow: /
Disallow: /orders

User-agent: pilothouse
Disallow: /stock
`;

const refusingRule = (path: string, ...agents: string[]) => parseRobots(text, agents).refuses(path);

test.each([
  ['/', null],
  ['/private', 'Disallow: /private'],
  ['/privateer', 'Disallow: /private'],
  ['/private/open/1', null],
  ['/a.pdf', 'Disallow: /*.pdf$'],
  ['/a.pdf?page=1', null],
  ['/a%2fb', 'Disallow: /a%2Fb'],
  ['/a/b', null],
  ['/search?lang=de&q=x', 'Disallow: /search?*q='],
  ['/search?lang=de', null],
  ['/robots.txt', null],
])('%s for all agents: %s', (path, rule) => expect(refusingRule(path, 'unknown')).toBe(rule));

test('groups of the agent replace the group `*` and are merged', () => {
  expect(refusingRule('/private', 'Pilothouse')).toBeNull();
  expect(refusingRule('/orders/1', 'PILOTHOUSE')).toBe('Disallow: /orders');
  expect(refusingRule('/stock', 'pilothouse')).toBe('Disallow: /stock');
  expect(refusingRule('/stock', 'friend')).toBeNull();
  expect(refusingRule('/x', 'otherbot')).toBe('Disallow: /');
});

test('of two rules with the same length, allow wins; an empty rule allows everything', () => {
  expect(parseRobots('User-agent: *\nDisallow: /x\nAllow: /x', []).refuses('/x')).toBeNull();
  expect(parseRobots('User-agent: *\nDisallow:', []).refuses('/x')).toBeNull();
  expect(parseRobots('<html>Not found</html>', []).refuses('/x')).toBeNull();
});

test('a malicious pattern is matched in linear time', () => {
  const slow = `User-agent: *\nDisallow: /${'*a'.repeat(2000)}$`;
  expect(parseRobots(slow, []).refuses(`/${'a'.repeat(50_000)}b`)).toBeNull();
});
