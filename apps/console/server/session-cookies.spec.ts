import { cookieOf, identityOf, setCookie } from './session-cookies.ts';

test('reads a cookie by name, and ignores malformed cookies', () => {
  expect(cookieOf('a=1; pilothouse_theme=dark ;b=2', 'pilothouse_theme')).toBe('dark');
  expect(cookieOf('xa=1', 'a')).toBeUndefined();
  expect(cookieOf('a=%E0%A4', 'a')).toBe('%E0%A4');
  expect(cookieOf(undefined, 'a')).toBeUndefined();
});

test('accepts only valid API keys, because a key becomes a header', () => {
  expect(identityOf('pilothouse_key=ph_abc')).toEqual({ authorization: 'Bearer ph_abc' });
  for (const value of ['abc', 'ph_a%0d%0ab', 'ph_a%20b', '']) expect(identityOf(`pilothouse_key=${value}`)).toEqual({});
});

test('forwards session and project cookies only; an API key takes precedence', () => {
  const cookies = 'pilothouse_project=01a2; x=1; __Host-pilothouse=phs_a-b; pilothouse_theme=dark';
  expect(identityOf(cookies)).toEqual({ cookie: '__Host-pilothouse=phs_a-b', 'pilothouse-project': '01a2' });
  expect(identityOf(`${cookies}; pilothouse_key=ph_abc`)).toEqual({ authorization: 'Bearer ph_abc' });
  expect(identityOf('pilothouse=a%3Bb; pilothouse_project=1')).toEqual({});
});

test('sets HTTP-only same-site cookies', () => {
  expect(setCookie('a', 'ph_1', 60, true)).toBe('a=ph_1; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax');
  expect(setCookie('a', 'x;y', 60, false)).toBe('a=x%3By; Max-Age=60; Path=/; HttpOnly; SameSite=Lax');
});
