import { PilothouseError, type AssignedEgress, type EgressBlock } from '@pilothouse/contract';
import { Masker, parseHostRules, type EgressPolicy } from '@pilothouse/core';
import { startEgressProxy } from '@pilothouse/infra-egress';
import type { AttemptLink } from '@pilothouse/infra-link';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptBase } from '../testing/attempt-base.fixture.ts';
import { RunEgress } from './run-egress.ts';

type Ask = (...request: Parameters<AttemptLink['request']>) => Promise<unknown>;

const definition = {
  name: 'x',
  surface: 'browser' as const,
  inputs: {},
  steps: [],
  egress: { allow: ['shop.test', 'cdn.test'] },
};
const noSecret: Ask = () => Promise.reject(new PilothouseError('NOT_FOUND', 'none'));

function make(egress: AssignedEgress, ask: Ask = noSecret) {
  const events: { type: string; message: string; data: unknown }[] = [];
  const masker = new Masker();
  const house = startEgressProxy({ resolve: async () => ['127.0.0.1'] });
  const base = attemptBase({
    assignment: { definition, egress },
    link: {
      request: ask as AttemptLink['request'],
      lost: new AbortController().signal,
      lease: { isHeld: () => true, waitUntilHeld: async () => new AbortController().signal },
    },
    masker,
    events: { add: (type: string, message: string, data: unknown) => void events.push({ type, message, data }) },
    stepNumber: 3,
  });
  const run = new RunEgress(base, { allowedPrivateHosts: parseHostRules(['127.0.0.0/8']), egress: house });
  return { run, events, masker, house };
}

const refusal = (host: string): EgressBlock => ({ host, port: 443, rule: 'project', address: null });
const tell = (pass: EgressPolicy, ...hosts: string[]) => hosts.forEach((host) => pass.onBlocked(refusal(host)));

test('the lists of project, workflow and run must all allow a host', () => {
  const { lists } = make({ project: ['*.test'], run: { allow: [] } }).run.policy.rules;
  expect(lists.map(({ by, rules }) => [by, rules.length])).toEqual([
    ['project', 1],
    ['workflow', 2],
    ['run', 0],
  ]);
  expect(make({ project: null, run: null }).run.policy.rules.lists.map(({ by }) => by)).toEqual(['workflow']);
});

test('a blocked connection is reported once per host, at most a hundred times', () => {
  const { run, events } = make({ project: [], run: null });
  tell(run.policy, 'a.test', 'a.test', 'b.test');
  expect(events).toEqual([
    {
      type: 'egress.blocked',
      message: 'a.test:443 was refused: it is not on the allow-list of the project',
      data: { ...refusal('a.test'), step: 3 },
    },
    expect.objectContaining({ data: { ...refusal('b.test'), step: 3 } }),
  ]);
  tell(run.policy, ...Array.from({ length: 300 }, (_, i) => `${i}.test`));
  expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 100 }, () => 'egress.blocked'), 'run.log']);
});

describe('the error of a step', () => {
  const failed = new PilothouseError('NAVIGATION_FAILED', 'https://a.test/?token=1 did not open');

  test('is the block of its page, without the query', () => {
    const { run } = make({ project: [], run: null });
    tell(run.policy, 'a.test');
    expect(run.explainError(failed)).toMatchObject({
      code: 'EGRESS_BLOCKED',
      message: 'a.test:443 was refused: it is not on the allow-list of the project',
    });
  });

  test('lists blocked connections that may be the cause', () => {
    const { run } = make({ project: [], run: null });
    tell(run.policy, 'a.test');
    const missing = new PilothouseError('TARGET_NOT_FOUND', 'No button');
    expect(run.explainError(missing)).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: 'No button (a.test:443 was refused: it is not on the allow-list of the project)',
    });
    const other = new PilothouseError('EXTRACTION_FAILED', 'No number');
    expect(run.explainError(other)).toBe(other);
  });

  test('explains a failed connection, and ignores those before the step', () => {
    const { run } = make({ project: null, run: null });
    run.policy.onFailed({ host: 'a.test', port: 443, reason: 'the name has no address' });
    expect(run.explainError(failed)).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: 'https://a.test/?token=1 did not open (a.test:443: the name has no address)',
    });
    run.resetFailures();
    expect(run.explainError(failed)).toBe(failed);
  });

  test('of a slow page does not list other hosts', () => {
    const slow = new PilothouseError('NAVIGATION_FAILED', 'https://a.test/ did not open within the time of the step', {
      details: { url: 'https://a.test/' },
    });
    const { run } = make({ project: null, run: null });
    run.policy.onFailed({ host: 'adverts.test', port: 443, reason: 'the name has no address' });
    tell(run.policy, 'tracker.test');
    expect(run.explainError(slow)).toBe(slow);
    run.policy.onFailed({ host: 'a.test', port: 443, reason: 'it did not answer in time' });
    expect(run.explainError(slow)).toMatchObject({ message: expect.stringContaining('a.test:443: it did not answer') });
  });
});

test('the password of the proxy is requested once, and then masked', async () => {
  let asked = 0;
  const ask: Ask = (_type, { name, origin }: { name?: string; origin?: string }) => {
    asked += 1;
    expect([name, origin]).toEqual(['egress.proxy.password', 'http://proxy.test:8080']);
    return Promise.resolve({ type: 'secret.value', id: 'x', value: 'hush-hush' }) as ReturnType<Ask>;
  };
  const proxy = { server: 'http://proxy.test:8080', username: 'ann' };
  const { run, masker } = make({ project: null, run: { proxy } }, ask);
  expect(await Promise.all([run.policy.upstream(), run.policy.upstream()])).toEqual([
    { ...proxy, password: 'hush-hush' },
    { ...proxy, password: 'hush-hush' },
  ]);
  expect(asked).toBe(1);
  expect(masker.text('it is hush-hush')).not.toContain('hush-hush');
  expect(await make({ project: null, run: { proxy } }).run.policy.upstream()).toEqual(proxy);
  expect(await make({ project: null, run: null }).run.policy.upstream()).toBeNull();
});

test('requests of the worker follow the same rules', async () => {
  const site: Server = createServer((_asked, answer) => answer.end('here'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const { run, house, events } = make({ project: null, run: { allow: ['shop.test'] } });
  const proxy = new URL(await run.proxy());
  const get = (host: string) =>
    new Promise((resolve, reject) => {
      const asked = request({ host: proxy.hostname, port: proxy.port, path: `http://${host}:${port}/` }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
  expect(await get('shop.test')).toBe(200);
  await expect(get('cdn.test')).rejects.toThrow('socket hang up');
  expect(events).toMatchObject([{ type: 'egress.blocked', data: { host: 'cdn.test', rule: 'run' } }]);
  await run.close();
  await expect(get('shop.test')).rejects.toThrow();
  await house.close();
  site.close();
});
