import { DEMO_ACCOUNT, SESSION_COOKIE } from '@pilothouse/testing/demo-site/data/accounts.data';
import { gapsIn } from './harness/event-sequence.ts';
import { Stack } from './harness/stack.ts';

describe('a killed worker', () => {
  let stack: Stack;
  beforeEach(async () => {
    stack = await Stack.start({ workers: 2 });
  });
  afterEach(() => stack?.stop());

  /** Logs in and reads a slow page. */
  const slowRun = () => ({
    definition: {
      name: 'read-tides',
      inputs: { password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${stack.site.url}/login?next=/slow%3Fms%3D8000` },
        { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
        { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
        { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/slow' } },
        { action: 'assert', condition: { url: '/slow' } },
        {
          id: 'wait',
          action: 'waitFor',
          condition: { visible: { role: 'table', name: 'Tides today' } },
          // Its intent waits for the safe point of the step before.
          onInterrupted: 'rerun',
        },
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

  test('during a run loses nothing: another one finishes it, and the events have no gap', async () => {
    const { client } = stack;
    const { id } = await client.submit(slowRun());
    await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['id'] === 'wait');
    const dead = await killHolder(id);

    const run = await client.waitForEnd(id);
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
  });

  test('is replaced by one that continues logged in, on the same page', async () => {
    const { client, site } = stack;
    const { id } = await client.submit(slowRun());
    await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['id'] === 'wait');
    await killHolder(id);
    const run = await client.waitForEnd(id);
    expect(run).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await site.ledger('login')).toHaveLength(1);
    const restartedSteps = (await client.events(id)).filter(
      ({ type, epoch }) => type === 'step.started' && epoch === 2,
    );
    expect(restartedSteps.map(({ data }) => data['id']).filter((step) => step !== null)).toEqual(['wait', 'tides']);
    expect(restartedSteps.length).toBeLessThanOrEqual(3);
  });

  /** Sends a message once. The confirmation page is the response to the form, so it cannot be restored. */
  const messageRun = () => {
    const { definition, inputs } = slowRun();
    return {
      inputs,
      definition: {
        ...definition,
        output: undefined,
        steps: [
          ...definition.steps.slice(0, 4),
          { action: 'navigate', url: `${stack.site.url}/contact/frame` },
          { action: 'fill', target: { label: 'Your name' }, text: 'Pilothouse' },
          { action: 'fill', target: { label: 'Message' }, text: 'Only once, please' },
          {
            id: 'send',
            action: 'click',
            target: { role: 'button', name: 'Send message' },
            expect: { text: 'Thank you' },
            idempotent: false,
          },
          {
            id: 'wait',
            action: 'navigate',
            url: `${stack.site.url}/slow?ms=6000`,
            expect: { visible: { role: 'table', name: 'Tides today' } },
          },
        ],
      },
    };
  };

  const waitForQuestion = async (id: string) => {
    await client().waitForEvent(id, ({ type, data }) => type === 'step.started' && data['id'] === 'wait');
    await killHolder(id);
    await client().waitForEvent(id, ({ type }) => type === 'run.awaiting_user');
    const run = await client().run(id);
    expect(run).toMatchObject({ status: 'awaiting_user', question: { step: 7, id: 'send' } });
    return run;
  };
  const client = () => stack.client;

  test('during a step that is not idempotent causes a question, and the run continues with the answer', async () => {
    const { id } = await client().submit(messageRun());
    const { question } = await waitForQuestion(id);
    expect(question?.choices.map(({ choice }) => choice)).toEqual(['continue', 'retry', 'fail']);
    const wrong = await client().request(`/v1/runs/${id}/answer`, { method: 'POST', body: { choice: 'perhaps' } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ errors: [{ pointer: '/choice' }] });
    const response = await client().request(`/v1/runs/${id}/answer`, { method: 'POST', body: { choice: 'continue' } });
    expect(response.status).toBe(200);
    expect(await client().waitForEnd(id)).toMatchObject({ status: 'completed', question: null });
    expect(await stack.site.ledger('contact')).toHaveLength(1);
    expect(gapsIn(await client().events(id))).toEqual([]);
    const repeatedResponse = await client().request(`/v1/runs/${id}/answer`, {
      method: 'POST',
      body: { choice: 'continue' },
    });
    expect(repeatedResponse.status).toBe(409);
  });

  test('a run that waits for an answer may be dismissed', async () => {
    const { id } = await client().submit(messageRun());
    await waitForQuestion(id);
    const dismissed = await client().request(`/v1/runs/${id}/complete`, { method: 'POST' });
    expect(dismissed.status).toBe(200);
    expect(await client().run(id)).toMatchObject({ status: 'completed', output: null });
    expect((await client().events(id)).at(-1)).toMatchObject({ type: 'run.completed', data: { output: null } });
  });

  test('stores cookies and local storage encrypted', async () => {
    const { id } = await client().submit(slowRun());
    await client().waitForEvent(id, ({ type, data }) => type === 'step.started' && data['id'] === 'wait');
    await killHolder(id);
    await client().waitForEvent(
      id,
      ({ type, data, epoch }) => type === 'step.started' && data['id'] === 'wait' && epoch === 2,
    );
    const storedData = Object.entries(await stack.dumpStoredData());
    // The database is dumped with bytes as hexadecimal digits.
    const encodings = [SESSION_COOKIE, Buffer.from(SESSION_COOKIE).toString('hex')];
    const containsSecret = (text: string) => encodings.some((form) => text.includes(form));
    expect(storedData.filter(([, text]) => containsSecret(text)).map(([location]) => location)).toEqual([]);
    expect(await client().waitForEnd(id)).toMatchObject({ status: 'completed' });
  });
});
