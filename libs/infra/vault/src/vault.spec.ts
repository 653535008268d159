import { randomBytes } from 'node:crypto';
import { createVault } from './vault.ts';

const master = Buffer.alloc(32, 7);
const context = 'run:1:secrets';
const vault = createVault(master);

test('a sealed value opens unchanged, and reveals nothing', () => {
  for (const plaintext of [Buffer.alloc(0), Buffer.from('pässword'), randomBytes(100_000)]) {
    const sealed = vault.seal(plaintext, { context });
    expect(vault.open(sealed, { context })).toEqual(plaintext);
    if (plaintext.length > 0) expect(sealed.includes(plaintext)).toBe(false);
  }
  expect(vault.open(vault.seal('text', { context }), { context }).toString()).toBe('text');
});

test('sealing a value twice gives different results', () => {
  const sealed = new Set(Array.from({ length: 100 }, () => vault.seal('x', { context }).toString('hex')));
  expect(sealed.size).toBe(100);
});

test('a value opens only in its context', () => {
  const sealed = vault.seal('x', { context });
  expect(() => vault.open(sealed, { context: 'run:2:secrets' })).toThrow(/belongs to another record/);
});

test('a change of any byte is detected', () => {
  const sealed = vault.seal('a secret', { context });
  for (let index = 0; index < sealed.length; index++) {
    const tampered = Buffer.from(sealed);
    tampered.writeUInt8(tampered.readUInt8(index) ^ 1, index);
    expect(() => vault.open(tampered, { context })).toThrow();
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => vault.open(sealed.subarray(0, length), { context })).toThrow();
  }
});

test('a wrong key fails with the id of the missing key, and the right key opens the value', () => {
  const sealed = vault.seal('x', { context });
  const newer = createVault(randomBytes(32));
  expect(() => newer.open(sealed, { context })).toThrow(
    expect.objectContaining({
      code: 'INTERNAL',
      message: expect.stringMatching(/another master key \([0-9a-f]{16}\)/),
    }),
  );
  const rotated = createVault([randomBytes(32), master]);
  expect(rotated.open(sealed, { context }).toString()).toBe('x');
});

test('during a key rotation the newest key seals, and older values still open', () => {
  const newest = randomBytes(32);
  const rotated = createVault([newest, master]);
  const old = vault.seal('x', { context });
  const sealed = rotated.seal('x', { context });
  expect(rotated.isOutdated(old)).toBe(true);
  expect(rotated.isOutdated(sealed)).toBe(false);
  expect(createVault(newest).open(sealed, { context }).toString()).toBe('x');
  expect(() => vault.open(sealed, { context })).toThrow(/another master key/);
});

test('a value of format version 1 still opens', () => {
  const storedValue =
    '019812c16b3079290d06886f13b35520ab55c0fc4a766250d494d61697a2bfbae2e76803c47aee9b2c858ec3bf241add' +
    '2957921bc2d1987ca5b0dd0e45bbd90822259e7cc6f02d0973';
  expect(vault.open(Buffer.from(storedValue, 'hex'), { context }).toString()).toBe('kept since version 1');
});

test('the signing key is the same in every process, and differs from the master key and the sealing key', () => {
  expect(createVault(Buffer.from(master)).signing).toEqual(vault.signing);
  expect(vault.signing).toHaveLength(32);
  expect(vault.signing.equals(master)).toBe(false);
  expect(createVault(vault.signing).signing.equals(vault.signing)).toBe(false);
});

test.each([[Buffer.alloc(16)], [[]], [[Buffer.alloc(32), Buffer.alloc(31)]]])(
  'a key of another length is refused',
  (keys) => {
    expect(() => createVault(keys)).toThrow(/32 bytes/);
  },
);
