import { DEMO_ACCOUNT } from '@pilothouse/testing';
import { gapsIn } from './harness/expectations.ts';
import { Stack } from './harness/stack.ts';

describe('a worker that dies', () => {
  let stack: Stack;
  beforeEach(async () => {
    stack = await Stack.start({ workers: 2 });
  }, 120_000);
  afterEach(() => stack?.stop(), 60_000);

  /** Logs in and reads a page that takes seconds to come. */
  const slowRun = () => ({
    definition: {
      name: 'read-tides',
      inputs: { password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${stack.site.url}/login?next=/slow%3Fms%3D8000` },
        { action: 'type', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
        { action: 'type', target: { label: 'Password' }, text: '{{inputs.password}}' },
        { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/slow' } },
        { id: 'wait', action: 'waitFor', condition: { visible: { role: 'table', name: 'Tides today' } } },
        {
          id: 'tides',
          action: 'extract',
          target: { css: 'table tbody tr' },
          list: {},
        },
      ],
      output: { tides: '{{steps.tides.value}}' },
    },
    inputs: { password: DEMO_ACCOUNT.password },
  });

  const killHolder = async (run: string) => {
    const { worker: holder, status } = await stack.client.run(run);
    expect(status).toBe('running');
    const worker = stack.workers.find(({ name }) => name === holder);
    if (!worker) throw new Error(`The run says it is on ${holder}`);
    await worker.kill();
    return worker.name;
  };

  test('in the middle of a run loses nothing: another one finishes it, and the events have no gap', async () => {
    const { client } = stack;
    const { id } = await client.submit(slowRun());
    await client.event(id, ({ type, data }) => type === 'step.acting' && data['id'] === 'wait');
    const dead = await killHolder(id);

    const run = await client.ended(id);
    expect(run).toMatchObject({ status: 'completed', error: null, attempts: 2, epoch: 2 });
    expect(run.worker).not.toBe(dead);
    expect((run.output as { tides: string[] }).tides).toHaveLength(4);

    const events = await client.events(id);
    expect(gapsIn(events)).toEqual([]);
    const assigned = events.filter(({ type }) => type === 'run.assigned').map(({ data }) => data['worker']);
    expect(assigned).toEqual([dead, run.worker]);
    expect(events.filter(({ type }) => type === 'run.requeued').map(({ data }) => data['error'])).toEqual([
      expect.objectContaining({ code: 'WORKER_LOST' }),
    ]);
    expect(events.filter(({ type }) => type === 'run.completed')).toHaveLength(1);
  }, 90_000);

  test('after a step that must not happen twice leaves the run failed, not done twice', async () => {
    const { client, site } = stack;
    const { definition, inputs } = slowRun();
    const { id } = await client.submit({
      inputs,
      definition: {
        ...definition,
        output: undefined,
        steps: [
          ...definition.steps.slice(0, 4),
          { action: 'navigate', url: `${site.url}/contact/frame` },
          { action: 'type', target: { label: 'Your name' }, text: 'Pilothouse' },
          { action: 'type', target: { label: 'Message' }, text: 'Only once, please' },
          {
            action: 'click',
            target: { role: 'button', name: 'Send message' },
            expect: { text: 'Thank you' },
            repeatable: false,
          },
          { id: 'wait', action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 60 },
        ],
      },
    });
    await client.event(id, ({ type, data }) => type === 'step.acting' && data['id'] === 'wait');
    await killHolder(id);

    const run = await client.ended(id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'STEP_UNKNOWN' } });
    expect(await site.ledger('contact')).toHaveLength(1);
    expect(gapsIn(await client.events(id))).toEqual([]);
  }, 90_000);
});
