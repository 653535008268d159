import { randomBytes, randomUUID } from 'node:crypto';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import type { RetentionPolicy, RetentionReport } from '@pilothouse/contract/api/project.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { createObjectStorage, type ObjectStorage } from '@pilothouse/infra-blob';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import { announceArtifact, JobStore, markStored, tryRetentionLock } from '@pilothouse/infra-db';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { RetentionTask } from './retention.task.ts';
import { RetentionCleaner } from './retention-cleaner.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  // On a slow machine the hourly cleanup would interfere with this test.
  await api.app.get(RetentionTask, { strict: false }).stop();
}, 60_000);
afterAll(() => api.close());
afterEach(async () => {
  await setRetention({ runsDays: null, eventsDays: null, artifactsDays: null });
  for (const table of ['run', 'upload', 'workflow', 'idempotency_key', 'heartbeat']) await sql(`DELETE FROM ${table}`);
  await api.context.objects.store.delete(await storedKeys());
});

const sql = (text: string, values: unknown[] = []) => api.context.pool.query(text, values);
const setRetention = (days: Partial<RetentionPolicy>) =>
  api.call('PATCH', '/v1/projects/current', { body: { retention: days } });
const retain = async (dryRun: boolean) =>
  (await api.call<RetentionReport>('POST', '/v1/retention/runs', { body: { dryRun } })).body;
const { signal } = new AbortController();

const submit = async (fields: object = {}) => {
  const body = { steps: [{ action: 'screenshot' }, { action: 'screenshot' }], ...fields };
  const { status, body: run } = await api.call<RunView>('POST', '/v1/runs', { body });
  if (status !== 202) throw new Error(`The run was answered with ${status}`);
  return run.id;
};

/** Moves the creation and the end of a run some days into the past. */
const age = (run: string, days: number) =>
  sql(
    `UPDATE run SET created_at = now() - $2 * interval '1 day' - interval '1 minute',
       finished_at = CASE WHEN finished_at IS NOT NULL THEN now() - $2 * interval '1 day' END WHERE id = $1`,
    [run, days],
  );

async function store(
  run: string,
  bytes: number,
  isStored = true,
  kind: 'screenshot' | 'turn' = 'screenshot',
): Promise<string> {
  const id = randomUUID();
  const key = `runs/${run}/1/${id}/x.png`;
  const facts = { run, epoch: 1, step: 0, kind, contentType: 'image/png', name: 'x.png' } as const;
  await announceArtifact(api.context.pool, { id, key, ...facts, size: bytes });
  await api.context.objects.store.put(key, randomBytes(bytes), { contentType: 'image/png', maxBytes: bytes });
  if (isStored) await markStored(api.context.pool, id, bytes);
  return key;
}

/** A run executed some days ago: 4 events, a step, and files of the given sizes. */
async function completedRun(days: number, files: readonly number[] = []): Promise<{ run: string; keys: string[] }> {
  const run = await submit();
  const session = await api.startRun(run);
  const data = {
    step: 0,
    id: null,
    tier: 'replay' as const,
    durationMs: 5,
    outcome: 'completed' as const,
    effect: 'confirmed' as const,
    located: null,
    value: 1,
    page: null,
  };
  await api.lifecycle.writer.write({
    run,
    guard: { from: ['running'], epoch: 1, session },
    currentStep: 0,
    events: [{ ...createEvent('step.completed', 'Read', data, new Date()), sequence: 1 }],
    checkpoints: [{ step: 0, status: 'completed', tier: 'replay', value: 1 }],
  });
  const keys: string[] = [];
  for (const bytes of files) keys.push(await store(run, bytes));
  await api.complete(run);
  await age(run, days);
  return { run, keys };
}

async function upload(name: string, days: number): Promise<{ id: string; key: string }> {
  const { body } = await api.call<{ id: string }>('POST', '/v1/uploads', { body: { name, size: 3 } });
  const { rows } = await sql('SELECT key FROM upload WHERE id = $1', [body.id]);
  const { key } = rows[0] as { key: string };
  await api.context.objects.store.put(key, Buffer.from('abc'), { contentType: 'text/plain', maxBytes: 3 });
  await sql(`UPDATE upload SET created_at = now() - $2 * interval '1 day' WHERE id = $1`, [body.id, days]);
  return { id: body.id, key };
}

/** A submitted run with one file input. */
const withFile = async (file: string) => {
  const run = await submit(runWith(file));
  // The reference is old.
  await sql(`UPDATE upload SET created_at = now() - interval '50 days' WHERE id = $1`, [file]);
  return run;
};
const runWith = (file: Json) => ({
  steps: undefined,
  inputs: { file },
  definition: {
    name: 'sends',
    inputs: { file: { type: 'file' } },
    steps: [{ action: 'upload', target: { css: 'input' }, file: '{{inputs.file}}' }],
  },
});

/** All data: rows by table, and keys of objects. */
async function everything() {
  const tables = ['run', 'run_event', 'run_step', 'artifact', 'upload'];
  const rows = await Promise.all(
    tables.map(async (table) => (await sql(`SELECT * FROM ${table} t ORDER BY t::text`)).rows as unknown[]),
  );
  const keys: string[] = [];
  for await (const key of api.context.objects.store.list('')) keys.push(key);
  return { rows: Object.fromEntries(tables.map((table, index) => [table, rows[index]])), keys };
}
const ids = async (table: string, column = 'id') =>
  (await sql(`SELECT DISTINCT ${column} AS id FROM ${table} ORDER BY 1`)).rows.map(({ id }: { id: string }) => id);
const storedKeys = async () => (await everything()).keys;

const nothing = { runs: 0, events: 0, artifacts: 0, uploads: 0, bytes: 0, isComplete: true };

test('a project without retention settings keeps everything', async () => {
  const { run } = await completedRun(4000, [5]);
  await upload('old', 4000);
  const previous = await everything();
  expect(await retain(true)).toMatchObject({ dryRun: true, ...nothing });
  expect(await retain(false)).toMatchObject({ dryRun: false, ...nothing });
  expect(await everything()).toEqual(previous);
  expect((await retain(true)).oldestRemainingRunAt).toBe(
    (await api.call<RunView>('GET', `/v1/runs/${run}`)).body.createdAt,
  );
});

test('files, events and runs expire separately; a dry run counts them correctly and changes nothing', async () => {
  const young = await completedRun(1, [10]);
  const middle = await completedRun(10, [20, 21]);
  const old = await completedRun(20, [30]);
  const ancient = await completedRun(40, [40]);
  const key = await store(ancient.run, 44, false);
  await setRetention({ artifactsDays: 5, eventsDays: 15, runsDays: 30 });
  const previous = await everything();
  const dry = await retain(true);
  const { body: oldest } = await api.call<RunView>('GET', `/v1/runs/${old.run}`);
  expect(dry).toEqual({
    dryRun: true,
    runs: 1,
    events: 8,
    artifacts: 4,
    uploads: 0,
    bytes: 20 + 21 + 30 + 40,
    oldestRemainingRunAt: oldest.createdAt,
    isComplete: true,
  });
  expect(await everything()).toEqual(previous);

  expect(await retain(false)).toEqual({ ...dry, dryRun: false });
  expect(await ids('run')).toEqual([young.run, middle.run, old.run].sort());
  expect(await ids('run_event', 'run_id')).toEqual([young.run, middle.run].sort());
  expect(await ids('run_step', 'run_id')).toEqual([young.run, middle.run].sort());
  expect(await storedKeys()).toEqual(young.keys);
  expect(key).toContain(ancient.run);
  expect(await ids('artifact', 'key')).toEqual(young.keys);
  expect(await retain(true)).toEqual({ ...dry, ...nothing });
  expect(await retain(false)).toEqual({ ...dry, ...nothing, dryRun: false });
});

/** A run with a screenshot and the record of a turn. @param trace columns of its trace; null: it has none */
async function recordedRun(days: number, trace: { isPinned?: boolean; isScored?: boolean } | null) {
  const { run, keys } = await completedRun(days, [10]);
  const turn = await store(run, 20, true, 'turn');
  if (trace)
    await sql(
      `WITH recorded AS (UPDATE run SET turns_recorded = true WHERE id = $1 RETURNING *)
       INSERT INTO trace (run_id, project_id, workflow_name, surface, status, created_at, is_pinned, scored_at)
       SELECT id, project_id, workflow_name, surface, status, created_at, $2, CASE WHEN $3 THEN now() END FROM recorded`,
      [run, trace.isPinned ?? false, trace.isScored ?? false],
    );
  else await sql('UPDATE run SET turns_recorded = true WHERE id = $1', [run]);
  return { run, screenshot: keys[0], turn };
}

test('records of turns are kept until the run is scored, and of a pinned run, with the run', async () => {
  const noTrace = await recordedRun(10, null);
  const unscored = await recordedRun(10, {});
  await recordedRun(10, { isScored: true });
  const pinned = await recordedRun(50, { isScored: true, isPinned: true });
  // Scoring may never happen.
  await recordedRun(31, {});
  const protectedRuns = [noTrace, unscored, pinned];

  await setRetention({ artifactsDays: 5 });
  const dry = await retain(true);
  expect(dry).toMatchObject({ artifacts: 7, bytes: 5 * 10 + 2 * 20 });
  expect(await retain(false)).toEqual({ ...dry, dryRun: false });
  expect(await storedKeys()).toEqual(expect.arrayContaining(protectedRuns.map(({ turn }) => turn)));
  expect(await storedKeys()).toHaveLength(3);

  await setRetention({ artifactsDays: 5, runsDays: 6 });
  const dryRuns = await retain(true);
  const { body: oldest } = await api.call<RunView>('GET', `/v1/runs/${pinned.run}`);
  expect(dryRuns).toMatchObject({ runs: 2, artifacts: 0, oldestRemainingRunAt: oldest.createdAt });
  expect(await retain(false)).toEqual({ ...dryRuns, dryRun: false });
  expect(await ids('run')).toEqual(protectedRuns.map(({ run }) => run).sort());

  await sql('UPDATE trace SET is_pinned = false, scored_at = now()');
  await sql("UPDATE run SET finished_at = finished_at - interval '31 days' WHERE id = $1", [noTrace.run]);
  expect(await retain(false)).toMatchObject({ runs: 3, artifacts: 3, bytes: 60 });
  expect(await storedKeys()).toEqual([]);
});

test('an active run is never removed, however old', async () => {
  const queued = await submit();
  const running = await submit();
  const asking = await submit();
  for (const run of [running, asking]) await api.startRun(run);
  await sql(`UPDATE run SET status = 'awaiting_user' WHERE id = $1`, [asking]);
  // Not even one with an end time.
  for (const run of [queued, running, asking]) {
    await store(run, 5);
    await age(run, 400);
    await sql(`UPDATE run SET finished_at = created_at WHERE id = $1`, [run]);
  }
  await setRetention({ runsDays: 1, eventsDays: 1, artifactsDays: 1 });
  const previous = await everything();
  expect(await retain(true)).toMatchObject(nothing);
  expect(await retain(false)).toMatchObject(nothing);
  expect(await everything()).toEqual(previous);
});

test('a run is removed with all its data, in several batches', async () => {
  const { run } = await completedRun(10, [1]);
  const copies = Array.from({ length: 450 }, () => randomUUID());
  await sql(
    `INSERT INTO run SELECT (jsonb_populate_record(r, jsonb_build_object('id', c))).* FROM run r, unnest($2::uuid[]) c WHERE r.id = $1`,
    [run, copies],
  );
  await sql(
    `INSERT INTO run_event SELECT (jsonb_populate_record(e, jsonb_build_object('run_id', c))).* FROM run_event e, unnest($1::uuid[]) c`,
    [copies],
  );
  // More files of one run than one batch, all with the same timestamp.
  await sql(
    `INSERT INTO artifact SELECT (jsonb_populate_record(a, jsonb_build_object('id', c, 'key', 'runs/' || c))).* FROM artifact a, unnest($1::uuid[]) c`,
    [Array.from({ length: 1100 }, () => randomUUID())],
  );
  await sql(
    `INSERT INTO run_saving (run_id, mechanism, project_id, workflow_name, count, tokens, seconds, at)
     SELECT id, 'heal', project_id, workflow_name, 1, 7, 2, now() FROM run`,
  );
  await setRetention({ runsDays: 5 });
  const dry = await retain(true);
  expect(dry).toMatchObject({ runs: 451, events: 4 * 451, artifacts: 1101, bytes: 1101, oldestRemainingRunAt: null });
  expect(await retain(false)).toEqual({ ...dry, dryRun: false });
  expect(await everything()).toEqual({
    rows: { run: [], run_event: [], run_step: [], artifact: [], upload: [] },
    keys: [],
  });
  expect((await sql('SELECT FROM run_saving')).rowCount).toBe(0);
});

test('old uploads are removed unless a remaining run refers to them', async () => {
  const [stray, young, referenced, ofOld, byDefault] = [
    await upload('stray', 50),
    await upload('young', 1),
    await upload('named', 50),
    await upload('of-old', 50),
    await upload('default', 50),
  ];
  await withFile(referenced.id.toUpperCase());
  const old = await withFile(ofOld.id);
  await api.call('POST', `/v1/runs/${old}/cancel`);
  await age(old, 40);
  const inputs = { file: { type: 'file', default: byDefault.id } };
  const steps = [{ action: 'upload', target: { css: 'input' }, file: '{{inputs.file}}' }];
  const response = await api.call('POST', '/v1/workflows', { body: { name: 'with-default', inputs, steps } });
  expect(response.status).toBe(201);
  await setRetention({ artifactsDays: 1 });
  expect(await retain(true)).toMatchObject({ uploads: 0 });
  await setRetention({ runsDays: 30 });
  const dry = await retain(true);
  expect(dry).toMatchObject({ runs: 1, uploads: 2, bytes: 6 });
  expect(await retain(false)).toEqual({ ...dry, dryRun: false });
  const remaining = [young, referenced, byDefault];
  expect(await ids('upload')).toEqual(remaining.map(({ id }) => id).sort());
  expect((await storedKeys()).sort()).toEqual(remaining.map(({ key }) => key).sort());
  expect(stray.key).toContain('stray');
});

test('an upload that a run is about to use is not removed', async () => {
  const [earlyUpload, lateUpload] = [await upload('early', 50), await upload('late', 50)];
  await setRetention({ runsDays: 30 });
  const { rows } = await sql(`SELECT id FROM project WHERE slug = 'default'`);
  const { id: project } = rows[0] as { id: string };
  // The check of a submit has seen the upload; the run does not exist yet.
  expect(await api.context.stores.uploads.use(project, [earlyUpload.id])).toHaveLength(1);
  // A submit during the removal of the object waits until it ends.
  let submitted: Promise<{ status: number; body: Problem }> | undefined;
  const slow = new RetentionCleaner(api.context.stores.retention, {
    async delete(keys) {
      submitted = api.call<Problem>('POST', '/v1/runs', { body: runWith(lateUpload.id) });
      await until('the submit waits', async () => {
        const { rowCount } = await sql(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%upload%'`,
        );
        return rowCount === 1;
      });
      await api.context.objects.store.delete(keys);
    },
  });
  expect(await slow.cleanUp(project, signal)).toMatchObject({ uploads: 1 });
  const rejection = await submitted;
  expect([rejection?.status, rejection?.body.errors?.[0]?.detail]).toEqual([
    400,
    expect.stringContaining('Upload not found'),
  ]);
  expect(await storedKeys()).toEqual([earlyUpload.key]);
  await withFile(earlyUpload.id);
});

test('another project keeps its data', async () => {
  const { run, keys } = await completedRun(400, [5]);
  const stranger = await api.key('admin');
  const body = { retention: { runsDays: 1, eventsDays: 1, artifactsDays: 1 } };
  await api.call('PATCH', '/v1/projects/current', { key: stranger, body });
  const theirs = await api.call('POST', '/v1/retention/runs', { key: stranger, body: { dryRun: false } });
  expect(theirs.body).toMatchObject({ ...nothing, oldestRemainingRunAt: null });
  expect([await ids('run'), await storedKeys()]).toEqual([[run], keys]);
});

test('a run without events remains and reports that its events are gone', async () => {
  const { run } = await completedRun(10, [5]);
  const neverStarted = await submit();
  await api.call('POST', `/v1/runs/${neverStarted}/cancel`);
  await age(neverStarted, 10);
  await setRetention({ eventsDays: 5 });
  await retain(false);
  for (const path of ['events?format=json', 'events', 'events?after=2', 'steps']) {
    const { status, body } = await api.call<Problem>('GET', `/v1/runs/${run}/${path}`);
    expect([path, status, body.code, body.detail]).toEqual([
      path,
      410,
      'GONE',
      `The events and steps of run ${run} were deleted: the retention period of the project is over`,
    ]);
  }
  expect((await api.call('GET', `/v1/runs/${run}/events?after=4`)).status).toBe(204);
  expect((await api.call<RunView>('GET', `/v1/runs/${run}?wait=1`)).body).toMatchObject({ status: 'completed' });
  const files = await api.call<{ items: ArtifactView[] }>('GET', `/v1/runs/${run}/artifacts`);
  expect(files.body.items).toHaveLength(1);
  const steps = await api.call<{ items: object[] }>('GET', `/v1/runs/${neverStarted}/steps`);
  expect(steps.body.items).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
});

describe('an object store that rejects requests', () => {
  const s3 = (endpoint: string, secretKey: string): Promise<ObjectStorage> => {
    const access = {
      accessKey: process.env['S3_ACCESS_KEY'] ?? '',
      bucket: 'pilothouse-retention',
      region: 'us-east-1',
    };
    const store = { kind: 's3', endpoint, secretKey, ...access } as const;
    return createObjectStorage({ store, apiBaseUrl: api.url, signingSecret: randomBytes(32) }, systemClock);
  };
  const endpoint = process.env['S3_ENDPOINT'] ?? '';

  test.each([
    ['because it is unreachable', 'http://127.0.0.1:9', 'x'],
    ['because the key is wrong', endpoint, 'not-the-secret-key'],
  ])('%s: nothing is removed, and the next cleanup removes everything', async (_, endpoint, secret) => {
    const first = await completedRun(10, [5, 6]);
    await upload('stray', 50);
    await setRetention({ runsDays: 5 });
    const previous = await everything();
    const { store: refusing } = await s3(endpoint, secret);
    const failing = new RetentionCleaner(api.context.stores.retention, refusing);
    const { rows } = await sql(`SELECT id FROM project WHERE slug = 'default'`);
    const { id: project } = rows[0] as { id: string };
    await expect(failing.cleanUp(project, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await everything()).toEqual(previous);
    expect(await retain(false)).toMatchObject({ runs: 1, events: 4, artifacts: 2, uploads: 1, bytes: 14 });
    expect(first.keys).toHaveLength(2);
    expect(await storedKeys()).toEqual([]);
  });

  test('a cleanup that stopped between object and row is finished by the next one', async () => {
    const { keys } = await completedRun(10, [5, 6]);
    await setRetention({ runsDays: 5 });
    await api.context.objects.store.delete(keys.slice(0, 1));
    expect(await retain(false)).toMatchObject({ runs: 1, artifacts: 2 });
    expect([await ids('artifact'), await storedKeys()]).toEqual([[], []]);
  });
});

test('a cleanup that times out reports it and leaves complete batches', async () => {
  const { run } = await completedRun(10, [5]);
  await setRetention({ runsDays: 5 });
  const { rows } = await sql(`SELECT id FROM project WHERE slug = 'default'`);
  const { id: project } = rows[0] as { id: string };
  const report = await api.app.get(RetentionCleaner, { strict: false }).cleanUp(project, AbortSignal.abort());
  expect(report).toMatchObject({ ...nothing, isComplete: false });
  expect(await ids('run')).toEqual([run]);
});

test('a request during another cleanup is rejected, but a dry run is not', async () => {
  const turn = await tryRetentionLock(api.context.pool);
  try {
    const rejection = await api.call<Problem>('POST', '/v1/retention/runs', { body: { dryRun: false } });
    expect([rejection.status, rejection.body.code]).toEqual([409, 'CONFLICT']);
    expect(await retain(true)).toMatchObject(nothing);
  } finally {
    await turn?.release();
  }
  expect((await retain(false)).isComplete).toBe(true);
});

describe('the retention job', () => {
  const job = (log: ReturnType<typeof memoryLog>, objects = api.context.objects.store) => {
    const { pool, stores } = api.context;
    const { retention: store, idempotency, audit, signInAttempts } = stores;
    const times = { checkEveryMs: 10, everyMs: 3_600_000, deadlineMs: 60_000 };
    return new RetentionTask({
      pool,
      store,
      idempotency,
      audit,
      signInAttempts,
      auditRetentionDays: 365,
      jobs: new JobStore(pool),
      jobRetentionDays: 90,
      resealSecrets: () => Promise.resolve(0),
      log,
      scheduler: new TaskScheduler({ log }),
      cleaner: new RetentionCleaner(store, objects),
      ...times,
    });
  };

  test('runs once an hour over all replicas, for every project with retention, and removes old keys, audit entries, jobs and attempts', async () => {
    const { keys } = await completedRun(10, [5]);
    await setRetention({ artifactsDays: 5 });
    await sql(
      `INSERT INTO idempotency_key (project_id, key, request_hash, created_at)
       SELECT id, k, 'x', now() - h * interval '1 hour' FROM project, (VALUES ('old', 25), ('new', 1)) v (k, h) WHERE slug = 'default'`,
    );
    await sql(
      `INSERT INTO audit_entry (id, created_at, actor_kind, actor_id, actor_name, action, details, address, request_id)
       SELECT gen_random_uuid(), now() - d * interval '1 day', 'key', gen_random_uuid(), 'x', k, '{}', 'x', 'x'
       FROM (VALUES ('a year ago', 366), ('later', 364)) v (k, d)`,
    );
    await sql(
      `INSERT INTO sign_in_attempt (key, count, window_started_at) VALUES ('over', 3, now() - interval '16 minutes'), ('counts', 3, now())`,
    );
    await sql(
      `INSERT INTO job (id, project_id, kind, params, status, finished_at)
       SELECT gen_random_uuid(), p.id, 'score', to_json(d), 'completed', now() - d * interval '1 day'
       FROM project p, (VALUES (91), (89)) v (d) WHERE slug = 'default'`,
    );
    const logs = [memoryLog(), memoryLog(), memoryLog()];
    const jobs = logs.map((log) => job(log));
    for (const job of jobs) job.start();
    try {
      await until('the keys are purged', async () => (await ids('idempotency_key', 'key')).join() === 'new');
      expect([keys.length, await storedKeys()]).toEqual([1, []]);
      const later = await completedRun(10, [7]);
      await sql(`UPDATE heartbeat SET seen_at = seen_at - interval '1 hour' WHERE name = 'retention'`);
      await until('the next round came', async () => (await ids('artifact')).length === 0);
      expect(await storedKeys()).not.toContain(later.keys[0]);
    } finally {
      await Promise.all(jobs.map((job) => job.stop()));
    }
    expect((await sql('SELECT key FROM sign_in_attempt')).rows).toEqual([{ key: 'counts' }]);
    expect((await sql(`SELECT action FROM audit_entry WHERE actor_name = 'x'`)).rows).toEqual([{ action: 'later' }]);
    expect((await sql('SELECT params FROM job WHERE finished_at IS NOT NULL')).rows).toEqual([{ params: 89 }]);
    expect((await sql('SELECT name FROM heartbeat')).rows).toContainEqual({ name: 'retention' });
    const rounds = logs.flatMap(({ lines }) => lines.map(({ facts }) => facts as { project?: string; bytes?: number }));
    const ownBytes = rounds.filter(({ project }) => project === 'default').map(({ bytes = 0 }) => bytes);
    expect(ownBytes.sort()).toEqual([5, 7]);
  });
});
