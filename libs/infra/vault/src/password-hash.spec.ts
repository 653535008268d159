import { argon2Sync } from 'node:crypto';
import { hashPassword, verifyPassword } from './password-hash.ts';

test('a hash matches its password in any Unicode form, and no other password', async () => {
  const hash = await hashPassword('Grüße aus dem Hafen');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword('Grüße aus dem Hafen'.normalize('NFD'), hash)).toBe(true);
  expect(await verifyPassword('Grüße aus dem Hafen.', hash)).toBe(false);
  expect(await verifyPassword('', hash)).toBe(false);
  expect(await hashPassword('Grüße aus dem Hafen')).not.toBe(hash);
});

test('a hash with another cost still matches', async () => {
  const nonce = Buffer.alloc(16, 7);
  const cost = { memory: 64, passes: 3, parallelism: 2 };
  const tag = argon2Sync('argon2id', { message: 'harbour-demo', nonce, tagLength: 24, ...cost });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const hash = `$argon2id$v=19$m=64,t=3,p=2$${text(nonce)}$${text(tag)}`;
  expect(await verifyPassword('harbour-demo', hash)).toBe(true);
  expect(await verifyPassword('harbour-dem0', hash)).toBe(false);
});

test('no password matches a missing hash', async () => {
  expect(await verifyPassword('anything at all', null)).toBe(false);
  await expect(verifyPassword('x', 'plain')).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('excess comparisons are rejected at once, and all accepted ones are answered', async () => {
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword('x', null)));
  const rejected = results.filter(({ status }) => status === 'rejected');
  expect(rejected).toHaveLength(18);
  for (const rejection of rejected) expect(rejection).toMatchObject({ reason: { code: 'RATE_LIMITED' } });
  expect(await verifyPassword('x', null)).toBe(false);
});
