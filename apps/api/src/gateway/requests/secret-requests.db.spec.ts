import { sealProjectSecret } from '../../sealing/project-secrets.ts';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';
import { ProjectSecretStore } from '@pilothouse/infra-db';

/*
 * Secrets of projects, fetched over real sockets.
 */
describe('a secret that a run names', () => {
  const harness = useGatewayHarness();
  const NAME = 'portal-password';
  let id = 0;

  const store = () => new ProjectSecretStore(harness.pool);
  const save = (value: string) => {
    const key = { project: harness.project, name: NAME };
    return store().save({
      ...key,
      sealed: sealProjectSecret(harness.vault, key, value),
      description: undefined,
      actor: null,
    });
  };
  const submit = () => harness.submit({ secretNames: ['password'], secretReferences: { password: NAME } });

  async function claim(run: string) {
    const worker = harness.worker();
    await worker.connect();
    return { worker, attempt: await worker.acceptAssignment(run) };
  }
  const send = ({ worker, attempt }: Awaited<ReturnType<typeof claim>>, name = 'password') => {
    id += 1;
    const request = id;
    worker.send({ type: 'secret.request', id: request, ...attempt, name, origin: 'https://portal.test' });
    return {
      value: () => worker.waitFor('secret.value', (answer) => answer.id === request),
      refused: async () => (await worker.waitFor('rejected', (answer) => answer.id === request)).error,
    };
  };
  const assignedSecrets = (worker: ProtocolWorker) =>
    worker.received.flatMap((message) => (message.type === 'assign' ? [message.assignment.secrets] : []));

  it('has the value of the moment, so that a queued run gets a rotated one', async () => {
    await save('first');
    const run = await submit();
    await save('second');
    const holder = await claim(run);
    expect(assignedSecrets(holder.worker)).toEqual([['password']]);
    expect(await send(holder).value()).toMatchObject({ value: 'second', former: [] });
    expect((await store().list(harness.project, 10)).items[0]?.lastUsedAt).not.toBeNull();
  });

  it('comes with the values that the run may have typed before, to mask them', async () => {
    await save('first');
    const holder = await claim(await submit());
    await save('second');
    await save('third');
    expect(await send(holder).value()).toMatchObject({ value: 'third', former: ['second', 'first'] });
    await harness.pool.query(`UPDATE run SET status = 'completed' WHERE project_id = $1`, [harness.project]);
    await save('fourth');
    const { rows } = await harness.pool.query('SELECT former FROM project_secret WHERE project_id = $1', [
      harness.project,
    ]);
    expect(rows).toEqual([{ former: [] }]);
  });

  it('fails by name when it was deleted', async () => {
    await save('first');
    const holder = await claim(await submit());
    await store().delete(harness.project, NAME);
    const error = await send(holder).refused();
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(`"${NAME}"`) });
    expect(error.message).toContain('deleted');
  });

  it('comes with the values before its deletion, which stay until the run has ended', async () => {
    await save('first');
    const holder = await claim(await submit());
    expect(await store().delete(harness.project, NAME)).toMatchObject({ version: 1, openRuns: 1 });
    expect(await store().delete(harness.project, NAME)).toBeNull();
    expect(await store().names(harness.project)).toEqual([]);
    expect((await store().list(harness.project, 10)).items).toEqual([]);
    const key = { project: harness.project, name: NAME };
    expect(await store().use(key.project, key.name)).toBeNull();
    // A value that was read before the deletion does not create the secret again.
    const stale = { ...key, version: 1, sealed: sealProjectSecret(harness.vault, key, 'first'), former: [] };
    expect(await store().reseal(stale)).toBe(false);
    await store().deleteUnused();
    await save('second');
    expect(await send(holder).value()).toMatchObject({ value: 'second', former: ['first'] });
    await store().delete(harness.project, NAME);
    await harness.pool.query(`UPDATE run SET status = 'completed' WHERE project_id = $1`, [harness.project]);
    await store().deleteUnused();
    const { rowCount } = await harness.pool.query('SELECT FROM project_secret WHERE project_id = $1', [
      harness.project,
    ]);
    expect(rowCount).toBe(0);
  });

  it('is only for the inputs of the run', async () => {
    await save('first');
    const holder = await claim(await submit());
    expect(await send(holder, NAME).refused()).toMatchObject({ code: 'NOT_FOUND' });
  });
});
