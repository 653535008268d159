import type { ProjectView } from '@pilothouse/contract/api/project.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelCheck } from '@pilothouse/contract/model/model-check.schema';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
let modelServer: ModelServer;
beforeAll(async () => {
  modelServer = await startModels();
  const vllm = { protocol: 'openai' as const, apiKey: 'none', baseUrl: `${modelServer.url}/v1` };
  const overrides = { 'vllm/*': { price: { input: 1, output: 1 } } };
  api = await startApi({ models: { endpoints: { vllm }, overrides, fallback: undefined, callsPerMinute: undefined } });
}, 60_000);
afterAll(async () => {
  await api.close();
  await modelServer.close();
});

const readProject = async () => (await api.call<ProjectView>('GET', '/v1/projects/current')).body;

test('a check of a model reports its abilities, and counts in the usage of the month', async () => {
  const usage = async () => (await readProject()).usage;
  const initialUsage = await usage();
  modelServer.next({ text: 'ready' }, { calls: [{ name: 'click', args: { element: 7 } }] });
  modelServer.next({ text: '{"color":"green"}' }, { text: 'Red' }, { text: 'one two three' });
  const { status, body } = await api.call<ModelCheck>('POST', '/v1/models/check', { body: { model: 'vllm/qwen' } });
  expect(status).toBe(200);
  expect(body.abilities.map(({ works }) => works)).toEqual([true, true, true, true, true]);
  expect(body).toMatchObject({ model: 'vllm/qwen', dialect: 'calls', settings: {} });
  expect(body.tokens).toBeGreaterThan(0);
  const finalUsage = await usage();
  expect(finalUsage.tokens - initialUsage.tokens).toBe(body.tokens);
  expect(finalUsage.usd - initialUsage.usd).toBeCloseTo(body.usd ?? 0, 9);
});

test('a project has one model check at a time, which ends when its client disconnects', async () => {
  modelServer.next({ hangs: true });
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${api.admin}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'vllm/qwen' });
  const requests = modelServer.requests.length;
  const first = fetch(`${api.url}/v1/models/check`, { method: 'POST', headers, body, signal: abort.signal });
  await until('the call of the check', () => modelServer.requests.length > requests);
  const check = () => api.call<Problem>('POST', '/v1/models/check', { body: { model: 'vllm/qwen' } });
  expect((await check()).body).toMatchObject({ code: 'CONFLICT', detail: expect.stringContaining('in progress') });
  abort.abort();
  await expect(first).rejects.toThrow();
  await until('the end of the model call', () => modelServer.open === 0);
  modelServer.next({ status: 404, message: 'no such model' });
  await until('the end of the first check', async () => (await check()).status === 200);
});
