import { hashToken, newToken, constantTimeEqual } from './secret-token.ts';

test('tokens have letters and digits, equal length, and are unique', () => {
  const tokens = Array.from({ length: 500 }, () => newToken('ph_'));
  expect(new Set(tokens).size).toBe(500);
  for (const token of tokens) expect(token).toMatch(/^ph_[0-9A-Za-z]{43}$/);
  // Each digit but the first, which 32 bytes do not fill, takes every value.
  const characters = new Set(tokens.join('').replaceAll('ph_', ''));
  expect(characters.size).toBe(62);
});

test('a token is stored as its SHA-256', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('secrets of any length are compared', () => {
  expect(constantTimeEqual('ph_a', 'ph_a')).toBe(true);
  expect(constantTimeEqual('', '')).toBe(true);
  expect(constantTimeEqual('ph_a', 'ph_b')).toBe(false);
  expect(constantTimeEqual('ph_a', 'ph_ab')).toBe(false);
});
