import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { FleetApp } from './fleet-app.ts';
import { MemoryJoinTokens } from './testing/join-tokens.fixture.ts';
import { LogLines } from './testing/log-lines.fixture.ts';
import { MemoryFleet } from './testing/memory-fleet.fixture.ts';

async function start(mode: string[], stopMs: number) {
  const dataFolder = await realpath(await mkdtemp(join(tmpdir(), 'fleet-spec-')));
  await chmod(dataFolder, 0o755);
  const fleet = await MemoryFleet.open();
  fleet.config.minWorkers = 2;
  const joinTokens = new MemoryJoinTokens();
  const app = await FleetApp.start(
    {
      driver: 'local',
      workerCommand: [process.execPath, join(import.meta.dirname, 'testing/fake-worker.fixture.ts'), ...mode],
      dataFolder,
      gatewayUrl: fleet.url,
      environment: { PATH: '/usr/bin:/bin' },
      port: 0,
      stopMs,
    },
    { state: fleet, joinTokens },
    new LogLines(),
  );
  expect(await holdsWithin(() => fleet.workers.length === 2, 30_000)).toBe(true);
  const readPidFiles = () => readdir(join(dataFolder, 'fleet/pids')).catch(() => []);
  // Written after the start, which may be later than the `hello` of the worker.
  expect(await holdsWithin(async () => (await readPidFiles()).length === 2, 30_000)).toBe(true);
  const remove = async () => {
    await fleet.close();
    await rm(dataFolder, { recursive: true });
  };
  return { app, joinTokens, readPidFiles, remove };
}

test('stopping the controller stops its workers and leaves no files', async () => {
  const { app, joinTokens, readPidFiles: readPidFiles, remove } = await start([], 600_000);
  // The workers have longer than the time limit of a test.
  await app.stop(new AbortController().signal);
  expect(await readPidFiles()).toEqual([]);
  // Each worker had its own token, which is worthless now.
  expect(joinTokens.issued).toHaveLength(2);
  expect(joinTokens.ended.toSorted()).toEqual(joinTokens.issued.toSorted());
  await remove();
});

test('a second stop request kills the workers at once', async () => {
  const { app, readPidFiles: readPidFiles, remove } = await start(['deaf'], 60_000);
  const forceStop = new AbortController();
  const stopPromise = app.stop(forceStop.signal);
  forceStop.abort();
  await stopPromise;
  expect(await readPidFiles()).toEqual([]);
  await remove();
});
