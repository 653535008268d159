import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';

describe('files sent by workers', () => {
  const harness = useGatewayHarness();
  const { worker, workerElsewhere, submit, typesOf } = harness;
  afterEach(() => Object.assign(harness, { storedBytes: null, isStoreUnavailable: false }));

  const isStored = async (artifact: string) => {
    const { rows } = await harness.pool.query<{ stored: boolean; size: number }>(
      'SELECT stored_at IS NOT NULL AS stored, size FROM artifact WHERE id = $1',
      [artifact],
    );
    return rows[0];
  };

  /** A worker with a run and the URL of an uploaded file. */
  async function arrived(protocolWorker: ProtocolWorker) {
    await protocolWorker.connect();
    const run = await submit();
    const attempt = await protocolWorker.acceptAssignment(run);
    const facts = { step: 0, kind: 'screenshot', name: 'a.png', contentType: 'image/png', size: 7 } as const;
    protocolWorker.send({ type: 'upload.request', id: 1, ...attempt, ...facts });
    const { artifact } = await protocolWorker.waitFor('upload.grant');
    harness.storedBytes = 7;
    return { run, attempt, artifact };
  }

  it('are announced once, even if the worker reports one repeatedly', async () => {
    const [firstWorker, secondWorker] = [worker(), workerElsewhere()];
    const { run, attempt, artifact } = await arrived(firstWorker);
    // The answer of the first replica is lost: the worker asks the other one while the first is still active.
    firstWorker.send({ type: 'upload.done', id: 2, ...attempt, artifact });
    Object.assign(secondWorker, {
      incarnation: firstWorker.incarnation,
      session: firstWorker.session,
      name: firstWorker.name,
    });
    await secondWorker.connect([attempt], 0);
    secondWorker.send({ type: 'upload.done', id: 2, ...attempt, artifact });
    await Promise.all([firstWorker.waitFor('upload.stored'), secondWorker.waitFor('upload.stored')]);
    secondWorker.send({ type: 'upload.done', id: 3, ...attempt, artifact });
    await secondWorker.waitFor('upload.stored', ({ id }) => id === 3);
    expect(await isStored(artifact)).toEqual({ stored: true, size: 7 });
    expect((await typesOf(run)).filter((type) => type.endsWith('artifact.created'))).toHaveLength(1);
  });

  it('of kind turn have no event, and mark the run once', async () => {
    const uploader = worker();
    await uploader.connect();
    const run = await submit();
    const attempt = await uploader.acceptAssignment(run);
    const turnsRecorded = async () =>
      (
        await harness.pool.query<{ recorded: boolean }>('SELECT turns_recorded AS recorded FROM run WHERE id = $1', [
          run,
        ])
      ).rows[0]?.recorded;
    const previousTypes = await typesOf(run);
    harness.storedBytes = 7;
    for (const [index, kind] of (['screenshot', 'turn', 'turn'] as const).entries()) {
      const facts = { step: 0, kind, name: `turn-0-${index}.json`, contentType: 'application/json', size: 7 } as const;
      uploader.send({ type: 'upload.request', id: 2 * index + 1, ...attempt, ...facts });
      const { artifact } = await uploader.waitFor('upload.grant', ({ id }) => id === 2 * index + 1);
      expect(await turnsRecorded()).toBe(index === 2);
      uploader.send({ type: 'upload.done', id: 2 * index + 2, ...attempt, artifact });
      await uploader.waitFor('upload.stored', ({ id }) => id === 2 * index + 2);
      expect(await isStored(artifact)).toEqual({ stored: true, size: 7 });
    }
    expect(await turnsRecorded()).toBe(true);
    expect((await typesOf(run)).slice(previousTypes.length).map((type) => type.replace(/^\d+ /, ''))).toEqual([
      'artifact.created',
    ]);
  });

  it('are announced once when the worker repeats its report after an outage', async () => {
    const uploader = worker();
    const { run, attempt, artifact } = await arrived(uploader);
    harness.isStoreUnavailable = true;
    uploader.send({ type: 'upload.done', id: 2, ...attempt, artifact });
    expect(await uploader.waitFor('rejected', ({ id }) => id === 2)).toMatchObject({
      error: { retry: 'same-request' },
    });
    expect(await isStored(artifact)).toMatchObject({ stored: false });
    harness.isStoreUnavailable = false;
    uploader.send({ type: 'upload.done', id: 3, ...attempt, artifact });
    await uploader.waitFor('upload.stored', ({ id }) => id === 3);
    expect(await isStored(artifact)).toEqual({ stored: true, size: 7 });
    expect((await typesOf(run)).filter((type) => type.endsWith('artifact.created'))).toHaveLength(1);
  });

  it.each([
    ['an image', '89504e470d0a1a0a0000000d49484452', 'image/png'],
    ['a page', Buffer.from('<!doctype html><script>1</script>').toString('hex'), 'application/octet-stream'],
    [
      'a style sheet',
      Buffer.from('<?xml version="1.0"?><xsl:stylesheet/>').toString('hex'),
      'application/octet-stream',
    ],
  ])('get the content type of their bytes, whatever the worker reports: %s', async (_, head, contentType) => {
    const uploader = worker();
    await uploader.connect();
    const run = await submit();
    const attempt = await uploader.acceptAssignment(run);
    const facts = {
      step: 0,
      kind: 'screenshot',
      moment: 'before',
      name: 'a.png',
      contentType: 'text/xsl',
      size: 7,
    } as const;
    uploader.send({ type: 'upload.request', id: 1, ...attempt, ...facts });
    const { artifact } = await uploader.waitFor('upload.grant');
    Object.assign(harness, { storedBytes: 7, storedHead: Buffer.from(head, 'hex') });
    uploader.send({ type: 'upload.done', id: 2, ...attempt, artifact });
    await uploader.waitFor('upload.stored');
    const { rows } = await harness.pool.query(
      `SELECT a.content_type AS row, e.data->>'contentType' AS event, e.data->>'moment' AS moment, e.message FROM artifact a JOIN run_event e ON e.run_id = a.run_id
       WHERE a.id = $1 AND e.type = 'artifact.created'`,
      [artifact],
    );
    expect(rows).toEqual([
      { row: contentType, event: contentType, moment: 'before', message: 'Stored the screenshot a.png' },
    ]);
  });

  it('are not stored without their event: both or neither', async () => {
    const uploader = worker();
    const { run, attempt, artifact } = await arrived(uploader);
    // The run is reclaimed, and its worker does not know it yet.
    await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [run]);
    uploader.send({ type: 'upload.done', id: 2, ...attempt, artifact });
    expect(await uploader.waitFor('rejected', ({ id }) => id === 2)).toMatchObject({ error: { code: 'LEASE_LOST' } });
    expect(await isStored(artifact)).toMatchObject({ stored: false });
    expect(await typesOf(run)).not.toContainEqual(expect.stringContaining('artifact.created'));
  });
});
