import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { PeriodicJob, type JobOptions } from './periodic-job.ts';

const timers = () => new ManualTimers();

function aJob(clock: ManualTimers, options: Partial<JobOptions> & Pick<JobOptions, 'run'>, random = 0.5) {
  const log = memoryLog();
  const failures: string[] = [];
  const deps = { log, timers: clock, random: () => random, onFailure: (job: string) => failures.push(job) };
  const job = new PeriodicJob({ name: 'proposals', everyMs: 1_000, deadlineMs: 500, ...options }, deps);
  return { job, log, failures };
}

it('runs after its interval, and initially after its own delay', async () => {
  const clock = timers();
  const runs: number[] = [];
  const { job } = aJob(clock, { firstMs: 0, run: async () => void runs.push(clock.monotonic()) });
  job.start();
  await clock.advance(2_500);
  expect(runs).toEqual([0, 1_000, 2_000]);
});

it.each([
  [0, 900],
  [1, 1_100],
])('randomizes the interval: with the random number %d it is %d ms', async (random, ms) => {
  const clock = timers();
  aJob(clock, { run: async () => undefined }, random).job.start();
  expect(clock.delays).toEqual([expect.closeTo(ms)]);
});

it('passes the due time to a run', async () => {
  const clock = timers();
  const dueTimes: number[] = [];
  const { job } = aJob(clock, { run: async (_, dueAt) => void dueTimes.push(dueAt) });
  job.start();
  await clock.advance(2_000);
  expect(dueTimes).toEqual([1_000, 2_000]);
});

it('logs and counts a failure, and runs again', async () => {
  const clock = timers();
  let runs = 0;
  const { job, log, failures } = aJob(clock, {
    run: async () => {
      runs += 1;
      if (runs === 1) throw new Error('no database');
    },
  });
  job.start();
  await clock.advance(3_000);
  expect([runs, failures]).toEqual([3, ['proposals']]);
  expect(log.lines).toEqual([
    expect.objectContaining({ level: 'warn', facts: { job: 'proposals', error: 'Error: no database' } }),
  ]);
});

it('aborts a run at its deadline, and starts no other before it has settled', async () => {
  const clock = timers();
  const settle = Promise.withResolvers<undefined>();
  const aborted: boolean[] = [];
  let runs = 0;
  const { job, failures } = aJob(clock, {
    run: async (signal) => {
      runs += 1;
      signal.addEventListener('abort', () => aborted.push(true));
      if (runs === 1) await settle.promise;
    },
  });
  job.start();
  await clock.advance(1_499);
  expect([failures, aborted]).toEqual([[], []]);
  await clock.advance(10_000);
  expect([runs, failures, aborted]).toEqual([1, ['proposals'], [true]]);
  settle.resolve(undefined);
  await clock.advance(1_000);
  expect(runs).toBe(2);
});

it('stops after the current run, which it aborts, without counting a failure', async () => {
  const clock = timers();
  const settle = Promise.withResolvers<undefined>();
  let isStopped = false;
  const { job, failures } = aJob(clock, { firstMs: 0, run: () => settle.promise });
  job.start();
  await clock.advance(0);
  const stopping = job.stop().then(() => (isStopped = true));
  await clock.advance(10_000);
  expect(isStopped).toBe(false);
  settle.resolve(undefined);
  await stopping;
  await clock.advance(10_000);
  expect([failures, clock.delays]).toEqual([[], []]);
});
