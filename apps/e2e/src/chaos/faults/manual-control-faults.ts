import { until } from '../../harness/poll-until.ts';
import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { END_MS } from '../case-runner.ts';
import { letters } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/** Events of a run of which some are always still to come. */
const SOON = 24;

/** Milliseconds between two looks whether a run stops. */
const POLL_INTERVAL_MS = 100;

/**
 * `kill -9` of the worker whose browser a person drives. Once the wheel is back the run goes on elsewhere, from where it was last safe; who takes it
 * there has another token, and what is sent with the one of then counts no more.
 */
export const workerKilledUnderControl: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  const run = await context.submit(letters(3));
  await context.waitForEvents(random.whole(4, SOON));
  const token = await takeControl(stage, run);
  if (token === null) return;
  const worker = await context.holderOf(run);
  await worker?.kill();
  // The wheel is given back while nobody knows yet that the worker is gone, or after that.
  await context.pause(random.chance(0.5) ? random.whole(0, 500) : BEYOND_LEASE_MS);
  await releaseControl(stage, run);
  const next = await takeControl(stage, run);
  const body = { token, inputs: [{ kind: 'key', key: 'Tab' }] };
  const input = `/v1/runs/${run}/control/input`;
  const { status } = await until('its input is answered', () => context.client.call('POST', input, body));
  if (status !== 409) throw new Error(`Input with the token of a wheel that went back was answered with ${status}`);
  if (next !== null) await releaseControl(stage, run);
};

export const releaseControl = ({ context }: Stage, run: string) =>
  until('the wheel is back', () => context.client.call('DELETE', `/v1/runs/${run}/control`));

/** Takes the wheel of a run, and waits until it stops for that. @returns null when it ended before */
export async function takeControl({ context }: Stage, run: string): Promise<number | null> {
  let token: number | null = null;
  const isOver = async () => {
    const status = (await context.runStates())?.find(({ id }) => id === run)?.status ?? 'queued';
    if (status === 'awaiting_user' && token !== null) return true;
    if (status !== 'queued' && status !== 'running') return true;
    // Said again and again: what its worker was told before may be lost.
    token = (await context.client.call('POST', `/v1/runs/${run}/control`))?.body.token ?? token;
    return false;
  };
  await until(`the run ${run} stops for who drives it`, isOver, END_MS, POLL_INTERVAL_MS);
  const now = (await context.runStates())?.find(({ id }) => id === run)?.status;
  return now === 'awaiting_user' ? token : null;
}
