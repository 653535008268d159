import { randomUUID } from 'node:crypto';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

describe('a rejected message', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf } = harness;

  it('is answered if it is unknown or invalid', async () => {
    const w = worker();
    await w.connect();
    w.raw('{"type":"dance","id":4}');
    expect(await w.waitFor('rejected', ({ error }) => error.code === 'PROTOCOL_UNKNOWN')).toMatchObject({ id: 4 });
    w.raw('{"type":"ready","freeSlots":"many"}');
    await w.waitFor('rejected', ({ error }) => error.code === 'PROTOCOL_INVALID');
    w.raw('no json');
    await w.waitFor('rejected', ({ error }) => error.message.includes('not JSON'));
    w.send({
      type: 'upload.request',
      id: 9,
      run: randomUUID(),
      epoch: 1,
      step: null,
      kind: 'screenshot',
      name: 'x',
      contentType: 'image/png',
      size: 1,
    });
    await w.waitFor('rejected', ({ id, error }) => id === 9 && error.code === 'LEASE_LOST');
  });

  it('names its attempt in the answer', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [createEvent('run.completed', 'I say so', { output: null, durationMs: 1 }, new Date())]);
    expect(await w.waitFor('rejected')).toMatchObject({ ...attempt, error: { code: 'PROTOCOL_INVALID' } });
    expect(await statusOf(run)).toMatchObject({ status: 'running' });
  });

  it('does not fail the shared commit of other runs', async () => {
    const log = (n: number, facts: string) =>
      JSON.stringify({ ...createEvent('run.log', 'odd', { facts: {} }, new Date()), n }).replace('{}', facts);
    const deep = `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    for (const events of [`${log(1, deep)}`, `${log(1, '{}')},${log(1, '{}')}`, `${log(2, '{}')},${log(1, '{}')}`]) {
      const w = worker();
      await w.connect();
      const run = await submit();
      const attempt = await w.acceptAssignment(run);
      w.raw(`{"type":"append","run":"${run}","epoch":${attempt.epoch},"events":[${events}]}`);
      expect(await w.waitFor('rejected')).toMatchObject({ ...attempt, error: { code: 'PROTOCOL_INVALID' } });
      w.disconnect();
    }
  });
});
