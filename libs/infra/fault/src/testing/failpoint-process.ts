import { setTimeout as pause } from 'node:timers/promises';
import { enableFailpoints, hit } from '../hit-failpoint.ts';

/** A process that passes failpoints three times each and says what it did: for the specs. */
enableFailpoints(process.env.ORDERS || undefined, {
  warn: (facts, message) => console.error(JSON.stringify(facts), message),
});
for (const round of [1, 2, 3]) {
  // Signals are heard between two turns of the event loop.
  await pause(5);
  hit('link.append-sent', `r${round}`);
  console.log(`sent ${round}`);
  const before = performance.now();
  // A busy machine holds up everybody; only who is told to wait gets a promise.
  const held = hit('worker.intent-durable', `r${round}`);
  await held;
  console.log(`acted ${round} ${held && performance.now() - before > 100 ? 'late' : 'at once'}`);
}
console.log('ended');
