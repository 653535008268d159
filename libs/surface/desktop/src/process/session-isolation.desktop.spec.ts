import { sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';
import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProbeHits } from '../testing/isolation-probe.ts';
import { probeKinds, runIsolationSuite } from '../testing/isolation-suite.fixture.ts';
import { noIsolation } from './session-isolation.ts';

/* Programs of a session reach nothing of the worker and of other sessions. `bench isolation` prints the same hits. */

/** A user that owns nothing. */
const ORDINARY_UID = 190_000;

test('without isolation, the probe reaches everything that it looks for', async () => {
  const hits = await runIsolationSuite({ isolation: noIsolation });
  expect(Object.keys(hits).toSorted()).toEqual([...probeKinds].toSorted());
}, 120_000);

test('with users and namespaces of root, a program reaches nothing', async () => {
  expect(await runIsolationSuite()).toEqual({});
}, 120_000);

test('with user namespaces of an ordinary user, a program reaches nothing', async () => {
  expect(await runAsOrdinaryUser()).toEqual({});
}, 120_000);

/** Runs the suite in a process of a user without rights. The parent of its folders is short enough for sockets. */
async function runAsOrdinaryUser(): Promise<ProbeHits> {
  const folder = await mkdtemp('/tmp/pilothouse-user-');
  await chown(folder, ORDINARY_UID, ORDINARY_UID);
  try {
    const file = join(import.meta.dirname, '../testing/isolation-suite.fixture.ts');
    const launcher = JSON.stringify(await sessionLauncher());
    const program = `
      const { runIsolationSuite } = await import(${JSON.stringify(file)});
      console.log(JSON.stringify(await runIsolationSuite({ launcher: ${launcher} })));
    `;
    const asUser = ['--reuid', String(ORDINARY_UID), '--regid', String(ORDINARY_UID), '--clear-groups'];
    const node = ['--experimental-transform-types', '--no-warnings', '--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)('setpriv', [...asUser, process.execPath, ...node], {
      env: { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder },
      timeout: 90_000,
    });
    return JSON.parse(stdout) as ProbeHits;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
