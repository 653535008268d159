import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { newId } from './common/new-id.ts';
import { FleetSamplerTask } from './fleets/fleet-sampler.task.ts';
import { WorkerServer } from './gateway/worker-server.ts';
import { RetentionTask } from './retention/retention.task.ts';
import { ReactionExecutor } from './reactions/reaction-executor.ts';
import { startApi } from './testing/test-api.fixture.ts';

test('shutdown answers pending requests, ends streams so that clients reconnect, and is not delayed', async () => {
  const api = await startApi();
  const body = { steps: [{ action: 'screenshot' }] };
  const { body: run } = await api.call<RunView>('POST', '/v1/runs', { body });
  const stream = await api.fetch('GET', `/v1/runs/${run.id}/events`);
  const waiting = api.call<RunView>('GET', `/v1/runs/${run.id}?wait=60`);
  const unused: Socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  unused.on('error', () => undefined);
  await until('both wait', () => api.lifecycle.watcher.size === 2);

  const startedAtMs = performance.now();
  const closing = api.close();
  const [answer, text] = await Promise.all([waiting, stream.text()]);
  expect([answer.status, answer.body.status]).toEqual([200, 'queued']);
  expect(text).toContain('id: 1\n');
  expect(text).not.toContain('event: end');
  await closing;
  // Remaining connections would be closed after ten seconds.
  expect(performance.now() - startedAtMs).toBeLessThan(9_500);
  await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
}, 60_000);

test('closes in the order of the shutdown list', async () => {
  const api = await startApi();
  const { context, lifecycle, app } = api;
  const order: string[] = [];
  const spy = <Name extends string>(name: string, target: Record<Name, () => unknown>, method: Name) => {
    const original = target[method].bind(target);
    target[method] = () => {
      order.push(name);
      return original();
    };
  };
  context.shutdown.signal.addEventListener('abort', () => order.push('shutdown signal'));
  spy('gateway', app.get(WorkerServer, { strict: false }), 'close');
  (app.getHttpServer() as Server).once('close', () => order.push('HTTP server'));
  for (const job of [RetentionTask, FleetSamplerTask, ReactionExecutor])
    spy(job.name, app.get(job, { strict: false }), 'stop');
  spy('sweeper', lifecycle.sweeper, 'stop');
  spy('run writer', lifecycle.writer, 'drained');
  spy('stores', context.stores, 'close');
  spy('pool', context.pool as { end(): Promise<void> }, 'end');
  await api.close();
  const jobs = ['RetentionTask', 'FleetSamplerTask', 'ReactionExecutor'];
  expect(order).toEqual([
    // The gateway waits for its own writes.
    ...['shutdown signal', 'gateway', 'run writer', 'HTTP server', ...jobs],
    ...['sweeper', 'run writer', 'stores', 'pool'],
  ]);
}, 60_000);

test('a gateway replica serves health and objects, but no REST', async () => {
  const api = await startApi({ roles: new Set(['gateway']) });
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  expect((await api.fetch('GET', '/v1/objects/x')).status).toBe(403);
  expect((await api.call('GET', '/v1/runs')).status).toBe(404);
  await api.close();
}, 60_000);

test('ids sort by time, and are UUIDs of version 7', () => {
  const ids = [1, 2, 1_000, 1_800_000_000_000, 2 ** 47].map((now) => newId(now));
  expect([...ids].sort()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newId()).not.toBe(newId());
});
