import { ManualTimers, memoryLog } from '@pilothouse/testing';
import { ScoreRequestsJob } from './score-requests.job.ts';

/** A job whose request ends when its signal aborts. */
function aJob() {
  const timers = new ManualTimers();
  const woken: string[] = [];
  const requests = {
    requestScores: (_version: string, signal: AbortSignal) =>
      new Promise<string[]>((resolve) => signal.addEventListener('abort', () => resolve(['job-1']))),
  };
  const queue = { wake: async (jobs: readonly string[]) => void woken.push(...jobs) };
  const log = memoryLog();
  const job = new ScoreRequestsJob(requests, queue, log, { log, timers, random: () => 0.5 });
  job.onModuleInit();
  return { job, timers, woken };
}

test.each<[string, (started: ReturnType<typeof aJob>) => Promise<void>]>([
  ['a stop', ({ job }) => job.stop()],
  ['the deadline', ({ timers }) => timers.advance(120_000)],
])('after %s, learners are woken for the jobs created so far', async (_, end) => {
  const started = aJob();
  await started.timers.advance(2_000);
  expect(started.woken).toEqual([]);
  await end(started);
  expect(started.woken).toEqual(['job-1']);
  await started.job.stop();
});
