import { nextOf, redirectTo } from './redirect.ts';

const hostile = [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  '/\u0000/evil.example',
  '/a\\..\\..\\evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/a/../..//evil.example',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  'evil.example',
  '',
];

test.each(hostile)('%j leads home', (next) => {
  const args = new Request(`http://console.example/sign-in?next=${encodeURIComponent(next)}`);
  expect(nextOf(args)).toBe('/');
  expect(redirectTo(next).headers.get('location')).toBe('/');
});

test.each(['/%09/evil', '/%0a/evil', '/%5Cevil', '/%2Fevil', '//evil', '/\\evil'])(
  'the query next=%s leads to no other site',
  (next) => {
    const path = nextOf(new Request(`http://console.example/sign-in?next=${next}`));
    expect(new URL(path, 'http://console.example').host).toBe('console.example');
    expect(path).toBe('/');
  },
);

test.each([
  ['/runs?status=failed#3', '/runs?status=failed#3'],
  ['/runs.data?status=failed', '/runs?status=failed'],
  ['/workflows/../runs', '/runs'],
  ['/runs?q=%5Cd%2B', '/runs?q=%5Cd%2B'],
])('%s leads to %s', (next, path) =>
  expect(nextOf(new Request(`http://console.example/sign-in?next=${encodeURIComponent(next)}`))).toBe(path),
);
