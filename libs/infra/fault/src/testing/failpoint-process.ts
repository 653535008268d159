import { setTimeout as delay } from 'node:timers/promises';
import { enableFailpoints, failpoint } from '../failpoint.ts';

/** Test process that hits each failpoint three times and prints its progress. */
enableFailpoints(process.env.ORDERS || undefined, {
  warn: (facts, message) => console.error(JSON.stringify(facts), message),
});
for (const round of [1, 2, 3]) {
  // Signals are handled between two turns of the event loop.
  await delay(5);
  failpoint('link.append-sent', `r${round}`);
  console.log(`sent ${round}`);
  const startedAt = performance.now();
  // A busy machine delays every round; `failpoint` returns a promise only for a pause.
  const paused = failpoint('worker.intent-durable', `r${round}`);
  await paused;
  console.log(`acted ${round} ${paused && performance.now() - startedAt > 100 ? 'late' : 'at once'}`);
}
console.log('ended');
