import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { storageStateSchema } from '@pilothouse/contract/project/profile.schema';
import type { Assignment, Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';
import { serializeSafePoint } from './safe-points.ts';

/* Loading and saving of profiles over a real socket. A null surface has the profile that it was opened with. */
describe('profiles', () => {
  let gateway: ScriptedGateway;
  let root: string;
  let host: NullSurfaceHost;
  let worker: Worker;
  const log = memoryLog();

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-profiles-spec-'));
    host = new NullSurfaceHost({});
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host, log });
    await gateway.until(() => gateway.all('ready').length > 0);
  });
  afterEach(async () => {
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  const state = storageStateSchema.parse({
    cookies: [{ name: 'sid', value: 'hush-1', domain: 'shop.example' }],
    origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'token', value: 'hush-2' }] }],
  });
  const open: Step = { action: 'navigate', url: 'https://shop.example/orders' };
  const save: Step = { id: 'kept', action: 'saveProfile' };

  /** Executes the run to its end. */
  async function runToEnd(source: Parameters<typeof buildAssignment>[0], fields: Partial<Assignment> = {}) {
    const run = buildAssignment(source, fields);
    gateway.assign(run);
    await gateway.until(() => gateway.log.outcome(run) !== undefined, 'the run ended');
    const events = gateway.log.of(run);
    return { outcome: gateway.log.outcome(run), logs: events.filter(({ type }) => type === 'run.log'), events };
  }

  test('a browser starts with the stored profile, and the event contains no values', async () => {
    gateway.profiles.set('spec', { version: 4, state });
    const { outcome, logs, events } = await runToEnd({ browser: { profile: 'spec' }, steps: [open] });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(host.surfaces[0]?.options.profile).toEqual(state);
    expect(logs).toMatchObject([
      {
        level: 'info',
        message: 'Loaded profile "spec", version 4',
        data: { facts: { profile: 'spec', version: 4, cookies: 1, origins: 1 } },
      },
    ]);
    for (const output of [events, log.lines]) expect(JSON.stringify(output)).not.toContain('hush');
  });

  test('a missing profile starts empty, and is reported', async () => {
    const { outcome, logs } = await runToEnd({ browser: { profile: 'spec' }, steps: [open] });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(host.surfaces[0]?.options.profile).toBeUndefined();
    expect(logs).toMatchObject([{ message: 'Profile spec does not exist yet: the browser starts empty' }]);
  });

  test('a missing required profile fails the run with instructions, and cannot be caught', async () => {
    const browser = { profile: { name: 'spec', required: true } };
    const { outcome } = await runToEnd({
      browser,
      steps: [{ action: 'try', steps: [open], catch: [{ action: 'screenshot' }] }],
    });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        code: 'PROFILE_NOT_FOUND',
        message: expect.stringMatching(/Profile "spec" not found.*saveProfile.*pilothouse profiles import spec FILE/),
      },
    });
    expect(host.inputs).toEqual([]);
    expect(host.surfaces).toEqual([]);
    gateway.profiles.set('spec', { version: 1, state });
    expect((await runToEnd({ browser, steps: [open] })).outcome).toMatchObject({ status: 'completed' });
  });

  test('a run without a profile requests none', async () => {
    await runToEnd({ browser: { locale: 'de-DE' }, steps: [open] });
    expect(gateway.all('profile.request')).toEqual([]);
  });

  test('saves under the name of the workflow or of the step, and returns a summary', async () => {
    gateway.profiles.set('spec', { version: 1, state });
    const { outcome } = await runToEnd(
      {
        inputs: { customer: { type: 'string' } },
        browser: { profile: 'spec' },
        steps: [open, save, { action: 'saveProfile', name: 'shop-{{inputs.customer}}' }],
        output: '{{steps.kept.value}}',
      },
      { inputs: { customer: 'robin' } },
    );
    const size = JSON.stringify(state).length;
    expect(outcome).toEqual({ status: 'completed', output: { name: 'spec', version: 2, size } });
    expect([...gateway.profiles]).toEqual([
      ['spec', { version: 2, state }],
      ['shop-robin', { version: 1, state }],
    ]);
  });

  test('saves a profile without databases that are too large, and reports it', async () => {
    const value = 'hush'.repeat(400_000);
    const records = [{ key: 1, value }];
    const stores = [{ name: 'all', autoIncrement: false, records, indexes: [] }];
    const origins = state.origins.map((origin) => ({ ...origin, indexedDB: [{ name: 'cache', version: 1, stores }] }));
    gateway.profiles.set('spec', { version: 1, state: { ...state, origins } });
    const { outcome, events } = await runToEnd({ browser: { profile: 'spec' }, steps: [open, save] });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(gateway.profiles.get('spec')).toEqual({ version: 2, state });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'run.log',
        level: 'warn',
        message: 'IndexedDB of https://shop.example is too large for the profile spec and was skipped',
      }),
    );
  });

  test('a name that renders empty fails the step, and nothing is sent', async () => {
    const source = { inputs: { customer: { type: 'string' as const } } };
    const saveByCustomer: Step = { action: 'saveProfile', name: 'shop {{inputs.customer}}' };
    const inputs = { customer: 'Robin Hood' };
    expect((await runToEnd({ ...source, steps: [open, saveByCustomer] }, { inputs })).outcome).toMatchObject({
      error: { code: 'TEMPLATE_INVALID' },
      step: 1,
    });
    expect((await runToEnd({ steps: [open, save] })).outcome).toMatchObject({
      error: { code: 'TEMPLATE_INVALID', message: expect.stringContaining('browser.profile') },
    });
    expect(gateway.all('profile.save')).toEqual([]);
  });

  test('repeats the request while the database of the gateway is unavailable', async () => {
    gateway.profiles.set('spec', { version: 1, state });
    const refusals = new Set(['profile.request', 'profile.save']);
    gateway.intercept = (message, socket) => {
      if (!('id' in message) || !refusals.delete(message.type)) return false;
      const error = new PilothouseError('INTERNAL', 'The gateway could not handle the message').view();
      socket.send(JSON.stringify({ type: 'rejected', id: message.id, error }));
      return true;
    };
    const { outcome } = await runToEnd({ browser: { profile: 'spec' }, steps: [open, save] });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(refusals.size).toBe(0);
    expect(gateway.profiles.get('spec')?.version).toBe(2);
  });

  describe('after a recovery', () => {
    const source = { browser: { profile: 'spec' }, steps: [open, save, open] };
    const completed = (step: number): Checkpoint => ({
      step,
      status: 'completed',
      epoch: 1,
      value: null,
      verifiable: false,
    });
    const surface = JSON.stringify({ v: 1, url: 'https://shop.example/orders' });

    test('a safe point replaces the profile', async () => {
      gateway.profiles.set('spec', { version: 1, state });
      const safePoint = { step: 2, state: serializeSafePoint({ surface, values: new Map() }) };
      const { outcome } = await runToEnd(source, { epoch: 2, checkpoints: [completed(0), completed(1)], safePoint });
      expect(outcome).toMatchObject({ status: 'completed' });
      expect(gateway.all('profile.request')).toEqual([]);
      expect(host.surfaces[0]?.options.profile).toBeUndefined();
      expect(host.surfaces[0]?.visitedUrls).toEqual(['https://shop.example/orders', 'https://shop.example/orders']);
    });

    test('without a safe point the run loads and saves the profile again', async () => {
      gateway.profiles.set('spec', { version: 1, state });
      const { outcome } = await runToEnd(source, { epoch: 2, checkpoints: [completed(0), completed(1)] });
      expect(outcome).toMatchObject({ status: 'completed' });
      expect(host.surfaces[0]?.options.profile).toEqual(state);
      expect(gateway.profiles.get('spec')?.version).toBe(2);
    });
  });
});
