import { runViewSchema } from '@pilothouse/contract/run/run.schema';
import { startSocks } from '@pilothouse/testing/socks-proxy';
import { createServer, type AddressInfo, type Server as Tcp } from 'node:net';
import { Stack } from './harness/stack.ts';

/*
 * Egress of runs end to end: the lists of project, workflow and run, and a proxy with a password. The demo site is on localhost;
 * its IP address is on no list.
 */
describe('the egress of a run', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack?.stop());
  const allow = (hosts: string[] | null) =>
    stack.client.json('/v1/projects/current', { method: 'PATCH', body: { egress: { allow: hosts } } });
  afterEach(() => allow(null));

  const home = () => stack.site.url.replace('127.0.0.1', 'localhost');
  const refusals = async (run: string) =>
    (await stack.client.events(run)).flatMap(({ type, data }) => (type === 'egress.blocked' ? [data] : []));

  test('a host that the project does not allow is blocked, with an error and an event', async () => {
    const { client, site } = stack;
    await allow(['localhost']);
    const ok = await client.submit({ steps: [{ action: 'navigate', url: `${home()}/` }] });
    expect(await client.waitForEnd(ok.id)).toMatchObject({ status: 'completed' });
    const { id } = await client.submit({ steps: [{ action: 'navigate', url: `${site.url}/?token=hush` }] });
    const port = Number(new URL(site.url).port);
    expect(await client.waitForEnd(id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'EGRESS_BLOCKED',
        message: `127.0.0.1:${port} was refused: it is not on the allow list of the project`,
      },
    });
    expect(await refusals(id)).toEqual([{ host: '127.0.0.1', port, rule: 'project', address: '127.0.0.1', step: 0 }]);
  });

  test('the lists of a workflow and of a run narrow further', async () => {
    const { client, site } = stack;
    const steps = [{ action: 'navigate', url: `${site.url}/` }];
    const definition = { name: 'narrow', steps, egress: { allow: ['localhost'] } };
    const byWorkflow = await client.submit({ definition });
    expect(await client.waitForEnd(byWorkflow.id)).toMatchObject({ error: { code: 'EGRESS_BLOCKED' } });
    const byRun = await client.submit({ steps, egress: { allow: ['*.example.com'] } });
    expect(await client.waitForEnd(byRun.id)).toMatchObject({ error: { code: 'EGRESS_BLOCKED' } });
    expect((await refusals(byWorkflow.id)).concat(await refusals(byRun.id))).toMatchObject([
      { rule: 'workflow' },
      { rule: 'run' },
    ]);
    const free = await client.submit({ steps });
    expect(await client.waitForEnd(free.id)).toMatchObject({ status: 'completed' });
  });

  test('a worker without private egress blocks the demo site', async () => {
    const { client, site } = stack;
    await Promise.all(stack.workers.splice(0).map((worker) => worker.stop()));
    await stack.addWorker({ PILOTHOUSE_EGRESS_ALLOW_PRIVATE: '' });
    const { id } = await client.submit({ steps: [{ action: 'navigate', url: `${site.url}/` }] });
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'failed', error: { code: 'EGRESS_BLOCKED' } });
    expect(await refusals(id)).toMatchObject([{ rule: 'private-address', address: '127.0.0.1' }]);
    await Promise.all(stack.workers.splice(0).map((worker) => worker.stop()));
    await stack.addWorker();
  });

  test('a run uses its proxy, whose password is not stored', async () => {
    const { client } = stack;
    const heads: string[] = [];
    const proxy: Tcp = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        heads.push(data.toString());
        const body = '<title>Through</title><h1>Through the proxy</h1>';
        socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const password = 'upstream-pass-4711';
    const { id } = await client.submit({
      steps: [{ action: 'navigate', url: 'http://far.example/', expect: { title: 'Through' } }],
      egress: { proxy: { server, username: 'ann', password } },
    });
    const endedRun = await client.waitForEnd(id);
    expect(endedRun).toMatchObject({ status: 'completed', egress: { proxy: { server, username: 'ann' } } });
    const basic = Buffer.from(`ann:${password}`).toString('base64');
    expect(heads[0]).toMatch(/^GET http:\/\/far\.example\/ HTTP\/1\.1\r\n/);
    expect(heads[0]).toContain(`Proxy-Authorization: Basic ${basic}\r\n`);
    const retriedRun = runViewSchema.parse(await client.json(`/v1/runs/${id}/retry`, { method: 'POST' }));
    expect(await client.waitForEnd(retriedRun.id)).toMatchObject({ status: 'completed' });
    proxy.close();
    for (const text of Object.values(await stack.dumpStoredData())) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(basic);
    }
    expect(JSON.stringify([endedRun, await client.events(id)])).not.toContain(password);
  });

  test('a run uses a SOCKS5 proxy with a password, for pages and requests', async () => {
    const { client, site } = stack;
    const password = 'socks-pass-4711';
    const port = Number(new URL(site.url).port);
    const proxy = await startSocks({ user: { name: 'ann', password }, lead: () => ({ port }) });
    try {
      const server = `socks5://127.0.0.1:${proxy.port}`;
      const submit = (username: string) =>
        client.submit({
          steps: [
            { action: 'navigate', url: 'http://far.example/login', expect: { title: 'Log in' } },
            { action: 'http', url: 'http://far.example/healthz' },
          ],
          egress: { proxy: { server, username, password } },
        });
      const { id } = await submit('ann');
      expect(await client.waitForEnd(id)).toMatchObject({
        status: 'completed',
        egress: { proxy: { server, username: 'ann' } },
      });
      expect(new Set(proxy.destinations)).toEqual(new Set(['far.example:80']));
      const otherRun = await submit('bob');
      expect(await client.waitForEnd(otherRun.id)).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('rejected the user name and password') },
      });
      for (const text of Object.values(await stack.dumpStoredData())) expect(text).not.toContain(password);
      const long = { server, username: 'ann', password: 'x'.repeat(256) };
      const rejection = client.submit({ steps: [{ action: 'goBack' }], egress: { proxy: long } });
      await expect(rejection).rejects.toThrow(/255 bytes/);
    } finally {
      await proxy.close();
    }
  });
});
