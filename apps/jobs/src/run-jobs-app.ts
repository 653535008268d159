import { once } from 'node:events';
import { JobsApp, type JobsAppOptions } from './jobs-app.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Milliseconds in which jobs end or reach their next checkpoint. */
const SOFT_STOP_MS = 15_000;

/** Milliseconds in which stopped jobs are handed back. */
const HARD_STOP_MS = 5_000;

/** Runs a job runner until a signal, then drains. A second signal stops its jobs at once; their last checkpoints are kept. */
export async function runJobsApp(options: JobsAppOptions): Promise<void> {
  const stop = new AbortController();
  const forceStop = new AbortController();
  const onSignal = () => (stop.signal.aborted ? forceStop : stop).abort();
  for (const signal of signals) process.on(signal, onSignal);
  try {
    const app = await JobsApp.start(options);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    options.log.info({}, 'job runner drains');
    await app.stop(SOFT_STOP_MS, HARD_STOP_MS, forceStop.signal);
    options.log.info({}, 'job runner stopped');
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
