import { gapsIn } from './harness/event-sequence.ts';
import { SLOTS, Stack } from './harness/stack.ts';

describe('canceling a run', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack?.stop());

  const waiting = () => ({
    steps: [
      { action: 'navigate', url: `${stack.site.url}/public/widgets` },
      { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120 },
      { action: 'navigate', url: `${stack.site.url}/login` },
    ],
  });

  test('aborts a waiting step immediately; no later step runs', async () => {
    const { client, site } = stack;
    const { id } = await client.submit(waiting());
    await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['action'] === 'waitFor');

    const cancelledAt = performance.now();
    await client.cancel(id);
    const run = await client.waitForEnd(id);
    const ms = performance.now() - cancelledAt;
    expect(run).toMatchObject({ status: 'cancelled' });
    // Without the cancellation the step waits for two minutes.
    expect(ms).toBeLessThan(30_000);

    const events = await client.events(id);
    expect(gapsIn(events)).toEqual([]);
    expect(events.at(-1)?.type).toBe('run.cancelled');
    expect(events.filter(({ type, data }) => type === 'step.started' && data['step'] === 2)).toEqual([]);
    expect((await site.ledger('visit')).map(({ path }) => path)).not.toContain('/login');
  });

  test('frees the slot immediately: the worker takes the next run', async () => {
    const { client, site } = stack;
    const runs = await Promise.all(Array.from({ length: SLOTS }, () => client.submit(waiting())));
    await Promise.all(
      runs.map(({ id }) => client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['step'] === 1)),
    );
    const next = await client.submit({ steps: [{ action: 'navigate', url: `${site.url}/healthz` }] });
    expect((await client.run(next.id)).status).toBe('queued');
    await Promise.all(runs.map(({ id }) => client.cancel(id)));
    expect(await client.waitForEnd(next.id)).toMatchObject({ status: 'completed' });
    for (const { id } of runs) expect((await client.waitForEnd(id)).status).toBe('cancelled');
  });

  test('ends a queued run immediately, without a worker', async () => {
    const { client } = stack;
    for (const worker of stack.workers) await worker.stop();
    const { id } = await client.submit(waiting());
    const run = await client.cancel(id);
    expect(run.status).toBe('cancelled');
    const events = await client.events(id);
    expect(events.map(({ type }) => type)).toEqual(['run.queued', 'run.cancelled']);
    expect(gapsIn(events)).toEqual([]);
  });
});
