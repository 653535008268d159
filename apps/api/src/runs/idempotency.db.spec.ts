import { randomUUID } from 'node:crypto';
import { IdempotencyStore, type IdempotencyClaim } from '@pilothouse/infra-db';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import { IdempotencyService } from './idempotency.service.ts';

describe('a request that resumes after minutes of suspension', () => {
  const harness = useGatewayHarness();
  const submit = (idempotency: IdempotencyClaim | null) => harness.submit({ idempotency });

  /** Sends a request that is suspended while `meanwhile` runs. */
  function stoodStill(meanwhile: (service: IdempotencyService, key: string) => Promise<unknown>) {
    const service = new IdempotencyService(new IdempotencyStore(harness.pool));
    const key = randomUUID();
    return service.runOnce(harness.project, key, 'a request', async (held) => {
      await harness.pool.query(`UPDATE idempotency_key SET created_at = now() - interval '3 minutes'`);
      await meanwhile(service, key);
      return submit(held);
    });
  }

  const runs = async () =>
    (await harness.pool.query<{ id: string }>('SELECT id FROM run WHERE project_id = $1', [harness.project])).rows;

  test('returns the run of the repeated request', async () => {
    let run: string | undefined;
    const late = await stoodStill(async (service, key) => {
      const again = await service.runOnce(harness.project, key, 'a request', submit);
      expect(again.replayed).toBe(false);
      run = again.run;
    });
    expect(late).toEqual({ run, replayed: true });
    expect(await runs()).toEqual([{ id: run }]);
  });

  test.each([
    ['is at work', 'a request', 'IDEMPOTENCY_IN_FLIGHT'],
    ['is another request', 'something else', 'IDEMPOTENCY_MISMATCH'],
  ])('fails if the current entry of its key %s', async (_, request, code) => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let again: Promise<unknown> | undefined;
    const late = stoodStill(
      (service, key) =>
        new Promise<void>((taken) => {
          again = service.runOnce(harness.project, key, request, async (mine) => {
            taken();
            await held;
            return submit(mine);
          });
        }),
    );
    await expect(late).rejects.toMatchObject({ code });
    expect(await runs()).toEqual([]);
    goOn();
    await expect(again).resolves.toMatchObject({ replayed: false });
    expect(await runs()).toHaveLength(1);
  });
});
