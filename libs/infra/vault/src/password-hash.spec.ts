import { argon2Sync } from 'node:crypto';
import { hashPassword, verifyPassword } from './password-hash.ts';

test('a password is known again, in any way it is typed, and only it', async () => {
  const stored = await hashPassword('Grüße aus dem Hafen');
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword('Grüße aus dem Hafen'.normalize('NFD'), stored)).toBe(true);
  expect(await verifyPassword('Grüße aus dem Hafen.', stored)).toBe(false);
  expect(await verifyPassword('', stored)).toBe(false);
  expect(await hashPassword('Grüße aus dem Hafen')).not.toBe(stored);
});

test('what was stored with another cost is still known', async () => {
  const nonce = Buffer.alloc(16, 7);
  const cost = { memory: 64, passes: 3, parallelism: 2 };
  const tag = argon2Sync('argon2id', { message: 'harbour-demo', nonce, tagLength: 24, ...cost });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const stored = `$argon2id$v=19$m=64,t=3,p=2$${text(nonce)}$${text(tag)}`;
  expect(await verifyPassword('harbour-demo', stored)).toBe(true);
  expect(await verifyPassword('harbour-dem0', stored)).toBe(false);
});

test('where none is stored nothing fits', async () => {
  expect(await verifyPassword('anything at all', null)).toBe(false);
  await expect(verifyPassword('x', 'plain')).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('a flood is refused instead of kept waiting, and all that were taken are answered', async () => {
  const asked = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword('x', null)));
  const refused = asked.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(18);
  for (const one of refused) expect(one).toMatchObject({ reason: { code: 'RATE_LIMITED' } });
  expect(await verifyPassword('x', null)).toBe(false);
});
