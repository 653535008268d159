import { randomUUID } from 'node:crypto';
import { WebSocketServer, WebSocket } from 'ws';
import type { AddressInfo } from 'node:net';
import {
  makeEvent,
  PilothouseError,
  toWorkerSchema,
  WORKER_PROTOCOL,
  workflowDefinitionSchema,
  type Attempt,
  type EventDraft,
  type FromWorker,
  type Question,
  type ToWorker,
  type ToWorkerOf,
} from '@pilothouse/contract';
import { admit, createPool, eventsAfter, RunIntake, type NewRun, type Pool } from '@pilothouse/infra-db';
import { createDatabase, memoryLog, until, type TestDatabase } from '@pilothouse/testing';
import { openWay, type WayHouse } from '../way/way.house.ts';
import { Gateway } from './gateway.ts';

const LEASE_MS = 1_500;
const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

/** A worker that does what the spec tells it, over a real socket. */
class WireWorker {
  readonly said: ToWorker[] = [];
  readonly incarnation = randomUUID();
  session: string | undefined;
  private n = new Map<string, number>();
  private socket: WebSocket | undefined;

  constructor(
    private readonly url: string,
    private readonly slots = 1,
    private readonly name = `w-${randomUUID().slice(0, 8)}`,
  ) {}

  async connect(held: Attempt[] = [], free = this.slots): Promise<ToWorkerOf<'welcome'>> {
    this.socket = new WebSocket(this.url);
    this.socket.on('message', (data) => this.said.push(toWorkerSchema.parse(JSON.parse(data.toString()))));
    await new Promise((resolve, reject) => this.socket?.once('open', resolve).once('error', reject));
    const before = this.said.length;
    this.send({
      type: 'hello',
      protocol: WORKER_PROTOCOL,
      worker: {
        name: this.name,
        incarnation: this.incarnation,
        version: 'test',
        surface: 'browser',
        slots: this.slots,
        host: 'here',
        pid: 1,
      },
      session: this.session,
      held,
    });
    const welcome = await this.hear('welcome', () => true, before);
    this.session = welcome.session;
    this.send({ type: 'ready', free });
    return welcome;
  }

  send(message: FromWorker): void {
    this.socket?.send(JSON.stringify(message));
  }

  raw(text: string): void {
    this.socket?.send(text);
  }

  cut(): void {
    this.socket?.terminate();
  }

  hear<Type extends ToWorker['type']>(
    type: Type,
    that: (message: ToWorkerOf<Type>) => boolean = () => true,
    from = 0,
  ): Promise<ToWorkerOf<Type>> {
    return until(`${this.name} hears ${type}`, () =>
      this.said
        .slice(from)
        .find((message): message is ToWorkerOf<Type> => message.type === type && that(message as ToWorkerOf<Type>)),
    );
  }

  async take(run: string): Promise<Attempt> {
    const from = this.said.findLastIndex((message) => message.type === 'assign' && message.assignment.run === run) + 1;
    const { assignment } = await this.hear(
      'assign',
      (message) => message.assignment.run === run,
      Math.max(0, from - 1),
    );
    const attempt = { run, epoch: assignment.epoch };
    this.send({ type: 'accepted', ...attempt });
    return attempt;
  }

  /** Sends events as the next numbers of the attempt; `again` sends the same numbers as the last time. */
  append(
    attempt: Attempt,
    drafts: EventDraft[],
    more: Partial<Extract<FromWorker, { type: 'append' }>> = {},
    firstN?: number,
  ): number {
    const key = `${attempt.run}/${attempt.epoch}`;
    let n = (firstN ?? (this.n.get(key) ?? 0) + 1) - 1;
    const events = drafts.map((draft) => ({ ...draft, n: ++n }));
    this.n.set(key, Math.max(n, this.n.get(key) ?? 0));
    this.send({ type: 'append', ...attempt, events, ...more });
    return n;
  }
}

const acting = (step: number) =>
  makeEvent(
    'step.acting',
    `Step ${step}`,
    { step, id: null, action: 'click', title: 'Click', summary: 'Click' },
    new Date(),
  );
const acted = (step: number) =>
  makeEvent(
    'step.acted',
    `Step ${step} done`,
    { step, id: null, rung: 0, ms: 3, located: null, page: null },
    new Date(),
  );

describe('the gateway', () => {
  let database: TestDatabase;
  let pool: Pool;
  let prefix: string;
  let way: WayHouse;
  let gateway: Gateway;
  let server: WebSocketServer;
  let url: string;
  let project: string;
  let fleet: { id: string; name: string; surface: string; slots: number };
  const log = memoryLog();
  const workers: WireWorker[] = [];

  const openGateway = () =>
    new Gateway({
      pool,
      way,
      store: { stat: async () => null } as never,
      transfers: {} as never,
      unseal: () => ({}),
      states: { seal: (state) => Buffer.from(state), open: (sealed) => Buffer.from(sealed).toString() },
      askHoldMs: 60_000,
      newId: randomUUID,
      redisUrl,
      redisPrefix: prefix,
      leaseMs: LEASE_MS,
      renewMs: 300,
      log,
    });

  const worker = (slots = 1) => {
    const made = new WireWorker(url, slots);
    workers.push(made);
    return made;
  };

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log });
  });

  beforeEach(async () => {
    prefix = `t${randomUUID().slice(0, 8)}`;
    project = randomUUID();
    fleet = { id: randomUUID(), name: `f-${randomUUID().slice(0, 8)}`, surface: 'browser', slots: 4 };
    await pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [project, `p-${project.slice(0, 8)}`]);
    await pool.query(
      'INSERT INTO fleet (id, name, surface, slots, min, max, idle, cooldown_seconds, projects) VALUES ($1, $2, $3, $4, 0, 1, 1, 60, $5)',
      [fleet.id, fleet.name, 'browser', 4, []],
    );
    way = openWay({ pool, redisUrl, redisPrefix: prefix, leaseMs: LEASE_MS, log });
    gateway = openGateway();
    server = new WebSocketServer({ port: 0 });
    server.on('connection', (socket, { socket: stream }) => gateway.connect(socket, stream, fleet));
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    for (const made of workers.splice(0)) made.cut();
    await gateway.close();
    await way.close();
    await new Promise((resolve) => server.close(resolve));
    await pool.query(`UPDATE run SET status = 'cancelled' WHERE status IN ('queued', 'running')`);
    await pool.query('DELETE FROM lease');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const newRun = (more: Partial<NewRun> = {}): NewRun => ({
    id: randomUUID(),
    project,
    fleet: fleet.id,
    workflow: null,
    workflowName: 'spec',
    surface: 'browser',
    definition: workflowDefinitionSchema.parse({
      name: 'spec',
      steps: [{ action: 'press', key: 'Enter' }],
      outputSchema: { type: 'object' },
    }),
    stepCount: 1,
    inputs: {},
    secretNames: [],
    secrets: null,
    priority: 0,
    budget: {},
    record: { screenshots: 'none' },
    labels: {},
    retryOf: null,
    expiresIn: null,
    event: makeEvent('run.queued', 'Queued', { fleet: fleet.name, priority: 0, retryOf: null }, new Date()),
    idempotencyKey: null,
    ...more,
  });

  const submit = async (more: Partial<NewRun> = {}) => {
    const run = newRun(more);
    await way.way.submit(run);
    return run.id;
  };

  const statusOf = async (run: string) => {
    const { rows } = await pool.query<{
      status: string;
      epoch: number;
      output: unknown;
      error: { code: string } | null;
    }>('SELECT status, epoch, output, error FROM run WHERE id = $1', [run]);
    return rows[0];
  };

  const whenStatus = (run: string, status: string, ms?: number) =>
    until(
      `${run} is ${status}`,
      async () => ((await statusOf(run))?.status === status ? await statusOf(run) : null),
      ms,
    );

  const typesOf = async (run: string) => (await eventsAfter(pool, run, 0)).map(({ seq, type }) => `${seq} ${type}`);

  it('carries a run from submit to its end, with numbered events', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    w.append(attempt, [acting(0)]);
    await w.hear('appended', ({ n }) => n === 1);
    w.append(attempt, [acted(0)], { outcome: { status: 'completed', output: { ok: true } } });
    await w.hear('appended', ({ ended }) => ended);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 1, output: { ok: true } });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.acting',
      '4 step.acted',
      '5 run.completed',
    ]);
    const { rows } = await pool.query('SELECT step, status, rung FROM run_step WHERE run_id = $1', [run]);
    expect(rows).toEqual([{ step: 0, status: 'acted', rung: 0 }]);
    expect((await pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount).toBe(0);
  });

  it('gives watchers every event once, those before and those after they came', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of way.way.watch(run, 0, AbortSignal.timeout(10_000)))
        seen.push(`${event.seq} ${event.type}`);
    })();
    const attempt = await w.take(run);
    for (let step = 0; step < 20; step += 1) w.append(attempt, [acting(step), acted(step)]);
    w.append(attempt, [], { outcome: { status: 'completed', output: {} } });
    await watching;
    expect(seen).toEqual(await typesOf(run));
    expect(seen).toHaveLength(43);
  });

  it('writes an event that is sent again only once', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    w.append(attempt, [acting(0), acted(0)]);
    await w.hear('appended', ({ n }) => n === 2);
    // The acknowledgement got lost, the worker comes back and sends all again.
    w.cut();
    const welcome = await w.connect([attempt], 0);
    expect(welcome.keep).toEqual([{ ...attempt, n: 2 }]);
    w.append(attempt, [acting(0), acted(0), acting(1)], {}, 1);
    await w.hear('appended', ({ n }) => n === 3);
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.acting',
      '4 step.acted',
      '5 step.acting',
    ]);
  });

  it('refuses the output that does not match its schema, whatever the worker says', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    w.append(attempt, [], { outcome: { status: 'completed', output: 'not an object' } });
    await w.hear('appended', ({ ended }) => ended);
    expect(await statusOf(run)).toMatchObject({ status: 'failed', error: { code: 'OUTPUT_INVALID' } });
  });

  it('takes the run from a worker that stops renewing, and the zombie can write nothing', async () => {
    const zombie = worker();
    await zombie.connect();
    const run = await submit();
    const old = await zombie.take(run);
    zombie.append(old, [acting(0)]);
    await zombie.hear('appended');
    const heir = worker();
    await heir.connect();
    const { assignment } = await heir.hear('assign', ({ assignment: { run: id } }) => id === run);
    expect(assignment).toMatchObject({ epoch: 2, checkpoints: [{ step: 0, status: 'acting', epoch: 1, value: null }] });
    const fresh = await heir.take(run);
    zombie.append(old, [acted(0)], { outcome: { status: 'completed', output: {} } });
    expect(await zombie.hear('lost', (message) => message.run === run)).toMatchObject({
      error: { code: 'LEASE_LOST' },
    });
    heir.append(fresh, [acting(0), acted(0)], { outcome: { status: 'completed', output: { by: 'heir' } } });
    await heir.hear('appended', ({ ended }) => ended);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 2, output: { by: 'heir' } });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.acting',
      '4 run.requeued',
      '5 run.assigned',
      '6 step.acting',
      '7 step.acted',
      '8 run.completed',
    ]);
  });

  it('keeps the lease of a worker that renews, longer than the lease time', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    const { rows } = await pool.query<{ at: Date }>(`SELECT now() + interval '${2 * LEASE_MS} milliseconds' AS at`);
    await until(
      'two lease times pass',
      async () => {
        w.send({ type: 'renew', sentAt: performance.now(), held: [attempt] });
        const passed = await pool.query('SELECT 1 WHERE now() > $1', [rows[0]?.at]);
        return passed.rowCount === 1;
      },
      LEASE_MS * 4,
    );
    expect(await statusOf(run)).toMatchObject({ status: 'running', epoch: 1 });
  });

  it('gives a run to another worker when the first never accepts', async () => {
    const silent = worker();
    await silent.connect();
    const run = await submit();
    await silent.hear('assign');
    const other = worker();
    await other.connect();
    expect(await other.take(run)).toMatchObject({ epoch: 2 });
    expect(await typesOf(run)).toContain('3 run.requeued');
  });

  it('hands a run back when the worker says so', async () => {
    const first = worker();
    await first.connect();
    const run = await submit();
    const attempt = await first.take(run);
    first.send({ type: 'ready', free: 0 });
    const error = { code: 'HANDED_BACK' as const, message: 'Draining', retry: 'new-worker' as const };
    first.send({ type: 'handback', ...attempt, error });
    const second = worker();
    await second.connect();
    expect(await second.take(run)).toMatchObject({ epoch: 2 });
  });

  it('fails a run that takes its surface down again and again, and none that is handed back', async () => {
    const w = worker();
    await w.connect();
    const [poison, patient] = [await submit(), await submit()];
    const handBack = async (run: string, code: 'SURFACE_LOST' | 'HANDED_BACK') => {
      const attempt = await w.take(run);
      w.append(attempt, [acting(0)]);
      await w.hear('appended', ({ run: of, epoch }) => of === run && epoch === attempt.epoch);
      w.send({ type: 'handback', ...attempt, error: new PilothouseError(code, 'The page crashed').view() });
      w.send({ type: 'ready', free: 1 });
    };
    const ends = async (run: string, code: 'SURFACE_LOST' | 'HANDED_BACK', times: number) => {
      for (let epoch = 1; epoch <= times; epoch += 1) {
        await w.hear('assign', ({ assignment }) => assignment.run === run && assignment.epoch === epoch);
        await handBack(run, code);
      }
    };
    await Promise.all([ends(poison, 'SURFACE_LOST', 5), ends(patient, 'HANDED_BACK', 7)]);
    expect(await whenStatus(poison, 'failed')).toMatchObject({ error: { code: 'POISON_RUN' } });
    await w.hear('assign', ({ assignment }) => assignment.run === patient && assignment.epoch === 8);
  });

  it('hints again every run whose job is gone with Redis', async () => {
    const runs = [await submit(), await submit(), await submit()];
    const { Redis } = await import('ioredis');
    const redis = new Redis(redisUrl);
    const keys = await redis.keys(`${prefix}:*`);
    expect(keys.length).toBeGreaterThan(0);
    await redis.del(keys);
    redis.disconnect();
    const w = worker(3);
    await w.connect();
    for (const run of runs) await w.take(run);
    for (const run of runs) await whenStatus(run, 'running');
  });

  it('assigns no more than the free slots that were said', async () => {
    const w = worker(2);
    await w.connect();
    const runs = await Promise.all(Array.from({ length: 5 }, () => submit()));
    await until('two are assigned', () => w.said.filter(({ type }) => type === 'assign').length === 2);
    const { rows } = await pool.query<{ status: string; count: number }>(
      'SELECT status, count(*) FROM run WHERE id = ANY ($1) GROUP BY status ORDER BY status',
      [runs],
    );
    expect(rows).toEqual([
      { status: 'queued', count: 3 },
      { status: 'running', count: 2 },
    ]);
  });

  it('tells the worker of a cancellation at once', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    await until(
      'it is accepted',
      async () =>
        (await pool.query('SELECT 1 FROM lease WHERE run_id = $1 AND accepted_at IS NOT NULL', [run])).rowCount === 1,
    );
    expect(await way.way.cancel(run, 'the spec')).toBe('cancelling');
    await w.hear('cancel', (message) => message.run === run);
    w.append(attempt, [], { outcome: { status: 'cancelled' } });
    await whenStatus(run, 'cancelled');
    expect(await way.way.cancel(run, 'the spec')).toBe('cancelled');
  });

  it('cancels a queued run at once, and its hint is dropped', async () => {
    const run = await submit();
    expect(await way.way.cancel(run, 'the spec')).toBe('cancelled');
    const w = worker();
    await w.connect();
    const next = await submit();
    await w.take(next);
    expect(await statusOf(run)).toMatchObject({ status: 'cancelled', epoch: 0 });
  });

  it('gives higher priority first and takes turns between projects', async () => {
    await way.sweeper.stop(); // It would admit them all, into a larger window.
    const other = randomUUID();
    await pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [other, `p-${other.slice(0, 8)}`]);
    // Taken in with a window of none, past the way: it would admit them in the background.
    const intake = new RunIntake(pool, 0);
    const wait = async (more: Partial<NewRun> = {}) => (await intake.submit(newRun(more))).run;
    for (let index = 0; index < 6; index += 1) await wait();
    const urgent = await wait({ priority: 10 });
    const few = await wait({ project: other });
    const first = await admit(pool, fleet.id, 2);
    expect(first.map(({ run }) => run).sort()).toEqual([urgent, few].sort());
  });

  it('answers what it does not know, and what is not valid', async () => {
    const w = worker();
    await w.connect();
    w.raw('{"type":"dance","id":4}');
    expect(await w.hear('refused', ({ error }) => error.code === 'PROTOCOL_UNKNOWN')).toMatchObject({ id: 4 });
    w.raw('{"type":"ready","free":"many"}');
    await w.hear('refused', ({ error }) => error.code === 'PROTOCOL_INVALID');
    w.raw('no json');
    await w.hear('refused', ({ error }) => error.message.includes('not JSON'));
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
    await w.hear('refused', ({ id, error }) => id === 9 && error.code === 'LEASE_LOST');
  });

  it('stores what PostgreSQL cannot hold without it', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    const odd = makeEvent('log', 'a\u0000b \ud83d c 😀', { facts: { text: '\u0000' } }, new Date());
    w.append(attempt, [odd]);
    await w.hear('appended', ({ n }) => n === 1);
    const { rows } = await pool.query(`SELECT message, data FROM run_event WHERE run_id = $1 AND type = 'log'`, [run]);
    expect(rows).toEqual([{ message: 'ab \ufffd c 😀', data: { facts: { text: '' } } }]);
  });

  it('names the attempt whose message it refuses', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    w.append(attempt, [makeEvent('run.completed', 'I say so', { output: null, ms: 1 }, new Date())]);
    expect(await w.hear('refused')).toMatchObject({ ...attempt, error: { code: 'PROTOCOL_INVALID' } });
    expect(await statusOf(run)).toMatchObject({ status: 'running' });
  });

  it('loses no run when the gateway stops and its workers come to another', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    w.append(attempt, [acting(0)]);
    await w.hear('appended');
    await gateway.close();
    await w.hear('moved');
    gateway = openGateway();
    const welcome = await w.connect([attempt], 0);
    expect(welcome.keep).toEqual([{ ...attempt, n: 1 }]);
    w.append(attempt, [acted(0)], { outcome: { status: 'completed', output: {} } });
    await w.hear('appended', ({ ended }) => ended);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 1 });
  });

  describe('a question to a person', () => {
    const question: Question = {
      step: 0,
      id: null,
      reason: 'Step 1 may have happened before',
      choices: [
        { choice: 'continue', title: 'It happened' },
        { choice: 'repeat', title: 'It did not' },
      ],
    };

    /** A run whose worker asks about its first step, at a safe point. */
    const asked = async (w: WireWorker) => {
      await w.connect();
      const run = await submit();
      const attempt = await w.take(run);
      w.append(attempt, [acting(0)], { saved: { step: 0, state: 'cookie=42' }, question });
      await w.hear('appended', ({ run: of, n }) => of === run && n === 1);
      expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch: 1 });
      return attempt;
    };

    const sealedOf = async (run: string) =>
      (await pool.query<{ step: number; state: Buffer }>('SELECT step, state FROM safe_point WHERE run_id = $1', [run]))
        .rows[0];

    it('is answered to the worker that asks, which goes on where it waits', async () => {
      const w = worker();
      const attempt = await asked(w);
      const { run } = attempt;
      const before = w.said.length;
      expect(await way.way.resume(run, 'repeat', 'Ada')).toBe(true);
      const { answer } = await w.hear('answered', () => true, before);
      expect(answer).toEqual({ step: 0, choice: 'repeat', by: 'Ada' });
      // Said again with each renewal until a step begins, because the live event may be lost.
      w.send({ type: 'renew', sentAt: 1, held: [attempt] });
      expect(await w.hear('renewed', ({ sentAt }) => sentAt === 1)).toMatchObject({ answers: [{ run, answer }] });
      w.append(attempt, [acting(0)]);
      await w.hear('appended', ({ n }) => n === 2);
      w.send({ type: 'renew', sentAt: 2, held: [attempt] });
      expect(await w.hear('renewed', ({ sentAt }) => sentAt === 2)).toMatchObject({ answers: [] });
      w.append(attempt, [acted(0)], { outcome: { status: 'completed', output: {} } });
      await whenStatus(run, 'completed');
      expect(await sealedOf(run)).toBeUndefined();
      expect(await typesOf(run)).toEqual([
        '1 run.queued',
        '2 run.assigned',
        '3 step.acting',
        '4 run.awaiting_user',
        '5 run.resumed',
        '6 step.acting',
        '7 step.acted',
        '8 run.completed',
      ]);
    });

    it('gives its slot back after a while; the answer goes through the queue, with the safe point', async () => {
      const w = worker();
      const { run, epoch } = await asked(w);
      expect(await sealedOf(run)).toEqual({ step: 0, state: Buffer.from('cookie=42') });
      const error = new PilothouseError('HANDED_BACK', 'It waits').view();
      w.send({ type: 'handback', run, epoch, error });
      await until('the lease is gone', async () =>
        (await pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount === 0 ? true : null,
      );
      expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user' });
      // The slot is free for somebody else meanwhile.
      w.send({ type: 'ready', free: 1 });
      const other = await submit();
      w.append(await w.take(other), [], { outcome: { status: 'completed', output: {} } });
      await whenStatus(other, 'completed');
      w.send({ type: 'ready', free: 1 });
      expect(await way.way.resume(run, 'continue', 'Ada')).toBe(true);
      const { assignment } = await w.hear(
        'assign',
        ({ assignment }) => assignment.run === run && assignment.epoch === 2,
      );
      expect(assignment).toMatchObject({
        saved: { step: 0, state: 'cookie=42' },
        answer: { step: 0, choice: 'continue', by: 'Ada' },
        checkpoints: [{ step: 0, status: 'acting', epoch: 1 }],
      });
    });

    it('stays when its worker is lost', async () => {
      const { run } = await asked(worker());
      await until('the lease is gone', async () =>
        (await pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount === 0 ? true : null,
      );
      expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch: 1 });
      expect(await way.way.resume(run, 'repeat', 'Ada')).toBe(true);
      expect(await statusOf(run)).toMatchObject({ status: 'queued' });
    });

    it('allows only its choices, and only one answer', async () => {
      const { run } = await asked(worker());
      await expect(way.way.resume(run, 'fail', 'Ada')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
      const answers = await Promise.all([way.way.resume(run, 'repeat', 'Ada'), way.way.resume(run, 'continue', 'Ben')]);
      expect(answers.filter((taken) => taken)).toHaveLength(1);
      expect(await way.way.resume(run, 'repeat', 'Ada')).toBe(false);
    });

    it('ends with the run: dismissed it is completed, cancelled it is cancelled', async () => {
      const w = worker(2);
      const dismissed = await asked(w);
      expect(await way.way.dismiss(dismissed.run, 'Ada')).toBe(true);
      expect(await statusOf(dismissed.run)).toMatchObject({ status: 'completed', output: null });
      const events = await eventsAfter(pool, dismissed.run, 0);
      expect(events.at(-1)).toMatchObject({ type: 'run.completed', data: { dismissedBy: 'Ada' } });
      // Its worker hears that it holds nothing any more.
      w.send({ type: 'renew', sentAt: 1, held: [dismissed] });
      expect(await w.hear('renewed', ({ sentAt }) => sentAt === 1)).toMatchObject({ held: [] });
      const cancelled = await asked(worker(2));
      expect(await way.way.cancel(cancelled.run, 'Ada')).toBe('cancelled');
    });

    it('fails the run when nobody answers in time', async () => {
      const w = worker();
      await w.connect();
      const run = await submit({
        definition: workflowDefinitionSchema.parse({
          name: 'spec',
          steps: [{ action: 'press', key: 'Enter' }],
          askTimeout: 0.1,
        }),
      });
      const attempt = await w.take(run);
      w.append(attempt, [acting(0)], { question });
      expect(await whenStatus(run, 'failed')).toMatchObject({ error: { code: 'ASK_TIMED_OUT' } });
    });
  });
});
