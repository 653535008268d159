import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { TaskScheduler, type PeriodicTask } from './task-scheduler.ts';

const timers = () => new ManualTimers();

type Options = Partial<PeriodicTask<'task'>> & Pick<PeriodicTask<'task'>, 'run'>;

function start(clock: ManualTimers, options: Options, random = 0.5) {
  const log = memoryLog();
  const failures: string[] = [];
  const scheduler = new TaskScheduler<string>({
    ...{ log, timers: clock, random: () => random },
    onFailure: (task) => failures.push(task),
  });
  const task = scheduler.start({ name: 'task', everyMs: 1_000, deadlineMs: 500, ...options });
  return { scheduler, task, log, failures };
}

it('runs after its interval, and initially after its own delay', async () => {
  const clock = timers();
  const runs: number[] = [];
  start(clock, { firstMs: 0, run: async () => void runs.push(clock.monotonic()) });
  await clock.advance(2_500);
  expect(runs).toEqual([0, 1_000, 2_000]);
});

it.each([
  [0, 900],
  [1, 1_100],
])('randomizes the interval: with the random number %d it is %d ms', async (random, ms) => {
  const clock = timers();
  start(clock, { run: async () => undefined }, random);
  expect(clock.delays).toEqual([expect.closeTo(ms)]);
});

it('passes the due time to a run', async () => {
  const clock = timers();
  const dueTimes: number[] = [];
  start(clock, { run: async (_, dueAt) => void dueTimes.push(dueAt) });
  await clock.advance(2_000);
  expect(dueTimes).toEqual([1_000, 2_000]);
});

it('logs and counts a failure, and runs again', async () => {
  const clock = timers();
  let runs = 0;
  const { log, failures } = start(clock, {
    run: async () => {
      runs += 1;
      if (runs === 1) throw new Error('no database');
    },
  });
  await clock.advance(3_000);
  expect([runs, failures]).toEqual([3, ['task']]);
  expect(log.lines).toEqual([
    expect.objectContaining({ level: 'warn', facts: { task: 'task', error: 'Error: no database' } }),
    expect.objectContaining({ level: 'info', message: 'periodic task works again' }),
  ]);
});

it('aborts a run at its deadline, and starts no other before it has settled', async () => {
  const clock = timers();
  const settle = Promise.withResolvers<undefined>();
  const aborted: boolean[] = [];
  let runs = 0;
  const { failures } = start(clock, {
    run: async (signal) => {
      runs += 1;
      signal.addEventListener('abort', () => aborted.push(true));
      if (runs === 1) await settle.promise;
    },
  });
  await clock.advance(1_499);
  expect([failures, aborted]).toEqual([[], []]);
  await clock.advance(10_000);
  expect([runs, failures, aborted]).toEqual([1, ['task'], [true]]);
  settle.resolve(undefined);
  await clock.advance(1_000);
  expect(runs).toBe(2);
});

it('stops after the current run, which it aborts, without counting a failure', async () => {
  const clock = timers();
  const settle = Promise.withResolvers<undefined>();
  let isStopped = false;
  const { task, failures } = start(clock, { firstMs: 0, run: () => settle.promise });
  await clock.advance(0);
  const stopping = task.stop().then(() => (isStopped = true));
  await clock.advance(10_000);
  expect(isStopped).toBe(false);
  settle.resolve(undefined);
  await stopping;
  await clock.advance(10_000);
  expect([failures, clock.delays]).toEqual([[], []]);
});

it('runs at once when it is woken, and once more when that happens during a run', async () => {
  const clock = timers();
  const settle = Promise.withResolvers<undefined>();
  const runs: number[] = [];
  const { task } = start(clock, {
    run: async () => {
      runs.push(clock.monotonic());
      if (runs.length === 1) await settle.promise;
    },
  });
  await clock.advance(100);
  task.wake();
  await clock.advance(100);
  task.wake();
  task.wake();
  settle.resolve(undefined);
  await clock.advance(1_200);
  expect(runs).toEqual([100, 200, 1_200]);
});

it('repeats a failed run after its own delay', async () => {
  const clock = timers();
  const runs: number[] = [];
  start(clock, {
    ...{ everyMs: 1_000, failedMs: 10 },
    run: async () => {
      runs.push(clock.monotonic());
      if (runs.length < 3) throw new Error('no database');
    },
  });
  await clock.advance(2_100);
  expect(runs).toEqual([1_000, 1_010, 1_020, 2_020]);
});

it('runs the other tasks while one hangs or fails', async () => {
  const clock = timers();
  const runs: string[] = [];
  const { scheduler } = start(clock, { run: () => new Promise(() => undefined) });
  const options = { everyMs: 1_000, deadlineMs: 500 };
  scheduler.start({ ...options, name: 'throws', run: () => Promise.reject(new Error('Broken')) });
  scheduler.start({ ...options, name: 'works', run: async () => void runs.push('works') });
  await clock.advance(3_000);
  expect(runs).toEqual(['works', 'works', 'works']);
});
