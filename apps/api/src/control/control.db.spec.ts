import { randomUUID } from 'node:crypto';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../testing/protocol-worker.fixture.ts';

describe('control of a run', () => {
  const harness = useGatewayHarness();
  const { worker, workerElsewhere, openControlRelay: relayOn, submit, statusOf, whenStatus, typesOf } = harness;
  const ada = { holder: randomUUID(), operator: 'Ada' };
  const ben = { holder: randomUUID(), operator: 'Ben' };

  const acceptAttempt = async (protocolWorker: ProtocolWorker): Promise<Attempt> => {
    await protocolWorker.connect();
    return protocolWorker.acceptAssignment(await submit());
  };
  const control = () => harness.lifecycle.runs.control;
  const driven = {
    token: 1,
    operator: 'Ada',
    validMs: 1_000,
    sequence: 1,
    inputs: [{ kind: 'key' as const, key: 'Enter' }],
  };
  /** Notifies a worker of its control session until it arrives: a replica may not be subscribed yet. */
  const untilReceived = (protocolWorker: ProtocolWorker, send: () => Promise<void>) =>
    until('the worker has the message', async () => {
      await send();
      return protocolWorker.received.some(({ type }) => type === 'control.input');
    });
  /** Stops for an operator, like a worker. */
  const stop = async (protocolWorker: ProtocolWorker, attempt: Attempt, token: number) => {
    const choices = [{ choice: 'continue', title: 'Give it back' }] as const;
    const question = { step: 0, id: null, controlToken: token, reason: 'Ada has control', choices: [...choices] };
    protocolWorker.append(attempt, [], { question });
    await whenStatus(attempt.run, 'awaiting_user');
  };

  it('belongs to one operator, with a token that only grows', async () => {
    const attempt = await acceptAttempt(worker());
    const { run } = attempt;
    const first = await control().take(run, ada);
    expect(first).toMatchObject({ ...attempt, operator: 'Ada' });
    expect(await control().take(run, ben)).toBeNull();
    expect(await control().take(run, ada)).toMatchObject({ token: first?.token });
    expect(await control().release(run, ben)).toBeNull();
    expect(await control().release(run, ada)).toMatchObject({ token: first?.token });
    const second = await control().take(run, ben);
    expect(second?.token).toBeGreaterThan(first?.token ?? Infinity);
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 control.taken',
      '4 control.released',
      '5 control.taken',
    ]);
  });

  it('goes to one of many concurrent requests', async () => {
    const { run } = await acceptAttempt(worker());
    const people = Array.from({ length: 8 }, (_, n) => ({ holder: randomUUID(), operator: `${n}` }));
    const sessions = await Promise.all(people.map((person) => control().take(run, person)));
    expect(sessions.filter((session) => session !== null)).toHaveLength(1);
  });

  it('accepts input only while the run waits, with the newest token, and numbers each batch', async () => {
    const controlledWorker = worker();
    const attempt = await acceptAttempt(controlledWorker);
    const { run } = attempt;
    const token = (await control().take(run, ada))?.token ?? 0;
    const { holder } = ada;
    expect(await control().acceptInput(run, { holder, token })).toBeNull();
    await stop(controlledWorker, attempt, token);
    expect(await control().acceptInput(run, { holder, token })).toMatchObject({ ...attempt, n: 1 });
    expect(await control().acceptInput(run, { holder, token })).toMatchObject({ n: 2 });
    expect(await control().acceptInput(run, { holder, token: token + 1 })).toBeNull();
    expect(await control().acceptInput(run, { holder: ben.holder, token })).toBeNull();
    // A new control session starts with a new token, and the old one becomes invalid.
    await control().release(run, ada);
    const newer = (await control().take(run, ada))?.token ?? 0;
    expect(await control().acceptInput(run, { holder, token })).toBeNull();
    expect(await control().acceptInput(run, { holder, token: newer })).toMatchObject({ n: 1 });
  });

  it('reaches a worker that missed it with the next renewal of its lease, until control is released', async () => {
    const controlledWorker = worker();
    const attempt = await acceptAttempt(controlledWorker);
    const renew = async (sentAt: number) => {
      controlledWorker.send({ type: 'renew', sentAt, attempts: [attempt] });
      await controlledWorker.waitFor('renew.ack', (renewed) => renewed.sentAt === sentAt);
      // A message after the acknowledgement of the next renewal was sent before it.
      controlledWorker.send({ type: 'renew', sentAt: sentAt + 1, attempts: [attempt] });
      await controlledWorker.waitFor('renew.ack', (renewed) => renewed.sentAt === sentAt + 1);
      return controlledWorker.received.filter(({ type }) => type === 'control.input');
    };
    expect(await renew(10)).toEqual([]);
    // Nothing tells the worker: Redis lost the message.
    const session = await control().take(attempt.run, ada);
    const [message] = await renew(20);
    const { token } = session ?? {};
    expect(message).toMatchObject({ ...attempt, token, operator: 'Ada', sequence: 0, inputs: [] });
    expect(message?.type === 'control.input' && message.validMs).toBeGreaterThan(1_000);
    await control().release(attempt.run, ada);
    const messageCount = controlledWorker.received.filter(({ type }) => type === 'control.input').length;
    expect(await renew(30)).toHaveLength(messageCount);
  });

  it('lets the worker fetch uploads for file choosers until control changes', async () => {
    const controlledWorker = worker();
    const attempt = await acceptAttempt(controlledWorker);
    const { run } = attempt;
    const token = (await control().take(run, ada))?.token ?? 0;
    await stop(controlledWorker, attempt, token);
    const [uploadId, otherUploadId] = [randomUUID(), randomUUID()];
    for (const id of [uploadId, otherUploadId])
      await harness.pool.query(
        `INSERT INTO upload (id, project_id, name, content_type, size, key) VALUES ($1, $2, 'bill.pdf', 'application/pdf', 4, $3)`,
        [id, harness.project, `uploads/${id}`],
      );
    let number = 900;
    const ask = async (upload: string) => {
      const id = (number += 1);
      controlledWorker.send({ type: 'file.request', id, ...attempt, upload });
      return until('it is answered', () =>
        controlledWorker.received.find((message) => 'id' in message && message.id === id),
      );
    };
    expect(await ask(uploadId)).toMatchObject({ type: 'rejected', error: { code: 'NOT_FOUND' } });
    await control().acceptInput(run, { holder: ada.holder, token, files: [uploadId] });
    // Later input removes nothing.
    await control().acceptInput(run, { holder: ada.holder, token });
    expect(await ask(uploadId)).toMatchObject({ type: 'file.grant', name: 'bill.pdf', size: 4 });
    expect(await ask(otherUploadId)).toMatchObject({ type: 'rejected', error: { code: 'NOT_FOUND' } });
    await harness.pool.query('UPDATE control_session SET expires_at = now() WHERE run_id = $1', [run]);
    expect(await control().take(run, ben)).not.toBeNull();
    expect(await ask(uploadId)).toMatchObject({ type: 'rejected', error: { code: 'NOT_FOUND' } });
  });

  it('returns to the run when idle, or when the run continues', async () => {
    const controlledWorker = worker();
    const attempt = await acceptAttempt(controlledWorker);
    const { run } = attempt;
    const token = (await control().take(run, ada))?.token ?? 0;
    await stop(controlledWorker, attempt, token);
    await harness.pool.query('UPDATE control_session SET expires_at = now()');
    const { answer } = await controlledWorker.waitFor('question.answered');
    expect(answer).toEqual({ step: 0, path: '1', controlToken: token, choice: 'continue', answeredBy: 'system' });
    expect(await statusOf(run)).toMatchObject({ status: 'running' });
    const newToken = (await control().take(run, ada))?.token ?? 0;
    await stop(controlledWorker, attempt, newToken);
    expect(await harness.lifecycle.runs.answer(run, { choice: 'continue' }, 'Ben')).toBe(true);
    await until('control is released', async () => (await control().holder(run)) === null);
    expect((await typesOf(run)).slice(2)).toEqual([
      '3 control.taken',
      '4 run.awaiting_user',
      '5 control.released',
      '6 run.answered',
      '7 control.taken',
      '8 run.awaiting_user',
      '9 run.answered',
      '10 control.released',
    ]);
  });

  it('released late by a slow replica answers no later question', async () => {
    const controlledWorker = worker();
    const attempt = await acceptAttempt(controlledWorker);
    const { run } = attempt;
    await stop(controlledWorker, attempt, (await control().take(run, ada))?.token ?? 0);
    /** Another replica releases it, the worker is lost, and the next one asks whether the step happened. */
    const meanwhile = async () => {
      await control().release(run, ada);
      await control().continueRun(run, 'Ada');
      await whenStatus(run, 'running');
      controlledWorker.disconnect();
      await harness.expire(run);
      const two = worker();
      await two.connect();
      const next = await two.acceptAssignment(run);
      const choices = [{ choice: 'continue', title: 'It happened' }] as const;
      const question = { step: 0, id: null, reason: 'It may have happened', choices: [...choices] };
      two.append(next, [], { question });
      await until('it asks', async () => {
        const row = await statusOf(run);
        return row?.status === 'awaiting_user' && row.epoch === next.epoch;
      });
    };
    let isQueried = false;
    const slow = new Proxy(harness.pool, {
      get(pool, name) {
        if (name !== 'query') return Reflect.get(pool, name, pool) as unknown;
        return async (...args: Parameters<typeof pool.query>) => {
          const result: unknown = await pool.query(...args);
          if (isQueried || !String(args[0]).startsWith('SELECT question')) return result;
          isQueried = true;
          await meanwhile();
          return result;
        };
      },
    });
    await harness.replica(slow).lifecycle.runs.control.continueRun(run, 'system');
    expect(isQueried).toBe(true);
    expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch: attempt.epoch + 1 });
    const resumed = (await typesOf(run)).filter((type) => type.endsWith('run.answered'));
    expect(resumed).toHaveLength(1);
  });

  it('taken as soon as the run continues is not released for the previous session', async () => {
    const controlledWorker = worker();
    const attempt = await acceptAttempt(controlledWorker);
    const { run } = attempt;
    await stop(controlledWorker, attempt, (await control().take(run, ada))?.token ?? 0);
    /** Ben takes control at a slow replica when the run continues, before that replica has released the previous session. */
    const slow = new Proxy(harness.pool, {
      get(pool, name) {
        if (name !== 'query') return Reflect.get(pool, name, pool) as unknown;
        return async (...args: Parameters<typeof pool.query>) => {
          if (String(args[0]).startsWith('DELETE FROM control_session')) await control().take(run, ben);
          return pool.query(...args) as unknown;
        };
      },
    });
    const replica = harness.replica(slow);
    await Promise.all([harness.lifecycle.sweeper.stop(), replica.lifecycle.sweeper.stop()]);
    await control().release(run, ada);
    await replica.lifecycle.runs.control.continueRun(run, 'system');
    await control().take(run, ben);
    expect((await typesOf(run)).slice(4)).toEqual(['5 control.released', '6 run.answered', '7 control.taken']);
  });

  it('is unavailable for a run without a worker', async () => {
    const run = await submit();
    expect(await control().take(run, ada)).toBeNull();
  });

  it('reaches the worker through any replica, but no other attempt', async () => {
    const controlledWorker = workerElsewhere();
    const attempt = await acceptAttempt(controlledWorker);
    const relay = relayOn();
    await untilReceived(controlledWorker, async () => {
      await relay.sendInput({ ...attempt, epoch: attempt.epoch + 1 }, { ...driven, sequence: 99 });
      await relay.sendInput(attempt, driven);
    });
    expect(await controlledWorker.waitFor('control.input')).toEqual({ type: 'control.input', ...attempt, ...driven });
    expect(
      controlledWorker.received.filter((message) => message.type === 'control.input' && message.sequence === 99),
    ).toEqual([]);
  });

  it('receives page inspections through any replica, only from the worker that holds the run', async () => {
    const [firstWorker, secondWorker] = [workerElsewhere(), worker()];
    const attempt = await acceptAttempt(firstWorker);
    await secondWorker.connect();
    const relay = relayOn();
    await untilReceived(firstWorker, () => relay.sendInput(attempt, driven));
    const query = { id: randomUUID(), kind: 'elements' as const, element: 7 };
    const inspection = { url: 'https://a.test/', title: 'A', elements: [], target: { css: '#go' } };
    const answer = relay.inspect(query, async () => [attempt, driven], new AbortController().signal);
    expect(await firstWorker.waitFor('control.input', (input) => input.inspect !== undefined)).toMatchObject({
      ...attempt,
      inspect: query,
    });
    secondWorker.send({
      type: 'control.inspection',
      ...attempt,
      id: query.id,
      result: { ...inspection, title: 'forged' },
    });
    // The answer proves that the earlier message was read.
    secondWorker.send({ type: 'renew', sentAt: 1, attempts: [] });
    await secondWorker.waitFor('renew.ack');
    firstWorker.send({ type: 'control.inspection', ...attempt, id: query.id, result: inspection });
    expect(await answer).toEqual(inspection);
    const clientAbort = new AbortController();
    const unanswered = relay.inspect(
      { id: randomUUID(), kind: 'selection' },
      async () => [attempt, driven],
      clientAbort.signal,
    );
    clientAbort.abort(new Error('the client went away'));
    await expect(unanswered).rejects.toThrow('the client went away');
  });

  it('numbers a question before it can be answered, so that an early answer does not overtake it', async () => {
    const relay = relayOn();
    const query = { id: randomUUID(), kind: 'selection' as const };
    // The publisher is connected now, the subscriber is not yet.
    await relay.publishResult(randomUUID(), { text: null });
    const steer = async (): Promise<[Attempt, typeof driven]> => {
      await relay.publishResult(query.id, { text: 'heard' });
      return [{ run: randomUUID(), epoch: 1 }, driven];
    };
    expect(await relay.inspect(query, steer, new AbortController().signal)).toEqual({ text: 'heard' });
  });
});
