import { randomBytes, randomUUID } from 'node:crypto';
import { storageStateSchema, type StorageState } from '@pilothouse/contract/project/profile.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { ProfileStore } from '@pilothouse/infra-db';
import { createVault } from '@pilothouse/infra-vault';
import { sealProfile } from '../../sealing/sealed-data.ts';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';

/*
 * Tests loading and saving of profiles over real sockets.
 */
describe('profiles of runs', () => {
  const harness = useGatewayHarness();
  const { worker, submit } = harness;
  let id = 0;

  const stateOf = (value: string): StorageState =>
    storageStateSchema.parse({
      cookies: [{ name: 'sid', value, domain: '.shop.example' }],
      origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'token', value }] }],
    });
  const definitionOf = (browser: object | undefined, ...steps: object[]) => ({
    definition: workflowDefinitionSchema.parse({
      name: 'spec',
      inputs: { customer: { type: 'string', default: 'robin' } },
      ...(browser && { browser }),
      steps: [{ action: 'press', key: 'Enter' }, ...steps],
    }),
  });
  const ownDefinition = definitionOf({ profile: 'shop-{{inputs.customer}}' }, { action: 'saveProfile' });

  interface Holder {
    readonly one: ProtocolWorker;
    readonly attempt: Attempt;
  }

  async function at(fields: Parameters<typeof submit>[0]): Promise<Holder> {
    const connected = worker();
    await connected.connect();
    const run = await submit({ inputs: { customer: 'robin' }, ...fields });
    return { one: connected, attempt: await connected.acceptAssignment(run) };
  }

  function load({ one, attempt }: Holder): Promise<ToWorkerOf<'profile.value'>> {
    id += 1;
    const requestId = id;
    one.send({ type: 'profile.request', id: requestId, ...attempt });
    return one.waitFor('profile.value', (answer) => answer.id === requestId);
  }
  function save({ one, attempt }: Holder, name: string, state = stateOf('hush')) {
    id += 1;
    const requestId = id;
    one.send({ type: 'profile.save', id: requestId, ...attempt, name, state });
    return {
      saved: () => one.waitFor('profile.saved', (answer) => answer.id === requestId),
      refused: async () => (await one.waitFor('rejected', (answer) => answer.id === requestId)).error,
    };
  }
  async function refusedLoad({ one, attempt }: Holder) {
    id += 1;
    const requestId = id;
    one.send({ type: 'profile.request', id: requestId, ...attempt });
    return (await one.waitFor('rejected', (answer) => answer.id === requestId)).error;
  }
  const rows = async () =>
    (
      await harness.pool.query<{ name: string; version: number; run: string; state: Buffer; text: string }>(
        'SELECT name, version, run_id AS run, state, p::text AS text FROM profile p WHERE project_id = $1 ORDER BY name',
        [harness.project],
      )
    ).rows;

  it('give a run the state that another run of the project saved, with inputs in the name', async () => {
    const first = await at(ownDefinition);
    expect(await load(first)).toMatchObject({ name: 'shop-robin', profile: null });
    const state = stateOf('hush');
    expect(await save(first, 'shop-robin', state).saved()).toMatchObject({
      version: 1,
      size: JSON.stringify(state).length,
    });
    const second = await at(ownDefinition);
    expect(await load(second)).toMatchObject({ name: 'shop-robin', profile: { version: 1, state } });
    expect(await load(await at({ ...ownDefinition, inputs: { customer: 'marian' } }))).toMatchObject({
      name: 'shop-marian',
      profile: null,
    });
  });

  it('are stored so that the row reveals only the domains', async () => {
    const first = await at(ownDefinition);
    await save(first, 'shop-robin').saved();
    const [row] = await rows();
    expect(row).toMatchObject({ name: 'shop-robin', run: first.attempt.run });
    for (const secret of ['hush', 'sid', 'token']) {
      expect(row?.text).not.toContain(secret);
      expect(row?.text).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(row?.text).toContain('{shop.example},{https://shop.example}');
  });

  it('store the last save, and count versions', async () => {
    const [first, second] = [await at(ownDefinition), await at(ownDefinition)];
    await save(first, 'shop-robin', stateOf('one')).saved();
    await save(second, 'shop-robin', stateOf('two')).saved();
    expect(await save(first, 'shop-robin', stateOf('three')).saved()).toMatchObject({ version: 3 });
    expect((await load(second)).profile?.state).toEqual(stateOf('three'));
    expect(await rows()).toMatchObject([{ version: 3, run: first.attempt.run }]);
  });

  it('reject an attempt that another one has replaced', async () => {
    const old = await at(ownDefinition);
    await save(old, 'shop-robin', stateOf('mine')).saved();
    // Another worker has the run, and this gateway does not know it yet.
    await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [old.attempt.run]);
    expect(await save(old, 'shop-robin', stateOf('late')).refused()).toMatchObject({ code: 'LEASE_LOST' });
    await harness.pool.query('UPDATE run SET epoch = epoch - 1 WHERE id = $1', [old.attempt.run]);
    await harness.pool.query('UPDATE lease SET session = $2 WHERE run_id = $1', [old.attempt.run, randomUUID()]);
    expect(await save(old, 'shop-robin', stateOf('late')).refused()).toMatchObject({ code: 'LEASE_LOST' });
    const stranger = { one: old.one, attempt: { ...old.attempt, run: randomUUID() } };
    expect(await save(stranger, 'shop-robin').refused()).toMatchObject({ code: 'LEASE_LOST' });
    expect(await refusedLoad(stranger)).toMatchObject({ code: 'LEASE_LOST' });
    expect(await rows()).toMatchObject([{ version: 1 }]);
  });

  it('are saved only under names declared by the workflow', async () => {
    const run = await at(definitionOf({ profile: 'own' }, { action: 'saveProfile', name: 'other' }));
    expect(await save(run, 'own').refused()).toMatchObject({ code: 'FORBIDDEN' });
    await save(run, 'other').saved();
    const silent = await at(definitionOf(undefined));
    expect(await save(silent, 'other').refused()).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusedLoad(silent)).toMatchObject({ code: 'NOT_FOUND' });
    expect((await rows()).map(({ name }) => name)).toEqual(['other']);
  });

  it('reject an oversized state, and keep the stored one', async () => {
    const run = await at(ownDefinition);
    await save(run, 'shop-robin').saved();
    const large = stateOf('x'.repeat(99_000));
    large.origins = Array.from({ length: 16 }, (_, n) => ({
      origin: `https://shop-${n}.example`,
      localStorage: [{ name: 'a', value: 'x'.repeat(100_000) }],
    }));
    expect(await save(run, 'shop-robin', large).refused()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { limit: 1_500_000 },
    });
    expect(await rows()).toMatchObject([{ version: 1 }]);
  });

  it('open only for the project, name and key they were sealed for', async () => {
    const profiles = new ProfileStore(harness.pool);
    const key = { project: harness.project, name: 'shop-robin' };
    const importProfile = (sealed: ReturnType<typeof sealProfile>) => profiles.import({ ...sealed, ...key });
    const run = await at(ownDefinition);
    for (const sealed of [
      sealProfile(harness.vault, { ...key, project: randomUUID() }, stateOf('hush')),
      sealProfile(harness.vault, { ...key, name: 'shop-marian' }, stateOf('hush')),
      sealProfile(createVault(randomBytes(32)), key, stateOf('hush')),
    ]) {
      await importProfile(sealed);
      const error = await refusedLoad(run);
      expect(error).toMatchObject({ code: 'PROFILE_INVALID', message: expect.stringContaining('shop-robin') });
      expect(JSON.stringify(error)).not.toContain('hush');
    }
    await importProfile(sealProfile(harness.vault, key, stateOf('hush')));
    expect((await load(run)).profile?.state).toEqual(stateOf('hush'));
  });

  it('are deleted with their project', async () => {
    await save(await at(ownDefinition), 'shop-robin').saved();
    await harness.pool.query('DELETE FROM project WHERE id = $1', [harness.project]);
    expect(await rows()).toEqual([]);
  });
});
