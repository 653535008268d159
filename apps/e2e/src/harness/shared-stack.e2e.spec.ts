import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, stopProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';
import { until } from './poll-until.ts';
import { assertExited, processTree } from './process-tree.ts';
import { openSharedProject } from './shared-stack.ts';

describe('a stack that spec files share', () => {
  const testRun = process.env.PILOTHOUSE_TEST_RUN;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-shared-'));
    process.env.PILOTHOUSE_TEST_RUN = folder;
  });
  afterAll(async () => {
    await Promise.all((await holders()).map(stop));
    if (testRun === undefined) delete process.env.PILOTHOUSE_TEST_RUN;
    else process.env.PILOTHOUSE_TEST_RUN = testRun;
    await rm(folder, { recursive: true, force: true });
  });

  async function holders(): Promise<ProcessIdentity[]> {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.pid'));
    return Promise.all(
      files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as ProcessIdentity),
    );
  }
  /** As ./scripts/test does at its end. */
  const stop = (holder: ProcessIdentity) => stopProcess(holder, [{ signal: 'SIGTERM', graceMs: 60_000 }]);

  test('gives each file a project without the rows of another, and is replaced when it cannot be used', async () => {
    const first = await openSharedProject();
    const { id } = await first.client.submit({ steps: [{ action: 'wait', seconds: 120 }] });
    const second = await openSharedProject();
    expect(second.servers).toEqual(first.servers);
    expect(await second.client.json('/v1/runs')).toMatchObject({ items: [] });
    expect((await second.client.request(`/v1/runs/${id}`)).status).toBe(404);
    await second.release();
    await first.release();
    const third = await openSharedProject();
    expect(third.servers).toEqual(first.servers);
    await third.release();

    // A file whose process is killed leaves its runs.
    const [abandoned = { pid: 0, born: '' }] = await holders();
    const user = connect(join(folder, (await readdir(folder)).find((name) => name.endsWith('.sock')) ?? ''));
    await once(user, 'data');
    user.destroy();
    await until('the abandoned stack ends', () => !isAlive(abandoned));

    const { release, servers } = await openSharedProject();
    await release();
    const [holder = { pid: 0, born: '' }] = await holders();
    const processes = await processTree(holder.pid);
    const api = processes.find(({ command }) => command.includes('dist/api/main.js'));
    if (!api) throw new Error('The stack has no API');
    process.kill(api.pid, 'SIGKILL');
    const fourth = await openSharedProject();
    expect(fourth.servers.apiUrl).not.toBe(servers.apiUrl);
    expect(isAlive(holder)).toBe(false);
    await assertExited(processes, 1_000);
    expect(await fourth.client.json('/v1/runs')).toMatchObject({ items: [] });

    const [replacement = holder] = await holders();
    const remaining = await processTree(replacement.pid);
    expect(remaining.length).toBeGreaterThan(5);
    await fourth.release();
    await stop(replacement);
    await assertExited(remaining, 1_000);
    expect((await readdir(folder)).filter((name) => name.endsWith('.error'))).toEqual([]);
  });
});
