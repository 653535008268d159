import { randomUUID } from 'node:crypto';
import { IdempotencyStore, type IdempotencyClaim } from '@pilothouse/infra-db';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import { IdempotencyService } from './idempotency.service.ts';

describe('a request that resumes after minutes of suspension', () => {
  const harness = useGatewayHarness();
  const submit = (idempotency: IdempotencyClaim | null) => harness.submit({ idempotency });

  /** Sends a request that is suspended while `meanwhile` runs. */
  function runWithDelay(meanwhile: (service: IdempotencyService, key: string) => Promise<unknown>) {
    const service = new IdempotencyService(new IdempotencyStore(harness.pool));
    const key = randomUUID();
    return service.runOnce(harness.project, key, 'a request', async (claim) => {
      await harness.pool.query(`UPDATE idempotency_key SET created_at = now() - interval '3 minutes'`);
      await meanwhile(service, key);
      return submit(claim);
    });
  }

  const runs = async () =>
    (await harness.pool.query<{ id: string }>('SELECT id FROM run WHERE project_id = $1', [harness.project])).rows;

  test('returns the run of the repeated request', async () => {
    let run: string | undefined;
    const lateSubmission = await runWithDelay(async (service, key) => {
      const repeated = await service.runOnce(harness.project, key, 'a request', submit);
      expect(repeated.isRepeated).toBe(false);
      run = repeated.run;
    });
    expect(lateSubmission).toEqual({ run, isRepeated: true });
    expect(await runs()).toEqual([{ id: run }]);
  });

  test.each([
    ['is at work', 'a request', 'IDEMPOTENCY_IN_FLIGHT'],
    ['is another request', 'something else', 'IDEMPOTENCY_MISMATCH'],
  ])('fails if the current entry of its key %s', async (_, request, code) => {
    let resume = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (resume = resolve));
    let repeated: Promise<unknown> | undefined;
    const lateSubmission = runWithDelay(
      (service, key) =>
        new Promise<void>((onTaken) => {
          repeated = service.runOnce(harness.project, key, request, async (mine) => {
            onTaken();
            await isReleased;
            return submit(mine);
          });
        }),
    );
    await expect(lateSubmission).rejects.toMatchObject({ code });
    expect(await runs()).toEqual([]);
    resume();
    await expect(repeated).resolves.toMatchObject({ isRepeated: false });
    expect(await runs()).toHaveLength(1);
  });
});
