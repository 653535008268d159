import { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Politeness } from '@pilothouse/contract/project/politeness.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

/*
 * Site limits across two API replicas with a worker each, compared with the ledger of the demo site.
 */
describe('site limits', () => {
  let stack: Stack;
  let host: string;
  beforeAll(async () => {
    stack = await Stack.start();
    host = new URL(stack.site.url).host;
    const replica = await stack.addReplica();
    await stack.addWorker({ PILOTHOUSE_GATEWAY_URL: `${replica.replace(/^http/, 'ws')}/v1/gateway` });
  });
  afterAll(() => stack?.stop());

  const setPoliteness = (politeness: Politeness | null) =>
    // The demo site redirects robots.txt to the login page, which counts as a visit.
    stack.client.json('/v1/projects/current', {
      method: 'PATCH',
      body: { politeness: politeness && { ...politeness, robots: 'ignore' } },
    });
  const visits = async (since = 0) =>
    (await stack.site.ledger('visit')).filter(({ n, path }) => n > since && pages.includes(path));
  const pages = ['/', '/login', '/public/widgets/frame'];
  const lastVisit = async () => (await visits()).at(-1)?.n ?? 0;
  const open = (path: string, times: number) =>
    Array.from({ length: times }, () => ({ action: 'navigate', url: `${stack.site.url}${path}` }));
  const eventsOf = async (id: string, type: string) =>
    (await stack.client.events(id)).filter((event) => event.type === type);
  /** Start of the first step of these runs, which precedes every permit. */
  const waitForFirstStep = async (...runs: { id: string }[]) => {
    const events = await Promise.all(runs.map(({ id }) => eventsOf(id, 'step.started')));
    return Math.min(...events.map(([first]) => Date.parse(first?.at ?? '')));
  };

  test('the page rate of a site follows the project limit across workers', async () => {
    const { client } = stack;
    const since = await lastVisit();
    await setPoliteness({ limits: [{ domain: host, requestsPerMinute: 120 }] });
    const runs = await Promise.all(Array.from({ length: 6 }, () => client.submit({ steps: open('/', 2) })));
    for (const { id } of runs) expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    const times = (await visits(since)).map(({ at }) => Date.parse(at));
    expect(times).toHaveLength(12);
    // One per half second, with a tolerance for rounding.
    const first = await waitForFirstStep(...runs);
    for (const [index, time] of times.entries()) expect(time - first).toBeGreaterThanOrEqual(index * 500 - 50);
    const workers = new Set(
      (await Promise.all(runs.map(({ id }) => eventsOf(id, 'run.assigned')))).flat().map(({ data }) => data.worker),
    );
    expect(workers.size).toBe(2);
    const limitEvents = (await Promise.all(runs.map(({ id }) => eventsOf(id, 'site_limit.passed')))).flat();
    expect(limitEvents.length).toBeGreaterThanOrEqual(8);
    expect(limitEvents[0]?.data).toMatchObject({
      scope: 'project',
      domain: host,
      limit: 'requestsPerMinute',
      max: 120,
      step: expect.any(Number),
    });
  });

  test('the workflow limits concurrent runs on a site', async () => {
    const { client } = stack;
    const since = await lastVisit();
    await setPoliteness(null);
    const runs = await Promise.all(
      pages.map((path) =>
        client.submit({
          definition: {
            name: 'one-by-one',
            steps: open(path, 4),
            politeness: { limits: [{ domain: host, maxConcurrentRuns: 1 }], robots: 'ignore' },
          },
        }),
      ),
    );
    for (const { id } of runs) expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    const openedPaths = (await visits(since)).map(({ path }) => path);
    expect(openedPaths).toHaveLength(12);
    // Visits of two runs do not interleave.
    expect(openedPaths.filter((path, index) => path !== openedPaths[index - 1]).length).toBe(3);
  });

  test('a waiting run can be canceled and has a budget', async () => {
    const { client } = stack;
    // Another host name, without earlier visits.
    await setPoliteness({ limits: [{ domain: '127.0.0.1', requestsPerMinute: 0.1 }] });
    const first = await client.submit({ steps: open('/', 1) });
    expect(await client.waitForEnd(first.id)).toMatchObject({ status: 'completed' });
    const since = await lastVisit();
    const patient = await client.submit({ steps: open('/', 1) });
    const hasty = await client.submit({ steps: open('/', 1), budget: { seconds: 1.5 } });
    const waiting = await client.waitForEvent(patient.id, ({ type }) => type === 'site_limit.waiting');
    expect(waiting.message).toMatch(/^Waiting: the project allows 0\.1 pages a minute on 127\.0\.0\.1/);
    expect(await client.waitForEnd(hasty.id)).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    await client.cancel(patient.id);
    expect(await client.waitForEnd(patient.id)).toMatchObject({ status: 'cancelled' });
    expect(await visits(since)).toEqual([]);
  });

  test('navigation by a click is counted after it, a request before it', async () => {
    const { client, site } = stack;
    const since = await lastVisit();
    await setPoliteness({ limits: [{ domain: host, requestsPerMinute: 60 }] });
    const { id } = await client.submit({
      steps: [
        { action: 'navigate', url: `${site.url}/` },
        { action: 'click', target: { text: 'Log in to order' }, expect: { url: '/login' } },
        { action: 'http', url: `${site.url}/public/widgets/frame` },
        {
          action: 'parallel',
          branches: {
            one: { action: 'http', url: `${site.url}/` },
            two: { action: 'http', url: `${site.url}/login` },
          },
        },
      ],
    });
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    const times = (await visits(since)).map(({ at }) => Date.parse(at));
    expect(times).toHaveLength(5);
    const first = await waitForFirstStep({ id });
    expect((times[2] ?? 0) - first).toBeGreaterThanOrEqual(2000 - 50);
    // Two concurrent requests waited for one permit each.
    expect((times[3] ?? 0) - first).toBeGreaterThanOrEqual(4000 - 50);
    expect((await eventsOf(id, 'site_limit.passed')).map(({ data }) => data.step)).toContain(2);
  });

  test('two runs that use the sites of each other do not deadlock', async () => {
    const { client, site } = stack;
    const sites = [site.url, site.url.replace('127.0.0.1', 'localhost')];
    await setPoliteness({ limits: sites.map((url) => ({ domain: new URL(url).host, maxConcurrentRuns: 1 })) });
    // Responds when both have their page.
    const waiting: ServerResponse[] = [];
    const meeting = new TestServer((_, answer) => {
      waiting.push(answer);
      if (waiting.length === 2) for (const response of waiting) response.end('met');
    });
    await meeting.start();
    const meet = `${meeting.origin}/`;
    const runs = await Promise.all(
      [sites, sites.toReversed()].map(([page, robotsSite]) =>
        client.submit({
          steps: [
            { action: 'navigate', url: `${page}/` },
            { action: 'http', url: meet },
            { action: 'http', url: `${robotsSite}/` },
          ],
        }),
      ),
    );
    for (const { id } of runs) expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    // One waited for the other, which had both sites.
    const limitEvents = (await Promise.all(runs.map(({ id }) => eventsOf(id, 'site_limit.passed')))).flat();
    expect(limitEvents.some(({ data }) => data.limit === 'maxConcurrentRuns' && data.step === 2)).toBe(true);
    await meeting.stop();
  });

  test('reports a robots.txt rule once, and opens the page anyway', async () => {
    const { client } = stack;
    const requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
    const server = new TestServer(({ url, headers }, answer) => {
      requests.push({ url, headers });
      if (url === '/robots.txt') answer.end('User-agent: *\nDisallow: /\n\nUser-agent: shopper\nDisallow: /private\n');
      else answer.writeHead(200, { 'content-type': 'text/html' }).end('<title>Shop</title>');
    });
    await server.start();
    const shop = server.origin;
    const run = async (politeness?: Politeness) => {
      const { id } = await client.submit({
        definition: {
          name: 'shop',
          browser: { userAgent: 'Shopper/1.0 (+https://shopper.example)' },
          politeness,
          steps: ['/open', '/private/1?token=hush', '/private/2'].flatMap((path) => [
            { action: 'navigate', url: `${shop}${path}` },
            { action: 'http', url: `${shop}${path}` },
          ]),
        },
      });
      expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
      return (await eventsOf(id, 'run.log')).filter(({ message }) => message.startsWith('robots.txt'));
    };
    const fetched = () => requests.filter(({ url }) => url === '/robots.txt').length;
    await setPoliteness(null);
    expect(await run()).toEqual([]);
    expect(await run({ robots: 'ignore' })).toEqual([]);
    expect(fetched()).toBe(0);
    const [note, ...otherNotes] = await run({ robots: 'report' });
    expect(otherNotes).toEqual([]);
    expect(note).toMatchObject({
      level: 'warn',
      message: `robots.txt of ${new URL(shop).host} disallows /private/1 (Disallow: /private)`,
      data: { facts: { origin: shop, path: '/private/1', rule: 'Disallow: /private', step: 2 } },
    });
    expect(JSON.stringify(note)).not.toContain('hush');
    expect(fetched()).toBe(1);
    expect([...new Set(requests.map(({ headers }) => headers['user-agent']))]).toEqual([
      'Shopper/1.0 (+https://shopper.example)',
    ]);
    await server.stop();
  });

  test('limits hold while Redis is unavailable, and no run fails', async () => {
    const { client } = stack;
    const since = await lastVisit();
    await setPoliteness({ limits: [{ domain: host, requestsPerMinute: 60 }] });
    const { id } = await client.submit({ steps: open('/', 4) });
    await until('the site was opened', async () => (await visits(since)).length > 0 || undefined);
    await stack.redis.stop();
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    const times = (await visits(since)).map(({ at }) => Date.parse(at));
    expect((times[3] ?? 0) - (await waitForFirstStep({ id }))).toBeGreaterThanOrEqual(3000 - 500);
  });
});
