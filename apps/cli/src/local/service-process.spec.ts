import type { ChildExit } from '@pilothouse/infra-embedded';
import { ManualTimers } from '@pilothouse/testing';
import { ServiceProcess, type RunningService } from './service-process.ts';

/** A part whose end is in the hands of the test. */
function scripted(failures: (string | undefined)[] = []) {
  const lines: string[] = [];
  const ends: ((exit: ChildExit) => void)[] = [];
  let starts = 0;
  const timers = new ManualTimers();
  const service = new ServiceProcess({
    name: 'api',
    printLine: (line) => lines.push(line),
    onStart: () => undefined,
    timers,
    backoff: { firstMs: 1_000, maxMs: 4_000, stableMs: 60_000 },
    start: async (signal): Promise<RunningService> => {
      const failure = failures[starts++];
      if (failure) throw new Error(failure);
      if (signal.aborted) throw new Error('too late');
      const exited = new Promise<ChildExit>((resolve) => ends.push(resolve));
      const stop = () => {
        ends.at(-1)?.({ code: 0, signal: null });
        return exited;
      };
      return { identity: { pid: 0, born: '' }, exited, stop };
    },
  });
  return { service, timers, lines, die: () => ends.at(-1)?.({ code: 1, signal: null }), starts: () => starts };
}

test('restarts an exited process, after a delay that doubles up to a limit', async () => {
  const { service, timers, lines, die, starts } = scripted([undefined, 'no', 'no', 'still\nno']);
  await service.start();
  die();
  await timers.advance(1_000 + 2_000 + 4_000 + 4_000);
  expect(starts()).toBe(5);
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
  const { service, lines, starts } = scripted();
  await service.start();
  await service.stop();
  expect(starts()).toBe(1);
  expect(lines).toEqual([]);
});

test('a stop during the pause is at once', async () => {
  const { service, timers, lines, die, starts } = scripted([undefined, ...Array<string>(1000).fill('no')]);
  await service.start();
  die();
  await timers.advance(1_500);
  await service.stop();
  const then = starts();
  await timers.advance(60_000);
  expect(starts()).toBe(then);
  expect(lines).not.toContain('api restarted');
});

test('a first start that fails is for the caller', async () => {
  await expect(scripted(['the reason']).service.start()).rejects.toThrow('the reason');
});
