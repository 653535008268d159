import type { ChildExit } from '@pilothouse/infra-embedded';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { ServiceProcess, type RunningService } from './service-process.ts';

/** A service that the test starts and crashes. */
function createFakeService(failures: (string | undefined)[] = []) {
  const lines: string[] = [];
  const exitResolvers: ((exit: ChildExit) => void)[] = [];
  let startCount = 0;
  const timers = new ManualTimers();
  const service = new ServiceProcess({
    name: 'api',
    printLine: (line) => lines.push(line),
    onStart: () => undefined,
    timers,
    backoff: { firstMs: 1_000, maxMs: 4_000, stableMs: 60_000 },
    start: async (signal): Promise<RunningService> => {
      const failure = failures[startCount++];
      if (failure) throw new Error(failure);
      if (signal.aborted) throw new Error('too late');
      const exited = new Promise<ChildExit>((resolve) => exitResolvers.push(resolve));
      const stop = () => {
        exitResolvers.at(-1)?.({ code: 0, signal: null });
        return exited;
      };
      return { identity: { pid: 0, born: '' }, exited, stop };
    },
  });
  return {
    service,
    timers,
    lines,
    crash: () => exitResolvers.at(-1)?.({ code: 1, signal: null }),
    startCount: () => startCount,
  };
}

test('restarts an exited process, after a delay that doubles up to a limit', async () => {
  const { service, timers, lines, crash, startCount } = createFakeService([undefined, 'no', 'no', 'still\nno']);
  await service.start();
  crash();
  await timers.advance(1_000 + 2_000 + 4_000 + 4_000);
  expect(startCount()).toBe(5);
  expect(lines).toEqual([
    'api exited (exit code 1); restarting in 1 s',
    'api restart failed (no); retrying in 2 s',
    'api restart failed (no); retrying in 4 s',
    'api restart failed (still); retrying in 4 s',
    'api restarted',
  ]);
  await service.stop();
});

test('does not restart a stopped process', async () => {
  const { service, lines, startCount } = createFakeService();
  await service.start();
  await service.stop();
  expect(startCount()).toBe(1);
  expect(lines).toEqual([]);
});

test('a stop during the pause is at once', async () => {
  const { service, timers, lines, crash, startCount } = createFakeService([
    undefined,
    ...Array<string>(1000).fill('no'),
  ]);
  await service.start();
  crash();
  await timers.advance(1_500);
  await service.stop();
  const then = startCount();
  await timers.advance(60_000);
  expect(startCount()).toBe(then);
  expect(lines).not.toContain('api restarted');
});

test('a first start that fails is for the caller', async () => {
  await expect(createFakeService(['the reason']).service.start()).rejects.toThrow('the reason');
});
