import { environmentOf, processTree } from './harness/process-tree.ts';
import { searchPath } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';

describe('a worker', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start({ workers: 0 });
  });
  afterAll(() => stack?.stop());

  test('executes a run with only a PATH, the gateway and the file of its token, and has no key', async () => {
    const { client, site } = stack;
    const settings = { PATH: searchPath(), ...stack.workerSettings() };
    const worker = await stack.startWorker('bare', settings);
    const { id } = await client.submit({
      steps: [
        { action: 'navigate', url: `${site.url}/` },
        { id: 'heading', action: 'extract', target: { role: 'heading', name: 'Everything a vessel needs' }, value: {} },
        { action: 'screenshot' },
      ],
    });
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    expect(await client.artifacts(id)).toHaveLength(1);

    const environments = await Promise.all(
      (await processTree(worker.pid)).map(({ pid }) => environmentOf(pid).catch(() => '')),
    );
    expect(environments.length).toBeGreaterThan(1);
    const [workerEnvironment = ''] = environments;
    expect(namesIn(workerEnvironment)).toEqual(Object.keys(settings).sort());

    const { adminKey, redisPassword } = stack.secrets;
    const database = new URL(stack.database.url);
    const keys = [
      adminKey,
      redisPassword,
      stack.secrets.fleetToken,
      database.password,
      database.pathname.slice(1),
      stack.redis.url,
      stack.objects,
    ];
    for (const child of environments.slice(1)) expect(namesIn(child)).not.toContain('PILOTHOUSE_FLEET_TOKEN_FILE');
    for (const environment of environments) {
      for (const key of keys.filter((secret) => secret.length > 3)) expect(environment).not.toContain(key);
      expect(namesIn(environment).filter((name) => /DATABASE|REDIS|S3_|OBJECTS|MASTER|ADMIN/.test(name))).toEqual([]);
    }
    // Its log does not contain the token either.
    expect(worker.lines.join('\n')).not.toContain(stack.secrets.fleetToken);
  });

  test('exits with an error after its token is rejected', async () => {
    const worker = await stack.startWorker('stranger', {
      PATH: searchPath(),
      ...stack.workerSettings(),
      ...stack.workerToken('pf_wrong-wrong-wrong-wrong-wrong'),
      PILOTHOUSE_SURFACE: 'null',
    });
    await worker.waitForExit('it is refused');
    expect(worker.lines.join('\n')).toContain('FLEET_TOKEN_INVALID');
  });
});

const namesIn = (environment: string) =>
  environment
    .split('\n')
    .map((line) => line.split('=')[0] ?? '')
    .filter(Boolean)
    .sort();
