import type { WorkerConfig } from '@pilothouse/infra-config';
import { setFlagsFromString } from 'node:v8';

// Before anything else is loaded, so `main.ts` imports this file first: loading fills the space for new objects, up to 33 MB.
setFlagsFromString('--optimize-for-size');

/**
 * Says to V8 what the worker is for. With a browser it makes little besides what loading Playwright made, and its memory is wanted for pages: each
 * full collection of V8's own accord goes on to give its spaces back (33 of 145 MB at ten runs, docs/performance.md). Any other is there for speed.
 *
 * A worker of many short runs gets the space for new objects that it may have (`workerNodeOptions`) in one go. One that rests gives it back, and would take it
 * again by doubling: three times as many collections for the first thousands of runs, each of which copies what is at work.
 */
export function configureHeap({ surface, isMany }: Pick<WorkerConfig, 'surface'> & { readonly isMany: boolean }): void {
  if (surface === 'browser') return;
  setFlagsFromString('--no-optimize-for-size');
  if (isMany) setFlagsFromString('--semi-space-growth-factor=64');
}

/**
 * Ends the process, V8 being allowed to take what it needs again: Node waits for V8's threads then, and one that compiles and has to wait until the main
 * thread collects waits for ever (github.com/nodejs/node/issues/54918). Where spaces are kept small a thread has to wait for that much sooner.
 */
export function exitProcess(code: number): never {
  setFlagsFromString('--no-optimize-for-size');
  process.exit(code);
}
