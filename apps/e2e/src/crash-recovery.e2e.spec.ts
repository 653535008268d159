import { Redis } from 'ioredis';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { gapsIn } from './harness/event-sequence.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

describe('a stack that loses volatile state', () => {
  let stack: Stack;
  beforeEach(async () => {
    stack = await Stack.start({ workers: 0 });
  });
  afterEach(() => stack?.stop());

  const submitRuns = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        stack.client.submit({
          steps: [
            { action: 'navigate', url: `${stack.site.url}/public/widgets?n=${n}` },
            { id: 'title', action: 'extract', target: { role: 'heading', name: 'Widget gallery' }, value: {} },
          ],
        }),
      ),
    );

  const flushAll = async () => {
    const redis = new Redis(stack.redis.url);
    await redis.flushall();
    redis.disconnect();
  };

  /** Every run completed in one attempt, with one visit. */
  const expectCompletedOnce = async (runs: readonly RunView[]) => {
    const endedRuns = await Promise.all(runs.map(({ id }) => stack.client.waitForEnd(id, 90_000)));
    expect(endedRuns.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(runs.map(() => 'completed 1'));
    for (const { id } of runs) {
      const events = await stack.client.events(id);
      expect(gapsIn(events)).toEqual([]);
      expect(events.filter(({ type }) => type === 'run.assigned')).toHaveLength(1);
    }
    const visits = (await stack.site.ledger('visit')).filter(({ path }) => path.startsWith('/public/widgets'));
    // The gallery has a frame, which counts as a visit.
    expect(visits.filter(({ path }) => !path.includes('frame'))).toHaveLength(runs.length);
  };

  test('executes all queued runs after Redis lost them', async () => {
    const runs = await submitRuns(20);
    await flushAll();
    await stack.addWorker();
    await expectCompletedOnce(runs);
  });

  test('executes all runs although Redis loses data meanwhile', async () => {
    const runs = await submitRuns(30);
    await stack.addWorker();
    for (const progress of [3, 12]) {
      await until(`${progress} runs are done`, async () => (await visits()) >= progress, 60_000);
      await flushAll();
    }
    await expectCompletedOnce(runs);
  });

  test('executes all runs across a restart of the API', async () => {
    const runs = await submitRuns(12);
    const { api } = stack;
    await api.kill();
    await stack.startApi();
    await stack.addWorker();
    await expectCompletedOnce(runs);
  });

  const visits = async () => (await stack.site.ledger('visit')).filter(({ path }) => !path.includes('frame')).length;
});
