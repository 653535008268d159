import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { serverUser, transferFolder } from './system-user.ts';
import { createTestFolder } from './testing/test-folder.fixture.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const skipTest = (..._test: unknown[]) => undefined;
const asRoot = isRoot ? test : skipTest;
const withoutRoot = isRoot ? skipTest : test;
const dir = createTestFolder('system-user');
const reasons: string[] = [];
const name = 'pilothouse-redis';
const log = (reason: string) => void reasons.push(reason);

beforeEach(() => void (reasons.length = 0));

withoutRoot('a server that another user than root starts runs as that user', () => {
  expect(serverUser({ name, needs: [join(dir, 'missing')], log })).toBeUndefined();
  expect(reasons).toEqual([]);
});

asRoot('a server that root starts has a user that is not root', () => {
  const user = serverUser({ name, needs: [process.execPath, dir], port: 40_000, log });
  expect([user?.uid, user?.gid, reasons]).toEqual([expect.any(Number), expect.any(Number), []]);
  expect(user?.uid).toBeGreaterThan(0);
  expect(serverUser({ name, needs: [], log })).toEqual(user);
});

asRoot('a server runs as root when its user cannot read a file, and the reason names the file', () => {
  const file = join(dir, 'private', 'main.js');
  mkdirSync(join(dir, 'private'));
  writeFileSync(file, '');
  chmodSync(join(dir, 'private'), 0o700);
  expect(serverUser({ name, needs: [dir, file], log })).toBeUndefined();
  expect(reasons).toEqual([`Runs as root, because user ${name} cannot read ${file}: move it out of a private folder.`]);
});

asRoot('a server runs as root when its user cannot be created', () => {
  expect(serverUser({ name: 'a:b', needs: [], log })).toBeUndefined();
  expect(reasons).toEqual([expect.stringMatching(/^Runs as root, because the user "a:b" could not be created/)]);
});

const privileged = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
asRoot('a server runs as root when only root may listen on its port', () => {
  if (!existsSync(privileged)) return;
  expect(serverUser({ name, needs: [], port: -1, log })).toBeUndefined();
  expect(reasons).toEqual([expect.stringContaining('only root may listen on port -1')]);
});

asRoot('a folder changes its owner with its content; links are not followed', () => {
  const folder = join(dir, 'moved');
  const outside = join(dir, 'outside');
  mkdirSync(join(folder, 'below'), { recursive: true });
  for (const file of [outside, join(folder, 'a'), join(folder, 'below/b')]) writeFileSync(file, '');
  symlinkSync(outside, join(folder, 'link'));
  transferFolder(folder, { uid: 12_345, gid: 12_345 });
  for (const file of ['.', 'a', 'below', 'below/b'])
    expect([file, statSync(join(folder, file)).uid]).toEqual([file, 12_345]);
  expect(statSync(outside).uid).toBe(0);
  // The folder has the right owner, so its content is not checked again.
  chownSync(join(folder, 'a'), 0, 0);
  transferFolder(folder, { uid: 12_345, gid: 12_345 });
  expect(statSync(join(folder, 'a')).uid).toBe(0);
  transferFolder(folder);
  expect(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => statSync(join(folder, file)).uid),
  ).toEqual([0, 0, 0, 0]);
});
