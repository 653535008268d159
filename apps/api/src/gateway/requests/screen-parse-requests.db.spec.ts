import { until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';

/*
 * Requests for the elements of a screenshot over real sockets and Redis. An HTTP server answers as an OmniParser server
 * does.
 */
describe('the screen parser behind the gateway', () => {
  const harness = useGatewayHarness();
  let server: TestServer;
  /** Screenshots that the server received. */
  const screenshots: string[] = [];
  let status = 200;
  /** The server answers after it. */
  let gate: Promise<unknown> = Promise.resolve();
  let id = 0;

  beforeAll(async () => {
    server = new TestServer((request, response) => {
      void text(request).then((body) => {
        screenshots.push(Buffer.from((JSON.parse(body) as { base64_image: string }).base64_image, 'base64').toString());
        const box = { type: 'icon', bbox: [0.25, 0.5, 0.75, 1], interactivity: true, content: `${screenshots.length}` };
        void gate.then(() => response.writeHead(status).end(JSON.stringify({ parsed_content_list: [box] })));
      });
    });
    await server.start();
    harness.screenParserUrl = server.origin;
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    screenshots.length = 0;
    status = 200;
    gate = Promise.resolve();
  });

  async function createHolder(): Promise<{ worker: ProtocolWorker; attempt: Attempt }> {
    const worker = harness.worker();
    expect(await worker.connect()).toMatchObject({ hasScreenParser: true });
    const attempt = await worker.acceptAssignment(await harness.submit());
    return { worker, attempt };
  }

  async function parse({ worker, attempt }: Awaited<ReturnType<typeof createHolder>>, screenshot: string) {
    id += 1;
    const requestId = id;
    const jpeg = Buffer.from(screenshot).toString('base64');
    worker.send({ type: 'screen_parse.request', id: requestId, ...attempt, jpeg });
    return until('an answer', () =>
      worker.received.find(
        (message) =>
          (message.type === 'screen_parse.response' || message.type === 'rejected') && message.id === requestId,
      ),
    );
  }

  const count = async (result: string): Promise<number> => {
    const line = (await harness.screenParserMetrics.read()).body
      .split('\n')
      .find((each) => each.includes(`result="${result}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('parses a screenshot once, and counts hits and misses', async () => {
    const holder = await createHolder();
    const first = await parse(holder, 'one');
    expect(first).toMatchObject({
      elements: [{ kind: 'icon', name: '1', interactive: true, bounds: { x: 0.25, y: 0.5, width: 0.5, height: 0.5 } }],
    });
    expect(screenshots).toEqual(['one']);
    expect(await parse(await createHolder(), 'one')).toMatchObject({ elements: [{ name: '1' }] });
    expect(await parse(holder, 'two')).toMatchObject({ elements: [{ name: '2' }] });
    expect(screenshots).toEqual(['one', 'two']);
    expect([await count('hit'), await count('miss'), await count('failed')]).toEqual([1, 2, 0]);
  });

  it('counts a request that joins a parse in progress as a hit', async () => {
    const holder = await createHolder();
    const answered = Promise.withResolvers<undefined>();
    gate = answered.promise;
    const previousCounts = [await count('hit'), await count('miss')];
    const first = parse(holder, 'five');
    await until('the parser is asked', () => screenshots.length === 1);
    const second = parse(await createHolder(), 'five');
    const third = parse(holder, 'six');
    await until('the parser is asked again', () => screenshots.length === 2);
    answered.resolve(undefined);
    await Promise.all([first, second, third]);
    expect(screenshots).toEqual(['five', 'six']);
    expect([await count('hit'), await count('miss')]).toEqual([
      (previousCounts[0] ?? 0) + 1,
      (previousCounts[1] ?? 0) + 2,
    ]);
  });

  it('makes the key from the image, so that no worker stores elements for an image of another run', async () => {
    const hostile = await createHolder();
    const key = createHash('sha256').update('seven').digest('hex');
    const jpeg = Buffer.from('an image with a false button').toString('base64');
    id += 1;
    // An earlier worker named the key itself.
    hostile.worker.send({ type: 'screen_parse.request', id, ...hostile.attempt, key, jpeg } as never);
    await until('the false image is parsed', () => screenshots.length === 1);
    await parse(await createHolder(), 'seven');
    expect(screenshots).toEqual(['an image with a false button', 'seven']);
  });

  it('refuses with the reason when the parser fails, and asks again later', async () => {
    const holder = await createHolder();
    status = 500;
    expect(await parse(holder, 'three')).toMatchObject({
      type: 'rejected',
      error: { code: 'UNAVAILABLE', message: 'The screen parser answered with status 500' },
    });
    expect(await count('failed')).toBe(1);
    status = 200;
    expect(await parse(holder, 'three')).toMatchObject({ type: 'screen_parse.response' });
  });

  it('answers only the holder of a run', async () => {
    const { attempt } = await createHolder();
    const otherHolder = await createHolder();
    expect(await parse({ worker: otherHolder.worker, attempt }, 'four')).toMatchObject({
      type: 'rejected',
      error: { code: 'LEASE_LOST' },
    });
    expect(screenshots).toEqual([]);
  });
});
