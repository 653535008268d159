import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { WORKER_PROTOCOL } from '@pilothouse/contract/worker/assignment.schema';
import { WorkerJoinStore } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { until } from '@pilothouse/testing/test-helpers';
import { ProtocolWorker } from '../testing/protocol-worker.fixture.ts';
import { startApi, testFleet, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
let joins: WorkerJoinStore;
const fleetToken = newToken('ft_');
const openToken = newToken('ft_');
beforeAll(async () => {
  const closed = testFleet({ name: 'closed', token: fleetToken, externalWorkers: false });
  const open = testFleet({ name: 'open', token: openToken, externalWorkers: true });
  const quiet = testFleet({ name: 'quiet', externalWorkers: false });
  api = await startApi({ fleets: [closed, open, quiet] });
  joins = new WorkerJoinStore(api.context.pool);
}, 60_000);
afterAll(() => api.close());

const workers: ProtocolWorker[] = [];
afterEach(() => workers.splice(0).forEach((worker) => worker.disconnect()));

/** A worker process with its own session key. */
function workerWith(token: string, name = `w-${randomUUID().slice(0, 8)}`) {
  const worker = new ProtocolWorker(`${api.url.replace('http', 'ws')}/v1/gateway`, 1, name);
  const sessionKey = newToken('sk_');
  Object.assign(worker, { token, sessionKeyHash: hashToken(sessionKey) });
  workers.push(worker);
  return Object.assign(worker, { sessionKey });
}

/** A worker that a controller created, with its join token. */
async function createdWorker(fleet = 'closed', ttlSeconds = 900) {
  const worker = workerWith(newToken('jt_'));
  await joins.issue(fleet, worker.name, hashToken(worker.token ?? ''), ttlSeconds);
  return worker;
}

async function refusalOf(worker: ProtocolWorker) {
  await worker.hello();
  const { error } = await worker.waitFor('rejected');
  await until('its socket is closed', () => worker.isClosed);
  return error;
}

const auditOf = async (action: string, fleet: string) =>
  (await api.call<Page<AuditEntry>>('GET', `/v1/audit?action=${action}&target=${fleet}`)).body.items;
const joinsCounted = async (fleet: string, result: string) => {
  const { body } = await api.context.metrics.read();
  return Number(
    body
      .split('\n')
      .find((line) => line.startsWith(`pilothouse_gateway_joins_total{fleet="${fleet}",result="${result}"}`))
      ?.split(' ')[1],
  );
};
const conditionOf = async (fleet: string, reason: string) =>
  (await api.call<FleetView>('GET', `/v1/fleets/${fleet}`)).body.conditions.find(
    (condition) => condition.reason === reason,
  );

describe('a worker with a join token', () => {
  test('joins once, and reconnects with its session key only', async () => {
    const worker = await createdWorker();
    const { session, isTokenExchanged } = await worker.connect();
    expect(isTokenExchanged).toBe(true);
    worker.disconnect();
    worker.token = worker.sessionKey;
    const resumed = await worker.connect();
    expect(resumed).toMatchObject({ session });
    expect(resumed.isTokenExchanged).toBeUndefined();
    const { rows } = await api.context.pool.query('SELECT * FROM worker_join WHERE worker_name = $1', [worker.name]);
    expect(JSON.stringify(rows)).not.toContain(worker.sessionKey);
    expect(rows).toMatchObject([{ key_hash: hashToken(worker.sessionKey), used_at: expect.any(Date) }]);
  });

  test('may repeat the exchange with the same session key, because the welcome can be lost', async () => {
    const worker = await createdWorker();
    await worker.connect();
    worker.disconnect();
    expect(await worker.connect()).toMatchObject({ isTokenExchanged: true });
  });

  test('is refused if another process used the token: audit entry, metric, condition', async () => {
    const worker = await createdWorker();
    await worker.connect();
    const previousCount = await joinsCounted('closed', 'used');
    const thief = workerWith(worker.token ?? '', worker.name);
    expect(await refusalOf(thief)).toMatchObject({
      code: 'JOIN_REFUSED',
      message: expect.stringContaining('was used by another process'),
    });
    expect(await joinsCounted('closed', 'used')).toBe(previousCount + 1);
    const [entry] = await until('it is in the audit log', async () => {
      const entries = await auditOf('workerJoinRefused', 'closed');
      return entries.some(({ details }) => details['refusal'] === 'used') && entries;
    });
    expect(entry).toMatchObject({
      actor: { kind: 'worker', id: thief.incarnation, name: worker.name },
      summary: expect.stringContaining('Worker refused'),
      target: 'closed',
      address: expect.stringContaining('127.0.0.1'),
      details: { host: 'here', credential: 'join' },
    });
    const condition = await until('it is a condition of the fleet', () => conditionOf('closed', 'JoinRefused'));
    expect(condition.message).toContain(worker.name);
    // The rightful worker is not affected.
    expect(worker.isClosed).toBe(false);
  });

  test.each([
    [
      'with another name',
      'belongs to a worker with another name',
      async () => workerWith((await createdWorker()).token ?? ''),
    ],
    ['after the token expired', 'has expired', () => createdWorker('closed', 0)],
    [
      'after its end',
      'has ended',
      async () => {
        const worker = await createdWorker();
        await joins.end('closed', worker.name);
        return worker;
      },
    ],
  ])('is refused %s', async (_, message, create) =>
    expect(await refusalOf(await create())).toMatchObject({
      code: 'JOIN_REFUSED',
      message: expect.stringContaining(message),
    }),
  );

  test('wins alone if two processes use the token at the same time', async () => {
    const first = await createdWorker();
    const second = workerWith(first.token ?? '', first.name);
    await Promise.all([first.hello(), second.hello()]);
    const answers = await Promise.all(
      [first, second].map((worker) =>
        until('it is answered', () => worker.received.find(({ type }) => type === 'welcome' || type === 'rejected')),
      ),
    );
    expect(answers.map(({ type }) => type).sort()).toEqual(['rejected', 'welcome']);
  });

  test('cannot use its session key after its end', async () => {
    const worker = await createdWorker();
    await worker.connect();
    worker.disconnect();
    await joins.end('closed', worker.name);
    worker.token = worker.sessionKey;
    await expect(worker.hello()).rejects.toThrow('401');
  });

  test('cannot open the bulk channel of another worker', async () => {
    const victim = await createdWorker();
    const { session } = await victim.connect();
    const worker = await createdWorker();
    await worker.connect();
    const channel = workerWith(worker.sessionKey, worker.name);
    await channel.open();
    channel.send({ type: 'bulk.hello', protocol: WORKER_PROTOCOL, session });
    expect(await channel.waitFor('rejected')).toMatchObject({ error: { code: 'FORBIDDEN' } });
  });

  test('needs a session key', async () => {
    const worker = await createdWorker();
    worker.sessionKeyHash = undefined;
    await worker.hello();
    expect(await worker.waitFor('rejected')).toMatchObject({ error: { code: 'PROTOCOL_INVALID' } });
  });
});

describe('a worker that no controller started', () => {
  test('is refused by default: audit entry and metric', async () => {
    expect(await refusalOf(workerWith(fleetToken))).toMatchObject({
      code: 'JOIN_REFUSED',
      message: expect.stringContaining('set externalWorkers: true'),
    });
    expect(await joinsCounted('closed', 'external_not_allowed')).toBe(1);
    await until('it is in the audit log', async () =>
      (await auditOf('workerJoinRefused', 'closed')).some(
        ({ details }) => details['refusal'] === 'external_not_allowed',
      ),
    );
  });

  test('joins where the fleet allows it: one audit entry for the process, metric, condition', async () => {
    const worker = workerWith(openToken);
    await worker.connect();
    worker.disconnect();
    await worker.connect();
    const entries = await until('it is in the audit log', async () => {
      const found = await auditOf('externalWorkerJoined', 'open');
      return found.length > 0 && found;
    });
    expect(entries).toMatchObject([{ actor: { kind: 'worker', name: worker.name }, details: { credential: 'fleet' } }]);
    expect(await joinsCounted('open', 'external')).toBe(1);
    const condition = await until('it is a condition of the fleet', () => conditionOf('open', 'ExternalWorker'));
    expect(condition.message).toContain(`No controller started worker ${worker.name}`);
  });
});

test('an attacker cannot fill the audit log: a kind of refusal is recorded once a minute', async () => {
  const worker = await createdWorker('quiet', 0);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const repeated = workerWith(worker.token ?? '', worker.name);
    await refusalOf(repeated);
  }
  expect(await joinsCounted('quiet', 'expired')).toBe(5);
  await until('it is in the audit log', async () => (await auditOf('workerJoinRefused', 'quiet')).length > 0);
  expect(await auditOf('workerJoinRefused', 'quiet')).toHaveLength(1);
});

test('entries about a fleet are not shown to projects that it does not serve', async () => {
  await api.context.pool.query(`UPDATE fleet SET projects = '{another-team}' WHERE name = 'open'`);
  expect(await auditOf('externalWorkerJoined', 'open')).toEqual([]);
  await api.context.pool.query(`UPDATE fleet SET projects = '{default}' WHERE name = 'open'`);
  expect(await auditOf('externalWorkerJoined', 'open')).toHaveLength(1);
});

test('joins that are no longer needed are removed', async () => {
  const age = (name: string, column: string, days: number) =>
    api.context.pool.query(`UPDATE worker_join SET ${column} = now() - $2 * interval '1 day' WHERE worker_name = $1`, [
      name,
      days,
    ]);
  const [unused, ended, silent, away, connected] = await Promise.all([1, 2, 3, 4, 5].map(() => createdWorker('quiet')));
  await age(unused!.name, 'expires_at', 0.1);
  await joins.end('quiet', ended!.name);
  await age(ended!.name, 'ended_at', 8);
  for (const worker of [silent!, away!, connected!]) {
    await worker.connect();
    await age(worker.name, 'used_at', 1);
  }
  // The second one waits for the end of an outage.
  for (const [worker, hours] of [
    [silent!, 25],
    [away!, 20],
  ] as const)
    await api.context.pool.query(
      `UPDATE worker SET state = 'disconnected', last_seen_at = now() - $2 * interval '1 hour' WHERE name = $1`,
      [worker.name, hours],
    );
  await createdWorker('quiet');
  const { rows } = await api.context.pool.query<{ name: string; ended: boolean }>(
    `SELECT worker_name AS name, ended_at IS NOT NULL AS ended FROM worker_join WHERE worker_name = ANY ($1)`,
    [[unused, ended, silent, away, connected].map((worker) => worker?.name)],
  );
  // The key of a worker whose end was not reported is no longer valid.
  expect(new Map(rows.map(({ name, ended }) => [name, ended]))).toEqual(
    new Map([
      [connected!.name, false],
      [away!.name, false],
      [silent!.name, true],
    ]),
  );
});
