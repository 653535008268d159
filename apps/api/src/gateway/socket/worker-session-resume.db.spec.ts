import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('the session of a worker', () => {
  const harness = useGatewayHarness();
  const { worker, submit } = harness;

  it('is separate for each of many concurrent workers', async () => {
    const workers = Array.from({ length: 120 }, () => worker());
    const welcomes = await Promise.all(workers.map((connecting) => connecting.connect()));
    expect(new Set(welcomes.map(({ session }) => session)).size).toBe(120);
    const { rows } = await harness.pool.query<{ session: string; incarnation: string; state: string }>(
      'SELECT session, incarnation, state FROM worker WHERE fleet_id = $1',
      [harness.fleet.id],
    );
    const sessionByIncarnation = new Map(rows.map(({ incarnation, session }) => [incarnation, session]));
    for (const [index, protocolWorker] of workers.entries())
      expect(sessionByIncarnation.get(protocolWorker.incarnation)).toBe(welcomes[index]?.session);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['ready']));
  });

  it('resumes with its attempts after a lost connection, with many at once', async () => {
    const workers = Array.from({ length: 20 }, () => worker());
    await Promise.all(workers.map((protocolWorker) => protocolWorker.connect()));
    await Promise.all(workers.map(() => submit()));
    const heldAttempts = await Promise.all(
      workers.map(async (protocolWorker) => {
        const { assignment } = await protocolWorker.waitFor('assign');
        const attempt = await protocolWorker.acceptAssignment(assignment.run);
        protocolWorker.append(attempt, [stepStartedMessage(0)]);
        await protocolWorker.waitFor('append.ack', ({ sequence: n }) => n === 1);
        return attempt;
      }),
    );
    const previousSessions = workers.map(({ session }) => session);
    for (const protocolWorker of workers) protocolWorker.disconnect();
    const welcomes = await Promise.all(
      workers.map((protocolWorker, index) => protocolWorker.connect(heldAttempts.slice(index, index + 1), 0)),
    );
    expect(welcomes.map(({ session }) => session)).toEqual(previousSessions);
    expect(welcomes.map(({ attempts }) => attempts)).toEqual(
      heldAttempts.map((attempt) => [{ ...attempt, sequence: 1 }]),
    );
  });

  it('keeps its name: a worker with its incarnation and another name is refused, and others join', async () => {
    const [owner, impostor, neighbour] = [worker(), worker(), worker()];
    const { session } = await owner.connect();
    Object.assign(impostor, { incarnation: owner.incarnation, name: 'impostor' });
    await Promise.all([impostor.hello(), neighbour.connect()]);
    expect(await impostor.waitFor('rejected')).toMatchObject({ error: { code: 'JOIN_REFUSED' } });
    owner.disconnect();
    expect((await owner.connect()).session).toBe(session);
  });

  it('cannot be resumed by another worker', async () => {
    const [owner, thief] = [worker(), worker()];
    const { session } = await owner.connect();
    const { session: ownSession } = await thief.connect();
    owner.disconnect();
    thief.disconnect();
    // Both at once, in one commit: each is checked separately.
    thief.session = session;
    owner.session = ownSession;
    const welcomes = await Promise.all([thief.connect(), owner.connect()]);
    for (const welcome of welcomes) expect([session, ownSession]).not.toContain(welcome.session);
    // The session id is case-insensitive.
    owner.session = welcomes[1]?.session.toUpperCase();
    owner.disconnect();
    expect((await owner.connect()).session).toBe(welcomes[1]?.session);
  });

  it('releases attempts unknown to the resumed worker at once, without waiting for the lease', async () => {
    // On a slow machine it would reclaim the run, too.
    await harness.lifecycle.sweeper.stop();
    const w = worker();
    await w.connect();
    const run = await submit();
    await w.waitFor('assign');
    w.disconnect();
    // It reports its attempts, and does not know the run.
    expect((await w.connect([], 0)).attempts).toEqual([]);
    const { rows } = await harness.pool.query<{ refused: number; lost: number; message: string }>(
      `SELECT rejected_claims AS refused, lost_attempts AS lost, (SELECT message FROM run_event e WHERE e.run_id = r.id AND type = 'run.requeued') AS message
       FROM run r WHERE id = $1`,
      [run],
    );
    expect(rows).toEqual([{ refused: 1, lost: 0, message: `Worker ${w.name} does not have the run` }]);
    w.send({ type: 'ready', freeSlots: 1 });
    expect(await w.waitFor('assign', ({ assignment }) => assignment.epoch === 2)).toMatchObject({
      assignment: { run },
    });
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepStartedMessage(0)]);
    await w.waitFor('append.ack');
    // The worker accepted the run and then lost it, which counts as a lost worker.
    w.disconnect();
    await w.connect([], 0);
    const counts = await harness.pool.query(
      'SELECT rejected_claims AS refused, lost_attempts AS lost FROM run WHERE id = $1',
      [run],
    );
    expect(counts.rows).toEqual([{ refused: 0, lost: 1 }]);
  });
});
