import { randomUUID } from 'node:crypto';
import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import {
  createPool,
  JobLeases,
  JobStore,
  ModelSpendStore,
  RegistryStore,
  type ClaimedJob,
  type Pool,
} from '@pilothouse/infra-db';
import { ConfiguredModels } from '@pilothouse/model';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { JobsMetrics } from '../jobs.metrics.ts';
import { createJobModels } from './job-models.ts';

let database: TestDatabase;
let pool: Pool;
let server: ModelServer;
let project: string;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  server = await startModels();
});

beforeEach(async () => {
  project = randomUUID();
  await pool.query(`DELETE FROM project`);
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'shop', 'Shop')`, [project]);
  server.requests.length = 0;
  server.policy = () => ({ text: 'good', usage: { input: 100, output: 50 } });
});

afterAll(async () => {
  await server.close();
  await pool.end();
  await database.drop();
});

const request: ModelRequest = {
  role: 'score',
  prompt: { name: 'spec', version: 1 },
  system: 'Answer with one word.',
  messages: [{ role: 'user', parts: [{ text: 'Is this step good?' }] }],
  maxTokens: 200,
};

const aTunedModel = { model: 'gemini/tuned', metrics: {} };

async function claim(budgetUsd?: number): Promise<ClaimedJob> {
  const job = { id: randomUUID(), project, kind: 'score', params: {} } as const;
  await new JobStore(pool).insert({ ...job, ...(budgetUsd !== undefined && { budgetUsd }) });
  return (await new JobLeases(pool).claim({ kinds: ['score'], owner: 'spec', leaseMs: 60_000 }))!;
}

function modelsOf(job: ClaimedJob, signal = new AbortController().signal) {
  const endpoints = { gemini: { apiKey: 'key-of-gemini', baseUrl: server.url } };
  return createJobModels(job, signal, {
    ...{ pool, clock: systemClock, newId: randomUUID, log: memoryLog(), metrics: new JobsMetrics() },
    monthlySpend: new ModelSpendStore(pool),
    providers: new ConfiguredModels({
      endpoints,
      clock: systemClock,
      random: Math.random,
      retries: { maxAttempts: 1, baseMs: 1, maxMs: 1 },
    }),
    fallback: { use: ['gemini/gemini-2.5-flash'] },
  });
}

const readUsage = async () => {
  const { rows } = await pool.query(
    `SELECT j.used_tokens AS "jobTokens", j.used_usd AS "jobUsd", m.tokens AS "monthTokens", m.usd AS "monthUsd", m.reserved_usd AS "reservedUsd"
     FROM job j LEFT JOIN model_spend m ON m.project_id = j.project_id`,
  );
  return rows[0];
};

test('a call is counted for the job and for the month of its project', async () => {
  const answer = await modelsOf(await claim()).generate(request);
  expect(answer).toMatchObject({ text: 'good', provider: 'gemini', usage: { inputTokens: 100, outputTokens: 50 } });
  expect(answer.usd).toBeGreaterThan(0);
  expect(await readUsage()).toEqual({
    jobTokens: 150,
    jobUsd: answer.usd,
    monthTokens: 150,
    monthUsd: answer.usd,
    reservedUsd: 0,
  });
});

test('the project chooses the model of the role', async () => {
  await pool.query('UPDATE project SET models = $1', [JSON.stringify({ score: { use: ['gemini/gemini-2.5-pro'] } })]);
  await modelsOf(await claim()).generate(request);
  expect(server.requests.map(({ model }) => model)).toEqual(['gemini-2.5-pro']);
});

test('a registered model of the role precedes those of the project, at the price of its base', async () => {
  const registry = new RegistryStore(pool);
  const base = 'gemini/gemini-2.5-pro';
  await registry.register(randomUUID(), project, { ...aTunedModel, name: 'judge', role: 'score', base }, null);
  await registry.register(randomUUID(), project, { ...aTunedModel, name: 'actor' }, null);
  const promote = (name: string) => registry.change(project, name, { to: 'active', reason: null, actor: null });
  const job = await claim();
  const { usd: basePrice } = await modelsOf(job).generate(request);
  await promote('actor');
  await promote('judge');
  const answer = await modelsOf(job).generate(request);
  expect(server.requests.map(({ model }) => model)).toEqual(['gemini-2.5-flash', 'tuned']);
  expect(answer.usd).toBeGreaterThan(basePrice ?? 0);
  const { rows } = await pool.query('SELECT * FROM registry_run');
  expect(rows).toEqual([]);
  await registry.change(project, 'judge', { to: 'rolled_back', reason: null, actor: null });
  expect(await modelsOf(job).generate(request)).toMatchObject({ model: 'gemini-2.5-flash' });
});

test('concurrent calls do not exceed the budget of the job together', async () => {
  const models = modelsOf(await claim(0.0012));
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => models.generate(request)));
  const refused = results
    .filter(({ status }) => status === 'rejected')
    .map((result) => (result as PromiseRejectedResult).reason);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(6);
  for (const error of refused) expect(error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
  expect(server.requests).toHaveLength(6 - refused.length);
  expect((await readUsage()).jobTokens).toBe(150 * (6 - refused.length));
});

test('a call beyond the monthly budget of the project is not made', async () => {
  await pool.query('UPDATE project SET budgets = $1', [JSON.stringify({ month: { tokens: 500 } })]);
  const models = modelsOf(await claim());
  await models.generate(request);
  await models.generate(request);
  await expect(models.generate({ ...request, maxTokens: 400 })).rejects.toMatchObject({
    code: 'BUDGET_EXCEEDED',
    message: expect.stringContaining('Shop'),
  });
  expect(server.requests).toHaveLength(2);
  expect(await readUsage()).toMatchObject({ monthTokens: 300, jobTokens: 300, reservedUsd: 0 });
});

test('a failed call uses up nothing', async () => {
  server.policy = () => ({ status: 503, message: 'overloaded' });
  await expect(modelsOf(await claim()).generate(request)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(await readUsage()).toMatchObject({ jobTokens: 0, jobUsd: 0, monthTokens: null });
});

test('an attempt that lost its job makes no call', async () => {
  const job = await claim();
  await new JobLeases(pool).handBack(job);
  await expect(modelsOf(job).generate(request)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(server.requests).toEqual([]);
});
