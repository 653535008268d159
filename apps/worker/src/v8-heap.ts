import type { WorkerConfig } from '@pilothouse/infra-config';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// A collection overwrites what it frees.
setFlagsFromString('--clear-free-memory');
setFlagsFromString('--expose-gc');

/** `gc` of V8: collects everything that is not referenced. */
const collect = runInNewContext('gc') as (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Overwrites the texts that no object references any more, such as the secrets of a run that has ended. Takes about 50 ms, in which the
 * process does nothing else. A text cannot be overwritten while it is used: a secret stays in memory while its run masks it.
 */
export const wipeFreedTexts = (): void => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });

// `main.ts` imports this file first: loading other modules grows the new space, up to 33 MB.
setFlagsFromString('--optimize-for-size');

/** True if a surface starts programs, which need the memory of the machine. */
const isRealSurface: Readonly<Record<WorkerConfig['surface'], boolean>> = {
  browser: true,
  desktop: true,
  http: false,
  null: false,
};

/**
 * Configures the V8 heap for the worker. With a browser, a worker allocates little after Playwright is loaded, and
 * pages need the memory. Each full collection that V8 starts continues until it has returned its spaces (33 of 145 MB
 * at ten runs, docs/decisions/0014-lean-worker.md).
 * Other workers are tuned for speed. A worker of many short runs gets its maximum new space (`workerNodeOptions`) at
 * once. An idle one returns it, and would grow it again by doubling. That takes three times as many collections for the
 * first thousands of runs, each of which copies live objects.
 */
export function configureHeap({
  surface,
  hasManySlots,
}: Pick<WorkerConfig, 'surface'> & { readonly hasManySlots: boolean }): void {
  if (isRealSurface[surface]) return;
  setFlagsFromString('--no-optimize-for-size');
  if (hasManySlots) setFlagsFromString('--semi-space-growth-factor=64');
}

/**
 * Ends the process after lifting the limits of V8. Node waits for V8's threads; a compiler thread that waits for a collection of the main
 * thread would block forever (github.com/nodejs/node/issues/54918). Small spaces make this wait more likely.
 */
export function exitProcess(code: number): never {
  setFlagsFromString('--no-optimize-for-size');
  process.exit(code);
}
