import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecrets } from './local-secrets.ts';

const root = mkdtempSync(join(tmpdir(), 'pilothouse-secrets-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('tokens of the fleets on one machine are random, and stay', () => {
  const [firstSecrets, secondSecrets] = [readSecrets(join(root, 'one')), readSecrets(join(root, 'other'))];
  const tokens = [
    firstSecrets.fleetToken,
    ...['a', 'b'].flatMap((fleet) => [firstSecrets.tokenOf(fleet), secondSecrets.tokenOf(fleet)]),
  ];
  expect(new Set(tokens).size).toBe(tokens.length);
  for (const token of tokens) expect(token).toMatch(/^ft_[A-Za-z0-9]{40}$/);
  expect(readSecrets(join(root, 'one')).tokenOf('a')).toBe(firstSecrets.tokenOf('a'));
  expect(statSync(join(root, 'one/fleet-a.token')).mode & 0o777).toBe(0o600);
});

test('the token of a fleet cannot be derived from another token and its name', () => {
  const { fleetToken, tokenOf } = readSecrets(join(root, 'derived'));
  const [a, b] = [tokenOf('a'), tokenOf('b')];
  for (const secret of [fleetToken, a])
    for (const text of [`${secret}b`, `${secret}:b`, `${secret}/b`, `${secret}-b`])
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        expect(createHash('sha256').update(text).digest(encoding)).not.toContain(b.slice(3, 13));
});
