import { randomUUID } from 'node:crypto';
import { bucketOf } from '@pilothouse/core/learning/registry/registered-model-selection';
import { readEventsAfter, RegistryStore } from '@pilothouse/infra-db';
import type { ModelServer } from '@pilothouse/testing/model-server/model-server';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import { startScriptedModels } from '../testing/models.fixture.ts';
import { CheckRollbackReaction } from '../reactions/reaction-handlers.ts';

describe('registered models', () => {
  const harness = useGatewayHarness();
  let server: ModelServer;
  let registry: RegistryStore;
  let id = 0;

  beforeAll(async () => {
    const overrides = { 'groq/base': { price: { input: 10, output: 20 } } };
    server = await startScriptedModels(harness, { overrides, fallback: { use: ['gemini/gemini-2.5-flash'] } });
    registry = new RegistryStore(harness.pool);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.requests.length = 0;
    server.policy = ({ model }) => ({ text: model, usage: { input: 1_000_000, output: 0 } });
    await harness.pool.query('DELETE FROM registry_model');
  });

  const register = async (name: string, facts: object = {}) => {
    const model = randomUUID();
    const body = { name, model: `groq/${name}`, base: 'groq/base', metrics: {}, ...facts };
    await registry.register(model, harness.project, body, null);
    return model;
  };
  const change = (name: string, stage: 'canary' | 'active', canaryPercent?: number) =>
    registry.change(harness.project, name, {
      to: stage,
      reason: null,
      actor: null,
      ...(canaryPercent && { canaryPercent }),
    });

  async function callOf(fields: Parameters<typeof harness.submit>[0] = {}, role: 'act' | 'verify' = 'act') {
    const worker = harness.worker();
    await worker.connect();
    const run = await harness.submit(fields);
    const attempt = await worker.acceptAssignment(run);
    id += 1;
    const request = {
      ...{ role, prompt: { name: 'act.text', version: 2 }, system: '', maxTokens: 100 },
      messages: [{ role: 'user' as const, parts: [{ text: 'What next?' }] }],
    };
    worker.send({ type: 'model.request', id, ...attempt, step: 0, request, timeoutMs: 30_000 });
    const requestId = id;
    const { answer } = await worker.waitFor('model.response', (message) => message.id === requestId);
    return { run, answer };
  }
  const armsOf = async (run: string) => {
    const { rows } = await harness.pool.query('SELECT model_id, arm FROM registry_run WHERE run_id = $1', [run]);
    return rows;
  };
  const submitted = Array.from({ length: 200 }, () => randomUUID());

  it('are used by all runs once they are active, at the price of the base', async () => {
    const model = await register('tuned');
    expect((await callOf()).answer.model).toBe('gemini-2.5-flash');
    await change('tuned', 'active');
    const { run, answer } = await callOf();
    expect(answer).toMatchObject({ provider: 'groq', model: 'tuned', usd: 10 });
    expect(await armsOf(run)).toEqual([{ model_id: model, arm: 'candidate' }]);
    expect(
      (await readEventsAfter(harness.pool, run, 0)).find(({ type }) => type === 'model.called')?.data,
    ).toMatchObject({ model: 'tuned' });
  });

  it('apply to their role only', async () => {
    await register('tuned', { role: 'verify' });
    await change('tuned', 'active');
    expect((await callOf()).answer.model).toBe('gemini-2.5-flash');
    expect((await callOf({}, 'verify')).answer.model).toBe('tuned');
  });

  it('yield to the model that a run names', async () => {
    await register('tuned');
    await change('tuned', 'active');
    const { run, answer } = await callOf({ model: 'work/claude' });
    expect(answer.model).toBe('claude');
    expect(await armsOf(run)).toEqual([]);
  });

  it('are replaced by the base when they are unavailable', async () => {
    await register('tuned');
    await change('tuned', 'active');
    server.policy = ({ model }) => (model === 'tuned' ? { status: 503 } : { text: model });
    expect((await callOf()).answer.model).toBe('base');
  });

  it('are used by the runs of a canary, and all runs are recorded with their arm', async () => {
    const model = await register('tuned');
    await change('tuned', 'canary', 50);
    const runIn = submitted.find((run) => bucketOf(model, run) < 50) ?? '';
    const runOut = submitted.find((run) => bucketOf(model, run) >= 50) ?? '';
    expect((await callOf({ id: runIn })).answer.model).toBe('tuned');
    expect((await callOf({ id: runOut })).answer.model).toBe('gemini-2.5-flash');
    expect(await armsOf(runIn)).toEqual([{ model_id: model, arm: 'candidate' }]);
    expect(await armsOf(runOut)).toEqual([{ model_id: model, arm: 'base' }]);
  });

  it('are rolled back when their last runs fail, and the next call uses the models of the project', async () => {
    const model = await register('tuned');
    await change('tuned', 'canary', 99);
    const log = memoryLog();
    const addRuns = async (arm: 'candidate' | 'base', status: string, count: number) => {
      for (let index = 0; index < count; index += 1) {
        const run = await harness.submit();
        await harness.pool.query(`UPDATE run SET status = $2, finished_at = now() WHERE id = $1`, [run, status]);
        await registry.addRun(model, run, arm);
        await new CheckRollbackReaction(registry, log).execute({ run });
      }
    };
    await addRuns('base', 'completed', 20);
    await addRuns('candidate', 'completed', 12);
    expect((await registry.read(harness.project, 'tuned'))?.stage).toBe('canary');
    await addRuns('candidate', 'failed', 8);
    expect((await registry.read(harness.project, 'tuned'))?.stage).toBe('rolled_back');
    const { transitions, runs } = (await registry.read(harness.project, 'tuned')) ?? {};
    expect(runs).toBeNull();
    expect(transitions?.[0]).toMatchObject({
      ...{ from: 'canary', to: 'rolled_back', by: null },
      reason: expect.stringMatching(/of the last \d+ runs succeeded .* of 20 runs without the model$/),
    });
    expect(log.lines).toContainEqual(expect.objectContaining({ message: 'registered model rolled back' }));
    expect((await callOf()).answer.model).toBe('gemini-2.5-flash');
  });
});
