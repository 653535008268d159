import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { kubectlOutput } from '../chart/chart-tools.fixture.ts';
import { until } from '../harness/poll-until.ts';

/** Names of the ready schedulable nodes, sorted. */
export async function readyNodes(): Promise<string[]> {
  const ready =
    '{range .items[*]}{.metadata.name} {.spec.unschedulable} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
  const lines = (await kubectlOutput('get', 'nodes', '-o', `jsonpath=${ready}`)).split('\n');
  return lines
    .map((line) => line.split(' '))
    .filter(([, unschedulable, status]) => !unschedulable && status === 'True')
    .flatMap(([name]) => (name ? [name] : []))
    .sort();
}

/**
 * Commands that cut the power of a node and restore it (PILOTHOUSE_STOP_NODE, PILOTHOUSE_START_NODE); null when they
 * are not set.
 */
export function powerOf(): { stop(): Promise<unknown>; start(): Promise<unknown> } | null {
  const { PILOTHOUSE_STOP_NODE: stop, PILOTHOUSE_START_NODE: start } = process.env;
  if (!stop || !start) return null;
  const run = promisify(exec);
  return { stop: () => run(stop, { timeout: 60_000 }), start: () => run(start, { timeout: 120_000 }) };
}

/** Waits for a number of ready nodes. */
export const nodesReady = (count: number, ms: number) =>
  until(`${count} nodes are ready`, async () => (await readyNodes()).length === count, ms, 500);
