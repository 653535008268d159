import { cookieOf, identityOf, setCookie } from './session.ts';

test('finds a cookie among others, and none where it is broken', () => {
  expect(cookieOf('a=1; pilothouse_theme=dark ;b=2', 'pilothouse_theme')).toBe('dark');
  expect(cookieOf('xa=1', 'a')).toBeUndefined();
  expect(cookieOf('a=%E0%A4', 'a')).toBeUndefined();
  expect(cookieOf(undefined, 'a')).toBeUndefined();
});

test('takes for a key only what may be one: it becomes a header', () => {
  expect(identityOf('pilothouse_key=ph_abc')).toEqual({ authorization: 'Bearer ph_abc' });
  for (const value of ['abc', 'ph_a%0d%0ab', 'ph_a%20b', '']) expect(identityOf(`pilothouse_key=${value}`)).toEqual({});
});

test('sets cookies that no script reads and no other site sends along', () => {
  expect(setCookie('a', 'ph_1', 60, true)).toBe('a=ph_1; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure');
  expect(setCookie('a', 'x;y', 60, false)).toBe('a=x%3By; Path=/; HttpOnly; SameSite=Lax; Max-Age=60');
});
