import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { until } from '@pilothouse/testing/test-helpers';
import { buildAssignment, FLEET_TOKEN, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { countInMemory } from './testing/process-memory.fixture.ts';
import { testAuthority, authoritySignedSite } from './testing/test-certificates.fixture.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const bundle = join(root, 'dist/worker/main.js');

interface Row {
  pid: number;
  ppid: number;
  isZombie: boolean;
  program: string;
}

async function processes(): Promise<Row[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, ppid, stat = '', program = '']) => ({
      pid: Number(pid),
      ppid: Number(ppid),
      isZombie: stat.startsWith('Z'),
      program,
    }));
}

/** All descendants of a process. */
async function descendants(pid: number): Promise<Row[]> {
  const rows = await processes();
  const below = (parent: number): Row[] =>
    rows.filter(({ ppid }) => ppid === parent).flatMap((row) => [row, ...below(row.pid)]);
  return below(pid);
}

/** Waits until a program is among the descendants of a process. @returns all descendants */
const processIds = (program: string, parentId: number) =>
  until(`${program} runs`, async () => {
    const below = await descendants(parentId);
    return below.some((row) => row.program === program) && below;
  });

/** Waits until none of these processes is alive. */
const haveExited = (below: readonly Row[]) =>
  until('all are gone', async () => {
    const alive = (await processes()).filter(({ isZombie }) => !isZombie);
    return !below.some(({ pid }) => alive.some((row) => row.pid === pid));
  });

/** Reads the environment of a process, as any process of the same user can. */
async function expectNoToken(pid: number): Promise<void> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  expect(environment).not.toContain(FLEET_TOKEN);
  const names = environment.split('\0').filter((entry) => entry.startsWith('PILOTHOUSE_FLEET_TOKEN'));
  // The worker itself was told the number of the descriptor.
  expect(names.filter((entry) => entry !== 'PILOTHOUSE_FLEET_TOKEN_FD=3')).toEqual([]);
}

describe('the worker process', () => {
  let gateway: ScriptedGateway;
  let child: ChildProcess;
  let output: string;
  /** Resolves when no process holds the descriptor of the token. */
  let tokenClosed: Promise<unknown>;

  const start = (environment: Record<string, string>, token = FLEET_TOKEN) => {
    output = '';
    child = spawn(process.execPath, [bundle], { env: environment, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    const tokenPipe = child.stdio[3] as Duplex;
    // A worker that exits before it reads the token resets the pipe.
    tokenClosed = new Promise((resolve) => tokenPipe.resume().once('close', resolve));
    tokenPipe.on('error', () => undefined).end(token);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    return once(child, 'close') as Promise<[number | null, string | null]>;
  };
  const least = () => ({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    PILOTHOUSE_GATEWAY_URL: gateway.url,
    PILOTHOUSE_FLEET_TOKEN_FD: '3',
    // The page of the spec is on this machine.
    PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'private',
  });

  beforeAll(async () => {
    await run(process.execPath, ['scripts/build.ts', 'worker'], { cwd: root });
  });

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    gateway.files.objects.set('/hello', {
      body: Buffer.from('<title>Hi</title><h1>Hello</h1>'),
      contentType: 'text/html',
    });
  });

  afterEach(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await gateway.close();
  });

  test('with a gateway and a token only, it executes a run in a browser and leaves nothing behind', async () => {
    const processClosed = start(least());
    await gateway.until(() => gateway.all('ready').length > 0, `the worker comes up: ${output}`);
    const assignment = buildAssignment(
      {
        steps: [
          { action: 'navigate', url: `${gateway.url}/hello` },
          { action: 'extract', id: 'title', target: { role: 'heading' }, value: {} },
        ],
        output: { title: '{{steps.title.value}}' },
      },
      { capture: { screenshots: 'on', video: 'small' } },
    );
    gateway.assign(assignment);
    await gateway.until(() => gateway.log.outcome(assignment) !== undefined, 'the run ends');
    expect(gateway.log.outcome(assignment)).toEqual({ status: 'completed', output: { title: 'Hello' } });
    const kinds = gateway.all('upload.request').map(({ kind }) => kind);
    // No other place reports why a screenshot is missing.
    const missedScreenshots = output.split('\n').filter((line) => line.includes('screenshot before the action failed'));
    expect({ kinds, missed: missedScreenshots }).toEqual({ kinds: ['screenshot', 'screenshot', 'video'], missed: [] });
    expect(gateway.all('upload.done')).toHaveLength(3);
    // Headed if Xvfb is installed: it sends frames as in headless mode.
    const video = [...gateway.files.objects.values()].find(({ contentType }) => contentType === 'video/mp4');
    const file = join(tmpdir(), `worker-video-${process.pid}.mp4`);
    await writeFile(file, video?.body ?? '');
    expect(pixelsOf(file)).toMatchObject({ width: 640, height: 400 });
    await rm(file);
    const below = await descendants(child.pid!);
    expect(below.length).toBeGreaterThan(0);
    for (const pid of [child.pid!, ...below.map((row) => row.pid)]) await expectNoToken(pid);
    await tokenClosed;
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await processClosed).toEqual([0, null]);
    expect(gateway.all('bye')).toHaveLength(1);
    await haveExited(below);
  });

  test('it keeps a secret in memory while its run masks it, and no copy after the run', async () => {
    start({ ...least(), PILOTHOUSE_SURFACE: 'null' });
    await gateway.until(() => gateway.all('ready').length > 0, `the worker comes up: ${output}`);
    const secret = `pin-${randomBytes(12).toString('hex')}-Q`;
    gateway.secrets.set('pin', secret);
    const assignment = buildAssignment(
      {
        inputs: { pin: { type: 'string', secret: true } },
        steps: [
          { action: 'fill', target: { role: 'textbox' }, text: '{{inputs.pin}}' },
          { action: 'wait', seconds: 5 },
        ],
      },
      { secrets: ['pin'] },
    );
    gateway.assign(assignment);
    await gateway.until(
      () => gateway.log.of(assignment).some(({ type }) => type === 'step.completed'),
      'the secret is typed',
    );
    // The probe is not blind.
    expect(await countInMemory(child.pid!, secret)).toBeGreaterThan(0);
    await gateway.until(() => gateway.log.outcome(assignment) !== undefined, 'the run ends');
    await until('no copy is left', async () => (await countInMemory(child.pid!, secret)) === 0);
  });

  test('it trusts a configured authority for pages and requests', async () => {
    const server = createServer(authoritySignedSite, (_request, answer) =>
      answer.end('<title>Inside</title><h1>Inside</h1>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      for (const [trusted, status] of [
        [testAuthority, 'completed'],
        ['', 'failed'],
      ] as const) {
        const previousCount = gateway.all('ready').length;
        const processClosed = start({ ...least(), PILOTHOUSE_EXTRA_CA_CERTS: trusted, PILOTHOUSE_HEADLESS: 'true' });
        await gateway.until(() => gateway.all('ready').length > previousCount, `the worker comes up: ${output}`);
        const steps = [
          { action: 'http' as const, id: 'asked', url },
          { action: 'navigate' as const, url },
          { action: 'extract' as const, id: 'title', target: { role: 'heading' as const }, value: {} },
        ];
        const ofPage = buildAssignment({ steps: steps.slice(1), output: { title: '{{steps.title.value}}' } });
        const ofRequest = buildAssignment({
          steps: steps.slice(0, 1),
          output: { got: '{{steps.asked.value.status}}' },
        });
        for (const run of [ofPage, ofRequest]) {
          gateway.assign(run);
          await gateway.until(() => gateway.log.outcome(run) !== undefined, 'the run ends');
        }
        const [page, request] = [gateway.log.outcome(ofPage), gateway.log.outcome(ofRequest)];
        expect([page?.status, request?.status]).toEqual([status, status]);
        if (trusted) {
          expect([page, request]).toMatchObject([{ output: { title: 'Inside' } }, { output: { got: 200 } }]);
        } else {
          expect(JSON.stringify(page)).toContain('ERR_CERT_AUTHORITY_INVALID');
          expect(JSON.stringify(request)).toContain('unable to verify the first certificate');
        }
        child.kill('SIGTERM');
        await processClosed;
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Gives the worker an endless run with video. @returns its processes */
  async function filming() {
    await gateway.until(() => gateway.all('ready').length > 0, 'the worker comes up');
    const steps = [
      { action: 'navigate' as const, url: `${gateway.url}/hello` },
      { action: 'waitFor' as const, condition: { text: 'never' } },
    ];
    gateway.assign(buildAssignment({ steps }, { capture: { screenshots: 'none', video: 'small' } }));
    return processIds('ffmpeg', child.pid!);
  }

  test('after SIGKILL its browser and display end, and the next worker removes its files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'worker-'));
    const [work, temporary] = [join(folder, 'work'), join(folder, 'tmp')];
    await mkdir(temporary);
    const environment = { ...least(), PILOTHOUSE_WORKER_DATA_DIR: work, TMPDIR: temporary };
    try {
      const processClosed = start(environment);
      const below = await filming();
      child.kill('SIGKILL');
      await processClosed;
      await haveExited(below);
      const profile = expect.stringContaining('profile');
      expect(await readdir(join(work, `worker-${child.pid}`, 'tmp'))).toEqual(expect.arrayContaining([profile]));
      expect(await readdir(temporary)).toEqual([]);
      const readyCount = gateway.all('ready').length;
      const next = start(environment);
      await gateway.until(() => gateway.all('ready').length > readyCount, 'the next worker comes up');
      expect(await readdir(work)).toEqual([`worker-${child.pid}`]);
      child.kill('SIGTERM');
      await next;
      expect(await readdir(work)).toEqual([]);
      expect(await readdir(temporary)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('hung child processes of a killed worker are ended by the next worker', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'worker-'));
    const environment = { ...least(), PILOTHOUSE_WORKER_DATA_DIR: folder };
    try {
      const processClosed = start(environment);
      const below = await filming();
      // A stopped process does not detect the exit of its worker.
      const hangs = below.filter(({ program }) => /^(chromium|chrome|Xvfb|ffmpeg)$/.test(program));
      for (const { pid } of hangs) process.kill(pid, 'SIGSTOP');
      child.kill('SIGKILL');
      await processClosed;
      const readyCount = gateway.all('ready').length;
      const next = start(environment);
      await gateway.until(() => gateway.all('ready').length > readyCount, 'the next worker comes up');
      expect(output).toContain('orphaned processes of a dead worker killed');
      await haveExited(below);
      child.kill('SIGTERM');
      await next;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('reports missing settings', async () => {
    const [code] = await start({ PATH: '/usr/bin:/bin' });
    expect(code).toBe(2);
    expect(output).toContain('PILOTHOUSE_GATEWAY_URL is not set.');
    expect(output).toContain('PILOTHOUSE_FLEET_TOKEN_FILE is not set.');
  });

  test('reports an invalid fleet token, and exits', async () => {
    const [code] = await start({ ...least(), PILOTHOUSE_SURFACE: 'null' }, 'a-token-of-no-fleet-at-all');
    expect(code).toBe(1);
    expect(output).toContain('FLEET_TOKEN_INVALID');
    expect(output).toContain('PILOTHOUSE_FLEET_TOKEN_FILE');
    expect(output).not.toContain('a-token-of-no-fleet-at-all');
  });

  test('refuses a token in its environment', async () => {
    const [code] = await start({ ...least(), PILOTHOUSE_FLEET_TOKEN: FLEET_TOKEN });
    expect(code).toBe(2);
    expect(output).toMatch(/PILOTHOUSE_FLEET_TOKEN: .*set PILOTHOUSE_FLEET_TOKEN_FILE/);
    expect(output).not.toContain(FLEET_TOKEN);
    expect(gateway.connections).toBe(0);
  });

  test('reports a descriptor without a token', async () => {
    const [code] = await start(least(), '');
    expect(code).toBe(2);
    expect(output).toContain('PILOTHOUSE_FLEET_TOKEN_FD: its content is not a token');
  });

  test('it never starts a worker if the parent has already exited', async () => {
    // Its stdin is closed.
    const processClosed = start({ ...least(), PILOTHOUSE_SURFACE: 'null', PILOTHOUSE_EXIT_WITH_PARENT: 'true' });
    expect(await processClosed).toEqual([0, null]);
    expect(gateway.all('ready')).toEqual([]);
  });

  test('with a null surface it starts no browser', async () => {
    const processClosed = start({ ...least(), PILOTHOUSE_SURFACE: 'null', PILOTHOUSE_SLOTS: '1' });
    await gateway.until(() => gateway.all('ready').length > 0, 'the worker comes up');
    const assignment = buildAssignment({ steps: [{ action: 'navigate', url: 'https://portal.test/' }] });
    gateway.assign(assignment);
    await gateway.until(() => gateway.log.outcome(assignment) !== undefined, 'the run ends');
    child.kill('SIGINT');
    expect(await processClosed).toEqual([0, null]);
  });
});
