import { setFlagsFromString } from 'node:v8';
import { MANY_SLOTS } from '@pilothouse/infra-config';

/**
 * Lets the space for new objects of a worker of many short runs grow to what it may have (`nodeOfWorker`) in one go. A worker that rests gives it
 * back, and would take it again by doubling: three times as many collections for the first thousands of runs, each of which copies
 * what is at work (docs/performance.md).
 */
export function growAtOnce(slots: number): void {
  if (slots >= MANY_SLOTS) setFlagsFromString('--semi-space-growth-factor=64');
}
