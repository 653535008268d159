import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventData, NewEvent } from '@pilothouse/contract/events/event-log.schema';
import type { StepStatus } from '@pilothouse/contract/run/run-status';
import type { Assignment, Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { NullSurfaceHost, type NullSurfaceScript } from '../surface/null.surface.ts';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';

type Source = Parameters<typeof buildAssignment>[0];

const open = (name: string) => ({ action: 'navigate' as const, url: `https://portal.test/${name}` });
const never = { action: 'waitFor' as const, condition: { text: 'never' } };
const stepsOf = (...names: string[]): Source => ({ steps: names.map(open) });

const lines: string[] = [];
const write = (facts: object, message: string) => void lines.push(JSON.stringify(facts) + message);
const log: Log = { debug: write, info: write, warn: write, error: write };

describe('a run over the wire', () => {
  let gateway: ScriptedGateway;
  let root: string;
  let host: NullSurfaceHost;
  let worker: Worker;

  const start = async (script: NullSurfaceScript = {}) => {
    host = new NullSurfaceHost(script);
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host, log });
    await gateway.until(() => gateway.all('ready').length > 0);
  };

  const assign = (source: Source, fields: Partial<Assignment> = {}): Assignment => {
    const assignment = buildAssignment(source, fields);
    gateway.assign(assignment);
    return assignment;
  };
  const waitForEnd = (run: Assignment) => gateway.until(() => gateway.log.outcome(run) !== undefined, 'the run ended');
  const typesOf = (events: readonly NewEvent[]) => events.map(({ type }) => type);
  const waitForFreeSlots = (free: number) =>
    gateway.until(() => gateway.all('ready').at(-1)?.freeSlots === free, `${free} are free`);
  const performedActions = () =>
    host.inputs.map(({ action }) => (action.action === 'navigate' ? action.url.split('/').at(-1) : action.action));

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-worker-spec-'));
    lines.length = 0;
  });

  afterEach(async () => {
    gateway.unanswered.clear();
    gateway.terminateConnections();
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  test('acts at once if the claim wrote the intent', async () => {
    await start();
    await gateway.until(() => gateway.all('renew').length > 0);
    const leaseCountsFrom = gateway.all('renew').at(-1)?.sentAt;
    gateway.unanswered.add('append');
    const run = assign(stepsOf('a', 'b'), { firstIntentWritten: true, leaseCountsFrom });
    await gateway.until(() => gateway.all('append').length > 0);
    expect(performedActions()).toEqual(['a']);
    expect(gateway.all('append')[0]?.events.map(({ sequence: n, type, data }) => [n, type, data.step])).toEqual([
      [2, 'step.completed', 0],
      [3, 'step.started', 1],
    ]);
    gateway.unanswered.clear();
    gateway.terminateConnections();
    await waitForEnd(run);
    expect(typesOf(gateway.log.of(run))).toEqual(['step.started', 'step.completed', 'step.started', 'step.completed']);
    expect(gateway.log.gaps).toEqual([]);
  });

  test('executes its steps and reports the outcome', async () => {
    await start();
    const run = assign(
      {
        inputs: { sku: { type: 'string' } },
        steps: [open('{{inputs.sku}}'), { action: 'extract', id: 'where', target: { css: 'body' }, value: {} }],
        output: { at: '{{steps.where.value}}' },
      },
      { inputs: { sku: 'HS-1' } },
    );
    await waitForEnd(run);
    // Its first message in the same turn also accepts the run.
    expect(gateway.all('accepted')).toEqual([]);
    expect(gateway.log.outcome(run)).toEqual({ status: 'completed', output: { at: 'https://portal.test/HS-1' } });
    const events = gateway.log.of(run);
    expect(typesOf(events)).toEqual(['step.started', 'step.completed', 'step.started', 'step.completed']);
    expect(events[0]).toMatchObject({
      sequence: 1,
      data: { step: 0, id: null, action: 'navigate', summary: expect.stringContaining('HS-1') },
    });
    expect(events[3]).toMatchObject({
      data: {
        step: 1,
        id: 'where',
        tier: 'replay',
        value: 'https://portal.test/HS-1',
        page: { url: 'https://portal.test/HS-1' },
      },
    });
    await waitForFreeSlots(2);
    expect(gateway.all('ready').map(({ freeSlots }) => freeSlots)).toEqual([2, 1, 2]);
    expect(host.surfaces.every(({ isClosed: closed }) => closed)).toBe(true);
    expect(await readdir(join(root, `worker-${process.pid}`))).toEqual([]);
  });

  test('no action starts before its intent is durable, and a step costs one round trip', async () => {
    const durable: number[] = [];
    await start({
      beforeAction: (action) => {
        const expectedStep = action.action === 'navigate' ? Number(action.url.split('/').at(-1)) : -1;
        const intents = [...gateway.log.of(run)].filter(({ type }) => type === 'step.started');
        durable.push(intents.length);
        expect(intents.at(-1)?.data['step']).toBe(expectedStep);
      },
    });
    const run = assign(stepsOf('0', '1', '2', '3', '4'));
    await waitForEnd(run);
    expect(durable).toEqual([1, 2, 3, 4, 5]);
    const appends = gateway
      .all('append')
      .map(({ events, outcome }) => [...typesOf(events), ...(outcome ? [outcome.status] : [])]);
    expect(appends).toEqual([
      ['step.started'],
      ...Array.from({ length: 4 }, () => ['step.completed', 'step.started']),
      ['step.completed', 'completed'],
    ]);
  });

  test('an intent that is not acknowledged delays the action', async () => {
    await start();
    gateway.unanswered.add('append');
    const run = assign(stepsOf('a'));
    await gateway.until(() => gateway.all('append').length === 1 && gateway.all('renew').length > 3);
    expect(host.inputs).toEqual([]);
    gateway.unanswered.clear();
    gateway.terminateConnections();
    await waitForEnd(run);
    expect(performedActions()).toEqual(['a']);
  });

  test('no action starts before the lease is held', async () => {
    await start();
    gateway.unanswered.add('renew');
    const run = assign(stepsOf('a'));
    await gateway.until(() => gateway.all('append').length === 1 && gateway.all('renew').length > 3);
    expect(host.inputs).toEqual([]);
    gateway.unanswered.clear();
    await waitForEnd(run);
    expect(performedActions()).toEqual(['a']);
  });

  test('a failed step ends the run, with the error and a screenshot', async () => {
    await start();
    const run = assign(
      { steps: [open('a'), { ...never, id: 'wait', timeout: 0.05 }, open('b')] },
      { capture: { screenshots: 'only-on-failure' } },
    );
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', step: 1, error: { code: 'CONDITION_NOT_MET' } });
    expect(typesOf(gateway.log.of(run))).toEqual(['step.started', 'step.completed', 'step.started', 'step.failed']);
    expect(gateway.all('upload.request')).toMatchObject([{ step: 1, kind: 'screenshot', name: '02-wait-failed.png' }]);
    expect(gateway.all('upload.done')).toHaveLength(1);
    expect(performedActions()).toEqual(['a']);
  });

  test('a postcondition is part of the step', async () => {
    await start();
    const run = assign({ steps: [{ ...open('a'), expect: { url: '/b' }, timeout: 0.05 }] });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', step: 0, error: { code: 'CONDITION_NOT_MET' } });
  });

  test('an unknown template name fails the step before it acts', async () => {
    await start();
    const run = assign({ steps: [open('a'), open('{{steps.a.value}}')] });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', step: 1, error: { code: 'TEMPLATE_INVALID' } });
    expect(typesOf(gateway.log.of(run))).toEqual(['step.started', 'step.completed', 'step.failed']);
  });

  test('an unexpected error of a surface fails only its run', async () => {
    await start({
      beforeAction: (action) => {
        if (action.action === 'navigate' && action.url.endsWith('bad')) throw new TypeError('undefined is not a page');
      },
    });
    const bad = assign(stepsOf('bad'));
    const good = assign(stepsOf('good'));
    await Promise.all([waitForEnd(bad), waitForEnd(good)]);
    expect(gateway.log.outcome(bad)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(gateway.log.outcome(good)).toMatchObject({ status: 'completed' });
  });

  test('a lost surface hands back its run, and no other', async () => {
    await start({
      beforeAction: (action, _context, surface) => {
        if (action.action === 'navigate' && action.url.endsWith('crash')) surface.crash();
      },
    });
    const crash = assign(stepsOf('crash'));
    const good = assign(stepsOf('good'));
    await waitForEnd(good);
    await gateway.until(() => gateway.all('handback').length === 1);
    expect(gateway.all('handback')[0]).toMatchObject({
      run: crash.run,
      error: { code: 'SURFACE_LOST', retry: 'new-worker' },
    });
    expect(gateway.log.outcome(crash)).toBeUndefined();
    await waitForFreeSlots(2);
  });

  test('a run that may not be recovered fails in its second attempt, and is not handed back', async () => {
    await start();
    const checkpoints = [{ step: 0, status: 'running' as const, epoch: 1, value: null, verifiable: false }];
    const run = assign({ ...stepsOf('good'), onWorkerLost: 'fail' }, { epoch: 2, checkpoints });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' }, step: 0 });
    expect(gateway.all('handback')).toEqual([]);
  });

  test('a cancellation ends a waiting step', async () => {
    await start();
    const run = assign({ steps: [never, open('b')] });
    await gateway.until(() => gateway.log.of(run).length === 1);
    gateway.broadcast({ type: 'cancel', run: run.run, epoch: 1 });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toEqual({ status: 'cancelled' });
    expect(gateway.log.of(run).at(-1)).toMatchObject({
      type: 'step.failed',
      data: { error: { code: 'RUN_CANCELLED' }, outcome: 'interrupted', effect: 'none' },
    });
    expect(performedActions()).toEqual([]);
  });

  test('the acknowledgement of a renewal can cancel, too', async () => {
    await start();
    const run = assign({ steps: [never] });
    await gateway.until(() => gateway.log.of(run).length === 1);
    gateway.cancelledAttempts.add(`${run.run}/1`);
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toEqual({ status: 'cancelled' });
  });

  test.each([
    ['steps', { steps: 2, usedSteps: 1, usedSeconds: 0 }, stepsOf('a', 'b'), 1, ['a']],
    [
      'time, in a waiting step',
      { seconds: 13, usedSteps: 0, usedSeconds: 10 },
      { steps: [open('a'), never] },
      1,
      ['a'],
    ],
    ['time, before the first step', { seconds: 10, usedSteps: 0, usedSeconds: 11 }, stepsOf('a'), 0, []],
  ])('an exceeded budget ends the run: %s', async (_, budget, source, step, expectedActions) => {
    await start();
    const run = assign(source, { budget });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', step, error: { code: 'BUDGET_EXCEEDED' } });
    expect(performedActions()).toEqual(expectedActions);
  });

  test('a lost run neither acts nor writes', async () => {
    await start();
    const run = assign({ steps: [open('a'), never, open('b')] });
    await gateway.until(() => gateway.log.of(run).length === 3);
    gateway.lostAttempts.add(`${run.run}/1`);
    gateway.broadcast({
      type: 'attempt.lost',
      run: run.run,
      epoch: 1,
      error: new PilothouseError('LEASE_LOST', 'taken over').view(),
    });
    await waitForFreeSlots(2);
    expect(performedActions()).toEqual(['a']);
    expect(gateway.log.outcome(run)).toBeUndefined();
    expect(gateway.log.of(run)).toHaveLength(3);
    expect(host.surfaces[0]!.isClosed).toBe(true);
  });

  test('a lapsed lease stops an action before its input; after a renewal it restarts', async () => {
    gateway.script.leaseMs = 500;
    let tries = 0;
    await start({
      beforeAction: async (_action, { signal }) => {
        tries += 1;
        if (tries > 1) return;
        gateway.unanswered.add('renew');
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const run = assign(stepsOf('a'));
    await gateway.until(() => tries === 1);
    const renewals = gateway.all('renew').length;
    await gateway.until(() => gateway.all('renew').length > renewals + 4);
    expect(host.inputs).toEqual([]);
    expect(host.surfaces[0]!.isClosed).toBe(false);
    gateway.unanswered.clear();
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect([tries, performedActions()]).toEqual([2, ['a']]);
    expect(typesOf(gateway.log.of(run))).toEqual(['step.started', 'step.completed']);
  });

  test('a lease that lapses between two inputs of an action hands the run back', async () => {
    gateway.script.leaseMs = 500;
    await start({
      beforeAction: async (_action, context) => {
        context.guard();
        gateway.unanswered.add('renew');
        const renewals = gateway.all('renew').length;
        await gateway.until(() => gateway.all('renew').length > renewals + 4);
        context.guard();
      },
    });
    const run = assign(stepsOf('a'));
    await gateway.until(() => gateway.all('handback').length === 1);
    expect(gateway.all('handback')[0]).toMatchObject({ run: run.run, error: { code: 'RUN_HANDED_BACK' } });
    expect(host.inputs).toEqual([]);
  });

  test('a press that the page blocked is not input: when the lease lapses then, the action restarts', async () => {
    gateway.script.leaseMs = 500;
    let tries = 0;
    await start({
      beforeAction: async (_action, context) => {
        tries += 1;
        context.guard();
        context.onNotSent?.();
        if (tries > 1) return;
        gateway.unanswered.add('renew');
        await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
      },
    });
    const run = assign(stepsOf('a'));
    await gateway.until(() => tries === 1);
    const renewals = gateway.all('renew').length;
    await gateway.until(() => gateway.all('renew').length > renewals + 4);
    gateway.unanswered.clear();
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(gateway.all('handback')).toEqual([]);
    expect([tries, performedActions()]).toEqual([2, ['a']]);
  });

  test('the connection may break anywhere: nothing is lost or duplicated', async () => {
    await start({
      beforeAction: (action) =>
        void (action.action === 'navigate' && action.url.endsWith('cut') && gateway.terminateConnections()),
    });
    const run = assign(stepsOf('a', 'cut', 'b', 'cut', 'c'));
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(performedActions()).toEqual(['a', 'cut', 'b', 'cut', 'c']);
    expect(gateway.log.of(run).map(({ sequence: n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(gateway.log.gaps).toEqual([]);
  });

  test('a secret is typed, and masked everywhere', async () => {
    const secret = 'p@ss "wörd" & 1';
    gateway.secrets.set('password', secret);
    await start({
      outcome: (action) =>
        action.action === 'extract'
          ? { value: { seen: `hello ${secret}`, base64: Buffer.from(secret).toString('base64') } }
          : undefined,
      beforeAction: (action, { log }) => log.info({ action: action.action }, `about to, with ${secret}`),
    });
    const run = assign(
      {
        inputs: { password: { type: 'string', secret: true } },
        steps: [
          open('login'),
          { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
          open(`next?p=${encodeURIComponent(secret)}`),
          { action: 'extract', id: 'page', target: { css: 'body' }, value: {} },
          { action: 'assert', condition: { text: `${secret} is gone` }, timeout: 0.05 },
        ],
      },
      { secrets: ['password'], capture: { screenshots: 'on' } },
    );
    await waitForEnd(run);
    expect(gateway.all('secret.request')).toMatchObject([{ name: 'password', origin: 'https://portal.test' }]);
    expect(host.inputs.map(({ typed }) => typed).filter((typed) => typed !== undefined)).toEqual([secret]);
    // A saved state contains the whole surface, including cookies. The gateway encrypts it, and only the next attempt reads it.
    const sentJson = JSON.stringify(gateway.received, (key, value: unknown) =>
      key === 'safePoint' ? undefined : value,
    );
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ]) {
      // Text of the workflow itself was known before; the page repeats it only after it was typed.
      expect(sentJson.includes(form)).toBe(false);
    }
    expect(gateway.log.of(run).find(({ data }) => data['id'] === 'page' && 'value' in data)?.data).toMatchObject({
      value: { seen: 'hello ••••', base64: '••••' },
    });
    expect(gateway.log.outcome(run)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('••••') },
    });
    expect(
      lines
        .filter((line) => line.includes('about to'))
        .slice(2)
        .join(''),
    ).not.toContain(secret);
  });

  test('a replaced value of a secret is masked, because a restored page may show it', async () => {
    gateway.secrets.set('password', 'value-after-rotation');
    gateway.formerSecrets.set('password', ['value-before-rotation']);
    await start({
      outcome: ({ action }) => (action === 'extract' ? { value: { seen: 'hello value-before-rotation' } } : undefined),
    });
    const run = assign(
      {
        inputs: { password: { type: 'string', secret: true } },
        steps: [
          open('login'),
          { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
          { action: 'extract', id: 'page', target: { css: 'body' }, value: {} },
        ],
      },
      { secrets: ['password'] },
    );
    await waitForEnd(run);
    expect(gateway.log.of(run).find(({ data }) => data['id'] === 'page' && 'value' in data)?.data).toMatchObject({
      value: { seen: 'hello ••••' },
    });
  });

  test('an upload never delays the next step, and the outcome waits for it', async () => {
    let release = (): void => undefined;
    const storeAvailable = new Promise<void>((resolve) => (release = resolve));
    gateway.files.script = async () => {
      await storeAvailable;
      return false;
    };
    await start();
    const run = assign(stepsOf('a', 'b', 'c'), { capture: { screenshots: 'on' } });
    await gateway.until(() => gateway.log.of(run).filter(({ type }) => type === 'step.completed').length === 3);
    expect(performedActions()).toEqual(['a', 'b', 'c']);
    expect(gateway.log.outcome(run)).toBeUndefined();
    expect(gateway.all('upload.request').length).toBeLessThanOrEqual(2);
    release();
    await waitForEnd(run);
    expect(gateway.all('upload.done')).toHaveLength(3);
    expect([...gateway.files.objects.values()].map(({ body }) => body.subarray(1, 4).toString())).toEqual([
      'PNG',
      'PNG',
      'PNG',
    ]);
  });

  test('an unavailable store is tried three times; then the run reports it and continues', async () => {
    let requestCount = 0;
    gateway.files.script = (_request, response) => {
      requestCount += 1;
      response.writeHead(503).end();
      return true;
    };
    await start();
    const run = assign({ steps: [{ action: 'screenshot', label: 'front page' }] });
    await waitForEnd(run);
    expect(requestCount).toBe(3);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    const event = gateway.log.of(run).find(({ type }) => type === 'run.log')!;
    expect(event).toMatchObject({ level: 'warn', message: expect.stringContaining('front page.png') });
    expect((event.data as EventData<'run.log'>).facts).toMatchObject({ code: 'UPLOAD_FAILED' });
  });

  test.each(['upload.request', 'upload.done'] as const)(
    'a gateway that is unavailable for %s gets it again, and the file is stored',
    async (type) => {
      let refusalCount = 0;
      gateway.intercept = (message, socket) => {
        if (message.type !== type || refusalCount === 2) return false;
        refusalCount += 1;
        const error = new PilothouseError('UNAVAILABLE', 'The database is away').view();
        socket.send(JSON.stringify({ type: 'rejected', id: message.id, error }));
        return true;
      };
      await start();
      const run = assign({ steps: [{ action: 'screenshot', label: 'front page' }] });
      await waitForEnd(run);
      expect(typesOf(gateway.log.of(run))).not.toContain('run.log');
      expect(gateway.all(type)).toHaveLength(3);
      expect(new Set(gateway.all('upload.done').map(({ artifact }) => artifact)).size).toBe(1);
      expect(gateway.files.objects.size).toBe(1);
    },
  );

  test('a file that was not uploaded is not requested again', async () => {
    gateway.intercept = (message, socket) => {
      if (message.type !== 'upload.done') return false;
      const error = new PilothouseError('UPLOAD_FAILED', 'It did not arrive at the object store').view();
      socket.send(JSON.stringify({ type: 'rejected', id: message.id, error }));
      return true;
    };
    await start();
    const run = assign({ steps: [{ action: 'screenshot', label: 'front page' }] });
    await waitForEnd(run);
    expect(gateway.all('upload.done')).toHaveLength(1);
    expect(gateway.log.of(run)).toContainEqual(expect.objectContaining({ type: 'run.log', level: 'warn' }));
  });

  test('a download is an artifact of the step, stored before the run ends', async () => {
    await start({
      beforeAction: async (action, _context, surface) => {
        if (action.action !== 'download') return;
        const path = join(surface.folder, 'list.csv');
        await mkdir(surface.folder, { recursive: true });
        await writeFile(path, 'a,b');
        surface.options.onFile?.({ kind: 'download', name: 'list.csv', contentType: 'text/csv', path, size: 3 });
      },
    });
    const run = assign({ steps: [open('a'), { action: 'download', target: { text: 'List' } }] });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(gateway.all('upload.request')).toMatchObject([
      { step: 1, kind: 'download', name: 'list.csv', contentType: 'text/csv', size: 3 },
    ]);
    expect([...gateway.files.objects.values()].map(({ body }) => body.toString())).toEqual(['a,b']);
  });

  test('the browser opens with the options of the workflow, with a masked secret', async () => {
    const secret = 'hush-hush-42';
    gateway.secrets.set('password', secret);
    await start();
    const run = assign(
      {
        ...stepsOf('a'),
        inputs: { language: { type: 'string' }, password: { type: 'string', secret: true } },
        browser: {
          locale: '{{inputs.language}}',
          httpCredentials: { origin: 'https://portal.test', username: 'robin', password: '{{inputs.password}}' },
        },
      },
      { inputs: { language: 'de-DE' }, secrets: ['password'] },
    );
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(host.surfaces[0]?.options.browser).toEqual({
      locale: 'de-DE',
      httpCredentials: { origin: 'https://portal.test', username: 'robin', password: secret },
    });
    expect(gateway.all('secret.request')).toMatchObject([{ name: 'password', origin: 'https://portal.test' }]);
    expect(JSON.stringify(gateway.log.of(run))).not.toContain(secret);
  });

  test('a file input is downloaded when a step uses it', async () => {
    const upload = randomUUID();
    gateway.uploads.set(upload, { name: '../order.pdf', contentType: 'application/pdf', size: 5 });
    gateway.files.objects.set(`/objects/${upload}`, { body: Buffer.from('%PDF-'), contentType: 'application/pdf' });
    let content = '';
    let path = '';
    await start({
      beforeAction: async (_action, { file }) => {
        path = await file(upload);
        content = await readFile(path, 'utf8');
      },
    });
    const run = assign({ steps: [{ action: 'upload', target: { label: 'Order' }, file: upload }] });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect([content, path.startsWith(root), path.split('/').at(-1)]).toEqual(['%PDF-', true, '.._order.pdf']);
  });

  test('the title of an upload has the name of the file', async () => {
    const upload = randomUUID();
    gateway.uploads.set(upload, { name: 'order.pdf', contentType: 'application/pdf', size: 5 });
    gateway.files.objects.set(`/objects/${upload}`, { body: Buffer.from('%PDF-'), contentType: 'application/pdf' });
    await start();
    const attach = { action: 'upload', target: { label: 'Order' }, file: upload } as const;
    const run = assign({ steps: [{ action: 'press', key: 'Enter' }, attach] });
    await waitForEnd(run);
    const intents = gateway.log.of(run).filter(({ type }) => type === 'step.started');
    expect(intents.at(-1)?.message).toBe('Attach order.pdf to “Order”');
    expect(JSON.stringify(intents)).not.toContain(upload);
  });

  test('a file of an unexpected size is refused', async () => {
    const upload = randomUUID();
    gateway.uploads.set(upload, { name: 'order.pdf', contentType: 'application/pdf', size: 4 });
    gateway.files.objects.set(`/objects/${upload}`, { body: Buffer.from('%PDF-'), contentType: 'application/pdf' });
    await start();
    const run = assign({ steps: [{ action: 'upload', target: { label: 'Order' }, file: upload }] });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', error: { code: 'UPLOAD_FAILED' } });
  });

  describe('a recovery', () => {
    const checkpointAt = (step: number, status: StepStatus, verifiable = false): Checkpoint => ({
      step,
      status,
      epoch: 1,
      value: null,
      verifiable,
    });
    const state = (name: string, values = {}) =>
      JSON.stringify({ surface: JSON.stringify({ v: 1, url: open(name).url }), values });
    const order = { action: 'click' as const, id: 'order', target: { text: 'Order' }, idempotent: false };
    const secondAttempt = (fields: Partial<Assignment>) => ({
      epoch: 2,
      checkpoints: [checkpointAt(0, 'completed'), checkpointAt(1, 'running')],
      ...fields,
    });
    const steps = [open('a'), open('b'), { ...open('c'), expect: { url: '/c' } }];
    const waitForQuestion = () =>
      gateway.until(() => gateway.all('append').some(({ question }) => question), 'a question');
    /** Addresses where surfaces were opened or sent, in order. */
    const surfacePaths = () =>
      host.surfaces.map(({ visitedUrls: restoredStates }) => restoredStates.map((url) => url.split('/').at(-1)));

    test('restarts without a safe point', async () => {
      await start();
      const run = assign({ steps }, secondAttempt({}));
      await waitForEnd(run);
      expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
      expect(performedActions()).toEqual(['a', 'b', 'c']);
    });

    test('continues at the safe point, with the values of earlier steps', async () => {
      await start();
      const run = assign(
        {
          steps: [{ ...open('a'), id: 'first' }, { ...open('b'), id: 'second' }, open('c')],
          output: ['{{steps.first.value}}', '{{steps.second.value}}'],
        },
        secondAttempt({
          checkpoints: [
            { ...checkpointAt(0, 'completed'), value: 'seen' },
            { ...checkpointAt(1, 'completed'), value: '••••' },
            checkpointAt(2, 'running'),
          ],
          safePoint: { step: 2, state: state('b', { 1: 'hidden' }) },
        }),
      );
      await waitForEnd(run);
      expect(gateway.log.outcome(run)).toEqual({ status: 'completed', output: ['seen', 'hidden'] });
      expect(surfacePaths()).toEqual([['b', 'c']]);
      expect(performedActions()).toEqual(['c']);
      expect(gateway.log.of(run)[0]).toMatchObject({
        type: 'run.log',
        message: expect.stringContaining('An earlier attempt was lost. This attempt continues with step 3'),
        data: { facts: { epoch: 2, step: 2, restored: true } },
      });
    });

    test('hands the run back when the lease lapses during the restore', async () => {
      gateway.script.leaseMs = 500;
      await start({
        beforeRestore: async () => {
          gateway.unanswered.add('renew');
          const renewals = gateway.all('renew').length;
          await gateway.until(() => gateway.all('renew').length > renewals + 4);
        },
      });
      const run = assign({ steps }, secondAttempt({ safePoint: { step: 2, state: state('b') } }));
      await gateway.until(() => gateway.all('handback').length === 1);
      expect(gateway.all('handback')[0]).toMatchObject({ run: run.run, error: { code: 'RUN_HANDED_BACK' } });
      expect(surfacePaths()).toEqual([[]]);
      gateway.unanswered.clear();
      const renewals = gateway.all('renew').length;
      await gateway.until(() => gateway.all('renew').length > renewals);
      expect(gateway.all('renew').at(-1)?.attempts).toEqual([]);
    });

    test('does not repeat a step whose postcondition holds', async () => {
      await start();
      const run = assign(
        { steps: [open('a'), { ...order, expect: { url: '/thanks' } }, open('c')] },
        secondAttempt({
          checkpoints: [checkpointAt(0, 'completed'), checkpointAt(1, 'running', true)],
          safePoint: { step: 1, state: state('thanks') },
        }),
      );
      await waitForEnd(run);
      expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
      expect(performedActions()).toEqual(['c']);
      expect(gateway.log.of(run).find(({ type }) => type === 'step.skipped')).toMatchObject({
        data: { step: 1, id: 'order' },
      });
      // The next recovery starts after it.
      const appends = gateway.all('append').filter(({ safePoint }) => safePoint);
      expect(appends[0]).toMatchObject({ safePoint: { step: 2, state: state('thanks') } });
    });

    test.each([
      ['continue', 'completed', ['c']],
      ['retry', 'completed', ['click', 'c']],
      ['fail', 'failed', []],
    ] as const)('asks a person, who answers %s', async (choice, status, expectedActions) => {
      await start();
      const run = assign(
        { steps: [open('a'), order, open('c')] },
        secondAttempt({ safePoint: { step: 1, state: state('a') } }),
      );
      await waitForQuestion();
      expect(gateway.all('append').at(-1)).toMatchObject({ question: { step: 1, id: 'order' } });
      expect(performedActions()).toEqual([]);
      gateway.answers.set(run.run, { step: 1, choice, answeredBy: 'Ada' });
      await waitForEnd(run);
      expect(gateway.log.outcome(run)).toMatchObject({ status });
      expect(performedActions()).toEqual(expectedActions);
    });

    describe('with a running step that has its own policy, after a completed non-repeatable step', () => {
      const click = { action: 'click' as const, target: { text: 'Confirm' } };
      const interruptedAt = (name: string) => ({
        checkpoints: [checkpointAt(0, 'completed'), checkpointAt(1, 'completed'), checkpointAt(2, 'running', true)],
        safePoint: { step: 1, state: state(name) },
      });

      test('fails when the policy says so', async () => {
        await start();
        const run = assign(
          { steps: [open('a'), order, { ...click, onInterrupted: 'fail' }] },
          secondAttempt(interruptedAt('a')),
        );
        await waitForEnd(run);
        expect(gateway.log.outcome(run)).toMatchObject({
          status: 'failed',
          error: { code: 'STEP_STATUS_UNKNOWN', details: { step: 2 } },
        });
        expect(performedActions()).toEqual([]);
      });

      test.each([
        ['continue', undefined, 'completed', ['c']],
        ['retry', 'continue', 'completed', ['click', 'c']],
        ['retry', 'retry', 'completed', ['click', 'click', 'c']],
        ['retry', 'fail', 'failed', []],
      ] as const)(
        'asks about the running step (%s), then about the completed one (%s)',
        async (first, then, status, expectedActions) => {
          await start();
          const steps = [open('a'), order, { ...click, onInterrupted: 'ask' as const }, open('c')];
          const run = assign({ steps }, secondAttempt(interruptedAt('a')));
          const waitForQuestionAbout = (step: number) =>
            gateway.until(() => gateway.all('append').some(({ question }) => question?.step === step), `step ${step}`);
          await waitForQuestionAbout(2);
          gateway.answers.set(run.run, { step: 2, choice: first, answeredBy: 'Ada' });
          if (then) {
            await waitForQuestionAbout(1);
            gateway.answers.set(run.run, { step: 1, choice: then, answeredBy: 'Ada' });
          }
          await waitForEnd(run);
          expect(gateway.log.outcome(run)).toMatchObject({ status, ...(status === 'failed' && { step: 1 }) });
          expect(performedActions()).toEqual(expectedActions);
        },
      );
    });

    test('on an empty surface repeats the earlier steps, except the completed one', async () => {
      await start();
      const second = { ...order, id: 'second' };
      const run = assign(
        { steps: [open('a'), order, open('b'), second, open('c')], onWorkerLost: 'restart' },
        secondAttempt({
          checkpoints: [
            checkpointAt(0, 'completed'),
            checkpointAt(1, 'completed'),
            checkpointAt(2, 'completed'),
            checkpointAt(3, 'running'),
          ],
          safePoint: { step: 3, state: state('b') },
          answer: { step: 3, choice: 'continue', answeredBy: 'Ada' },
        }),
      );
      await waitForEnd(run);
      expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
      expect(performedActions()).toEqual(['a', 'b', 'c']);
    });

    describe('on a desktop, which has no safe point', () => {
      const steps = [
        { action: 'openApp', app: 'mousepad' },
        { action: 'press', key: 'Enter' },
      ] as const;
      const lost = () =>
        secondAttempt({
          checkpoints: [checkpointAt(0, 'completed'), checkpointAt(1, 'completed'), checkpointAt(2, 'running')],
        });
      const desktop = { surface: 'desktop' as const, steps: [...steps, { action: 'observe' as const }] };

      test('asks about the last step that changed something', async () => {
        await start();
        assign(desktop, lost());
        await gateway.until(() => gateway.all('append').some(({ question }) => question), 'a question');
        expect(gateway.all('append').at(-1)).toMatchObject({ question: { step: 1 } });
        expect(performedActions()).toEqual([]);
      });

      test('begins again with the answer `retry`, and does the step no more with `continue`', async () => {
        await start();
        for (const [choice, expected] of [
          ['retry', ['openApp', 'press', 'observe']],
          ['continue', ['openApp', 'observe']],
        ] as const) {
          const previousCount = performedActions().length;
          const run = assign(desktop, { ...lost(), answer: { step: 1, choice, answeredBy: 'Ada' } });
          await waitForEnd(run);
          expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
          expect(performedActions().slice(previousCount)).toEqual(expected);
        }
      });

      test('applies onWorkerLost of the profile', async () => {
        await start();
        const restarted = assign({ ...desktop, desktop: { profile: { onWorkerLost: 'restart' } } }, lost());
        await waitForEnd(restarted);
        expect(gateway.log.outcome(restarted)).toMatchObject({ status: 'completed' });
        expect(performedActions()).toEqual(['openApp', 'press', 'observe']);
        const failed = assign({ ...desktop, desktop: { profile: { onWorkerLost: 'fail' } } }, lost());
        await waitForEnd(failed);
        expect(gateway.log.outcome(failed)).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' } });
      });
    });

    test('frees the slot after a while without an answer, and uses the answer in the next attempt', async () => {
      await start();
      const source = { steps: [open('a'), order, open('c')] };
      const secondFields = secondAttempt({ safePoint: { step: 1, state: state('a') } });
      const run = assign(source, { ...secondFields, questionHoldMs: 50 });
      await gateway.until(() => gateway.all('handback').length > 0, 'the run is handed back');
      expect(gateway.log.outcome(run)).toBeUndefined();
      const messages = gateway.log.of(run).map(({ message }) => message);
      expect(messages).toContain('Asked a person about step 2');
      const next = assign(source, {
        ...secondFields,
        run: run.run,
        epoch: 3,
        answer: { step: 1, choice: 'retry', answeredBy: 'Ada' },
      });
      await waitForEnd(next);
      expect(performedActions()).toEqual(['click', 'c']);
    });

    test('waiting for a person does not count as time of the run', async () => {
      await start();
      const run = assign(
        { steps: [open('a'), order, open('c')], timeout: 3 },
        secondAttempt({ safePoint: { step: 1, state: state('a') } }),
      );
      await waitForQuestion();
      const startedAt = performance.now();
      await gateway.until(() => performance.now() - startedAt > 3_200);
      gateway.answers.set(run.run, { step: 1, choice: 'continue', answeredBy: 'Ada' });
      await waitForEnd(run);
      expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    });

    test('safe points are sent with events: after navigations, not after input', async () => {
      await start();
      const click = { action: 'click' as const, target: { text: 'Next' } };
      const extract = { action: 'extract' as const, target: { css: 'p' }, value: {} };
      const run = assign({ steps: [open('a'), extract, click, open('b'), order, extract] });
      await waitForEnd(run);
      const safePoints = gateway.all('append').flatMap(({ safePoint }) => (safePoint ? [safePoint] : []));
      const states = safePoints.flatMap(({ state }) =>
        state === undefined ? [] : [JSON.parse(state).surface as string],
      );
      expect(states.map((text) => new URL(JSON.parse(text).url as string).pathname)).toEqual(['/a', '/b']);
      // The state before a non-repeatable step is durable with its intent.
      const intent = gateway.all('append').find(({ events }) => events.some(({ data }) => data['step'] === 4));
      expect(intent).toMatchObject({ safePoint: { step: 4 } });
    });

    test('reports in the intent whether the postcondition already holds', async () => {
      await start();
      const run = assign({
        steps: [open('a'), { ...open('b'), expect: { url: '/b' } }, { ...open('b'), expect: { url: '/b' } }],
      });
      await waitForEnd(run);
      const intents = gateway.log.of(run).filter(({ type }) => type === 'step.started');
      expect(intents.map(({ data }) => data['verifiable'] ?? false)).toEqual([false, true, false]);
    });
  });

  test('text of a page may contain characters that PostgreSQL does not store', async () => {
    await start({ outcome: (action) => (action.action === 'extract' ? { value: 'a\0b\uD800c' } : undefined) });
    const run = assign({
      steps: [{ action: 'extract', id: 'x', target: { css: 'p' }, value: {} }],
      output: '{{steps.x.value}}',
    });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toEqual({ status: 'completed', output: 'a\uFFFDb\uFFFDc' });
  });

  test('a value that is too large for an event fails its step', async () => {
    await start({
      outcome: (action) => (action.action === 'extract' ? { value: 'x'.repeat(2_000_000) } : undefined),
    });
    const run = assign({ steps: [{ action: 'extract', target: { css: 'p' }, value: {} }] });
    await waitForEnd(run);
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', step: 0, error: { code: 'EXTRACTION_FAILED' } });
  });
});
