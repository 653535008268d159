import { once } from 'node:events';
import { LearnerApp, type LearnerAppOptions } from './learner-app.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Milliseconds in which jobs end or reach their next checkpoint. */
const SOFT_STOP_MS = 15_000;

/** Milliseconds in which stopped jobs are handed back. */
const HARD_STOP_MS = 5_000;

/** Runs a learner until a signal, then drains. A second signal stops its jobs at once; their last checkpoints are kept. */
export async function runLearner(options: LearnerAppOptions): Promise<void> {
  const stop = new AbortController();
  const forceStop = new AbortController();
  const onSignal = () => (stop.signal.aborted ? forceStop : stop).abort();
  for (const signal of signals) process.on(signal, onSignal);
  try {
    const app = await LearnerApp.start(options);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    options.log.info({}, 'learner drains');
    await app.stop(SOFT_STOP_MS, HARD_STOP_MS, forceStop.signal);
    options.log.info({}, 'learner stopped');
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
