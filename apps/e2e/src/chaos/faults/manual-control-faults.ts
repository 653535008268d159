import { until } from '../../harness/poll-until.ts';
import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { END_MS } from '../case-context.ts';
import { letters } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/** Minimum number of events of a run that are still to come. */
const SOON = 24;

/** Milliseconds between two polls for the pause of a run. */
const POLL_INTERVAL_MS = 100;

/**
 * `kill -9` of a worker whose browser a person controls. After the release the run continues elsewhere, from its last
 * safe point. Control there has another token, and input with the old token is refused.
 */
export const workerKilledUnderControl: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  const run = await context.submit(letters(3));
  await context.waitForEvents(random.integer(4, SOON));
  const token = await takeControl(stage, run);
  if (token === null) return;
  const worker = await context.holderOf(run);
  await worker?.kill();
  // Control is released before the death of the worker is detected, or after it.
  await context.pause(random.chance(0.5) ? random.integer(0, 500) : BEYOND_LEASE_MS);
  await releaseControl(stage, run);
  const next = await takeControl(stage, run);
  const body = { token, inputs: [{ kind: 'key', key: 'Tab' }] };
  const input = `/v1/runs/${run}/control/input`;
  const { status } = await until('its input is answered', () => context.client.call('POST', input, body));
  if (status !== 409) throw new Error(`Input with the token of released control was answered with ${status}`);
  if (next !== null) await releaseControl(stage, run);
};

export const releaseControl = ({ context }: Stage, run: string) =>
  until('control is released', () => context.client.call('DELETE', `/v1/runs/${run}/control`));

/**
 * Takes control of a run, and waits until it pauses.
 * @returns null when the run ended first
 */
export async function takeControl({ context }: Stage, run: string): Promise<number | null> {
  let token: number | null = null;
  const isOver = async () => {
    const status = (await context.runStates())?.find(({ id }) => id === run)?.status ?? 'queued';
    if (status === 'awaiting_user' && token !== null) return true;
    if (status !== 'queued' && status !== 'running') return true;
    // Repeated: an earlier message to its worker may be lost.
    token = (await context.client.call('POST', `/v1/runs/${run}/control`))?.body.token ?? token;
    return false;
  };
  await until(`the run ${run} stops for manual control`, isOver, END_MS, POLL_INTERVAL_MS);
  const now = (await context.runStates())?.find(({ id }) => id === run)?.status;
  return now === 'awaiting_user' ? token : null;
}
