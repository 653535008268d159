import { parseRobots } from './robots-rules.ts';

const text = `
# a site
User-agent: otherbot
Disallow: /

User-Agent: *
Disallow: /private   # for nobody
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

const refused = (path: string, ...agents: string[]) => parseRobots(text, agents).refuses(path);

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
])('%s for everybody: %s', (path, rule) => expect(refused(path, 'nobody')).toBe(rule));

test('a group of our own holds alone, and all of them together', () => {
  expect(refused('/private', 'Pilothouse')).toBeNull();
  expect(refused('/orders/1', 'PILOTHOUSE')).toBe('Disallow: /orders');
  expect(refused('/stock', 'pilothouse')).toBe('Disallow: /stock');
  expect(refused('/stock', 'friend')).toBeNull();
  expect(refused('/x', 'otherbot')).toBe('Disallow: /');
});

test('of two rules as long the one that allows counts; an empty one allows all', () => {
  expect(parseRobots('User-agent: *\nDisallow: /x\nAllow: /x', []).refuses('/x')).toBeNull();
  expect(parseRobots('User-agent: *\nDisallow:', []).refuses('/x')).toBeNull();
  expect(parseRobots('<html>Not found</html>', []).refuses('/x')).toBeNull();
});

test('a pattern made to be slow is not', () => {
  const slow = `User-agent: *\nDisallow: /${'*a'.repeat(2000)}$`;
  expect(parseRobots(slow, []).refuses(`/${'a'.repeat(50_000)}b`)).toBeNull();
});
