import { until } from '../../harness/poll-until.ts';
import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { END_MS } from '../case-runner.ts';
import { letters } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { hireAll } from './case-workload.ts';

/** Events of a run of which some are always still to come. */
const SOON = 24;

/** Milliseconds between two looks whether a run stops. */
const LOOK_MS = 100;

/**
 * `kill -9` of the worker whose browser a person drives. Once the wheel is back the run goes on elsewhere, from where it was last safe; who takes it
 * there has another token, and what is sent with the one of then counts no more.
 */
export const drivenKilled: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  const run = await scene.submit(letters(3));
  await scene.events(dice.whole(4, SOON));
  const token = await drives(stage, run);
  if (token === null) return;
  const hand = await scene.holderOf(run);
  await hand?.kill();
  // The wheel is given back while nobody knows yet that the worker is gone, or after that.
  await scene.while(dice.chance(0.5) ? dice.whole(0, 500) : BEYOND_LEASE_MS);
  await givesBack(stage, run);
  const next = await drives(stage, run);
  const body = { token, inputs: [{ kind: 'key', key: 'Tab' }] };
  const input = `/v1/runs/${run}/control/input`;
  const { status } = await until('its input is answered', () => scene.door.call('POST', input, body));
  if (status !== 409) throw new Error(`Input with the token of a wheel that went back was answered with ${status}`);
  if (next !== null) await givesBack(stage, run);
};

export const givesBack = ({ scene }: Stage, run: string) =>
  until('the wheel is back', () => scene.door.call('DELETE', `/v1/runs/${run}/control`));

/** Takes the wheel of a run, and waits until it stops for that. @returns null when it ended before */
export async function drives({ scene }: Stage, run: string): Promise<number | null> {
  let token: number | null = null;
  const isOver = async () => {
    const status = (await scene.glance())?.find(({ id }) => id === run)?.status ?? 'queued';
    if (status === 'awaiting_user' && token !== null) return true;
    if (status !== 'queued' && status !== 'running') return true;
    // Said again and again: what its worker was told before may be lost.
    token = (await scene.door.call('POST', `/v1/runs/${run}/control`))?.body.token ?? token;
    return false;
  };
  await until(`the run ${run} stops for who drives it`, isOver, END_MS, LOOK_MS);
  const now = (await scene.glance())?.find(({ id }) => id === run)?.status;
  return now === 'awaiting_user' ? token : null;
}
