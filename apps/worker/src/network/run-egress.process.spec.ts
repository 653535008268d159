import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { AssignedEgress, EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import type { EgressPolicy } from '@pilothouse/core/ports/egress.port';
import { Masker } from '@pilothouse/core/secret/secret-masker';
import { startEgressProxy } from '@pilothouse/infra-egress';
import type { AttemptLink } from '@pilothouse/infra-link';
import { request } from 'node:http';
import { TestServer } from '@pilothouse/testing/test-server';
import { attemptBase } from '../testing/attempt-base.fixture.ts';
import { RunEgress } from './run-egress.ts';

type RequestFn = (...request: Parameters<AttemptLink['request']>) => Promise<unknown>;

const definition = {
  name: 'x',
  surface: 'browser' as const,
  inputs: {},
  steps: [],
  egress: { allow: ['shop.test', 'cdn.test'] },
};
const noSecret: RequestFn = () => Promise.reject(new PilothouseError('NOT_FOUND', 'none'));

function createEgress(egress: AssignedEgress, request: RequestFn = noSecret) {
  const events: { type: string; message: string; data: unknown }[] = [];
  const masker = new Masker();
  const workerEgress = startEgressProxy({ resolve: async () => ['127.0.0.1'] });
  const base = attemptBase({
    assignment: { definition, egress },
    link: {
      request: request as AttemptLink['request'],
      lossSignal: new AbortController().signal,
      lease: { isHeld: () => true, waitUntilHeld: async () => new AbortController().signal },
    },
    masker,
    events: { add: (type: string, message: string, data: unknown) => void events.push({ type, message, data }) },
    stepNumber: 3,
  });
  const run = new RunEgress(base, { allowedPrivateHosts: parseHostRules(['127.0.0.0/8']), egress: workerEgress });
  return { run, events, masker, workerEgress };
}

const refusal = (host: string): EgressBlock => ({ host, port: 443, rule: 'project', address: null });
const refuseHosts = (policy: EgressPolicy, ...hosts: string[]) =>
  hosts.forEach((host) => policy.onBlocked(refusal(host)));

test('the lists of project, workflow and run must all allow a host', () => {
  const { lists } = createEgress({ project: ['*.test'], run: { allow: [] } }).run.policy.rules;
  expect(lists.map(({ scope, rules }) => [scope, rules.length])).toEqual([
    ['project', 1],
    ['workflow', 2],
    ['run', 0],
  ]);
  expect(createEgress({ project: null, run: null }).run.policy.rules.lists.map(({ scope }) => scope)).toEqual([
    'workflow',
  ]);
});

test('a blocked connection is reported once per host, at most a hundred times', () => {
  const { run, events } = createEgress({ project: [], run: null });
  refuseHosts(run.policy, 'a.test', 'a.test', 'b.test');
  expect(events).toEqual([
    {
      type: 'egress.blocked',
      message: 'a.test:443 was refused: it is not on the allow list of the project',
      data: { ...refusal('a.test'), step: 3 },
    },
    expect.objectContaining({ data: { ...refusal('b.test'), step: 3 } }),
  ]);
  refuseHosts(run.policy, ...Array.from({ length: 300 }, (_, i) => `${i}.test`));
  expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 100 }, () => 'egress.blocked'), 'run.log']);
});

describe('the error of a step', () => {
  const navigationError = new PilothouseError('NAVIGATION_FAILED', 'https://a.test/?token=1 did not open');

  test('is the block of its page, without the query', () => {
    const { run } = createEgress({ project: [], run: null });
    refuseHosts(run.policy, 'a.test');
    expect(run.explainError(navigationError)).toMatchObject({
      code: 'EGRESS_BLOCKED',
      message: 'a.test:443 was refused: it is not on the allow list of the project',
    });
  });

  test('lists blocked connections that may be the cause', () => {
    const { run } = createEgress({ project: [], run: null });
    refuseHosts(run.policy, 'a.test');
    const missing = new PilothouseError('TARGET_NOT_FOUND', 'No button');
    expect(run.explainError(missing)).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: 'No button (a.test:443 was refused: it is not on the allow list of the project)',
    });
    const extractionError = new PilothouseError('EXTRACTION_FAILED', 'No number');
    expect(run.explainError(extractionError)).toBe(extractionError);
  });

  test('explains a failed connection, and ignores those before the step', () => {
    const { run } = createEgress({ project: null, run: null });
    run.policy.onFailed({ host: 'a.test', port: 443, reason: 'the host name has no address' });
    expect(run.explainError(navigationError)).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: 'https://a.test/?token=1 did not open (a.test:443: the host name has no address)',
    });
    run.resetFailures();
    expect(run.explainError(navigationError)).toBe(navigationError);
  });

  test('of a slow page does not list other hosts', () => {
    const slow = new PilothouseError('NAVIGATION_FAILED', 'https://a.test/ did not open within the time of the step', {
      details: { url: 'https://a.test/' },
    });
    const { run } = createEgress({ project: null, run: null });
    run.policy.onFailed({ host: 'adverts.test', port: 443, reason: 'the host name has no address' });
    refuseHosts(run.policy, 'tracker.test');
    expect(run.explainError(slow)).toBe(slow);
    run.policy.onFailed({ host: 'a.test', port: 443, reason: 'it did not answer in time' });
    expect(run.explainError(slow)).toMatchObject({ message: expect.stringContaining('a.test:443: it did not answer') });
  });
});

test('the password of the proxy is requested once, and then masked', async () => {
  let requestCount = 0;
  const request: RequestFn = (_type, { name, origin }: { name?: string; origin?: string }) => {
    requestCount += 1;
    expect([name, origin]).toEqual(['egress.proxy.password', 'http://proxy.test:8080']);
    return Promise.resolve({ type: 'secret.value', id: 'x', value: 'hush-hush' }) as ReturnType<RequestFn>;
  };
  const proxy = { server: 'http://proxy.test:8080', username: 'ann' };
  const { run, masker } = createEgress({ project: null, run: { proxy } }, request);
  expect(await Promise.all([run.policy.upstream(), run.policy.upstream()])).toEqual([
    { ...proxy, password: 'hush-hush' },
    { ...proxy, password: 'hush-hush' },
  ]);
  expect(requestCount).toBe(1);
  expect(masker.text('it is hush-hush')).not.toContain('hush-hush');
  expect(await createEgress({ project: null, run: { proxy } }).run.policy.upstream()).toEqual(proxy);
  expect(await createEgress({ project: null, run: null }).run.policy.upstream()).toBeNull();
});

test('requests of the worker follow the same rules', async () => {
  const site = new TestServer((_request, answer) => answer.end('here'));
  await site.start();
  const { port } = site;
  const { run, workerEgress, events } = createEgress({ project: null, run: { allow: ['shop.test'] } });
  const proxy = new URL(await run.proxy());
  const get = (host: string) =>
    new Promise((resolve, reject) => {
      const proxied = request({ host: proxy.hostname, port: proxy.port, path: `http://${host}:${port}/` }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      proxied.on('error', reject).end();
    });
  expect(await get('shop.test')).toBe(200);
  await expect(get('cdn.test')).rejects.toThrow('socket hang up');
  expect(events).toMatchObject([{ type: 'egress.blocked', data: { host: 'cdn.test', rule: 'run' } }]);
  await run.close();
  await expect(get('shop.test')).rejects.toThrow();
  await workerEgress.close();
  await site.stop();
});
