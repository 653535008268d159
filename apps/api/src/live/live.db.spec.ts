import { randomUUID } from 'node:crypto';
import { WORKER_PROTOCOL, type Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../testing/protocol-worker.fixture.ts';
import { latestValue, mjpegStream } from './frame-stream.ts';

/** Start of a JPEG with a frame header of 2 by 1 pixels. */
const JPEG_HEAD = Buffer.from('ffd8ffc0000b080001000201011100', 'hex');

describe('live view of a run', () => {
  const harness = useGatewayHarness();
  const { worker, workerElsewhere, openFrameRelay: viewsOn, submit } = harness;

  const acceptAttempt = async (protocolWorker: ProtocolWorker): Promise<Attempt> => {
    await protocolWorker.connect();
    return protocolWorker.acceptAssignment(await submit());
  };
  const openBulkChannel = async (second: ProtocolWorker, session = ''): Promise<ProtocolWorker> => {
    await second.open();
    second.send({ type: 'bulk.hello', protocol: WORKER_PROTOCOL, session });
    return second;
  };
  const sendFrame = (second: ProtocolWorker, attempt: Attempt, text: string) =>
    second.send({
      type: 'screencast.frame',
      ...attempt,
      jpeg: Buffer.concat([JPEG_HEAD, Buffer.from(text)]).toString('base64'),
    });
  /** Frames of a viewer, as texts. */
  const watch = (
    run: string,
    signal: AbortSignal,
    views = viewsOn(),
    framesPerSecond = 25,
  ): { received: string[]; ended: Promise<void> } => {
    const received: string[] = [];
    const ended = (async () => {
      for await (const frame of views.watch(run, signal, framesPerSecond, 60_000))
        received.push(frame.subarray(JPEG_HEAD.length).toString());
    })();
    return { received, ended };
  };

  it('works through one replica while its worker uses two others', async () => {
    const watched = worker();
    const attempt = await acceptAttempt(watched);
    const second = await openBulkChannel(workerElsewhere(), watched.session);
    const stop = new AbortController();
    const { received, ended } = watch(attempt.run, stop.signal);
    expect(await watched.waitFor('screencast.request')).toMatchObject({
      ...attempt,
      durationMs: 10_000,
      resendCurrent: true,
    });
    sendFrame(second, attempt, 'red');
    await until('it is seen', () => received.at(-1) === 'red');
    sendFrame(second, attempt, 'blue');
    await until('it is seen', () => received.at(-1) === 'blue');
    expect(received).toEqual(['red', 'blue']);
    stop.abort();
    await ended;
    expect(await watched.waitFor('screencast.request', ({ durationMs }) => durationMs === 0)).toMatchObject(attempt);
  });

  it('shows the current frames to a later viewer without asking the worker', async () => {
    const watched = worker();
    const attempt = await acceptAttempt(watched);
    const second = await openBulkChannel(worker(), watched.session);
    const [stop, stopSecond] = [new AbortController(), new AbortController()];
    const views = viewsOn();
    const first = watch(attempt.run, stop.signal, views);
    await watched.waitFor('screencast.request');
    sendFrame(second, attempt, 'red');
    await until('it is seen', () => first.received.length === 1);
    const later = watch(attempt.run, stopSecond.signal, views);
    await until('it is seen', () => later.received.length === 1);
    expect(views.size).toBe(2);
    stop.abort();
    await first.ended;
    // One viewer remains.
    expect(
      watched.received.filter((message) => message.type === 'screencast.request' && message.durationMs === 0),
    ).toEqual([]);
    sendFrame(second, attempt, 'blue');
    await until('it is seen', () => later.received.at(-1) === 'blue');
    stopSecond.abort();
    await later.ended;
    expect(views.size).toBe(0);
  });

  it('requests the highest frame rate of all viewers from the worker', async () => {
    const watched = worker();
    const attempt = await acceptAttempt(watched);
    const stops = [new AbortController(), new AbortController()] as const;
    const views = viewsOn();
    const slow = watch(attempt.run, stops[0].signal, views, 1);
    expect(await watched.waitFor('screencast.request')).toMatchObject({ framesPerSecond: 1 });
    const fast = watch(attempt.run, stops[1].signal, views, 25);
    expect(await watched.waitFor('screencast.request', ({ framesPerSecond }) => framesPerSecond === 25)).toMatchObject({
      durationMs: 10_000,
    });
    for (const stop of stops) stop.abort();
    await Promise.all([slow.ended, fast.ended]);
  });

  it('ignores frames that a worker sends for a run it does not hold', async () => {
    const [firstWorker, secondWorker] = [worker(), worker()];
    const attempt = await acceptAttempt(firstWorker);
    await secondWorker.connect();
    const stop = new AbortController();
    const { received, ended } = watch(attempt.run, stop.signal);
    await firstWorker.waitFor('screencast.request');
    for (const [second, wrong] of [
      [await openBulkChannel(worker(), secondWorker.session), attempt],
      [await openBulkChannel(worker(), randomUUID()), attempt],
      [await openBulkChannel(worker(), firstWorker.session), { ...attempt, epoch: attempt.epoch + 1 }],
    ] as const) {
      sendFrame(second, wrong, 'forged');
      expect(await second.waitFor('rejected')).toMatchObject({ run: attempt.run, error: { code: 'LEASE_LOST' } });
    }
    const holder = await openBulkChannel(worker(), firstWorker.session);
    const page = Buffer.from('<script>alert(1)</script>').toString('base64');
    holder.send({ type: 'screencast.frame', ...attempt, jpeg: page });
    expect(await holder.waitFor('rejected')).toMatchObject({ error: { code: 'VALIDATION_FAILED' } });
    sendFrame(holder, attempt, 'true');
    await until('it is seen', () => received.length === 1);
    expect(received).toEqual(['true']);
    stop.abort();
    await ended;
  });
});

test('a slow viewer gets the newest frame, and the last one again while nothing changes', async () => {
  const stop = new AbortController();
  const frames = latestValue<number>();
  const received = frames.iterate(stop.signal, 1);
  [1, 2, 3].forEach((frame) => frames.push(frame));
  expect((await received.next()).value).toBe(3);
  expect((await received.next()).value).toBe(3);
  frames.push(4);
  expect((await received.next()).value).toBe(4);
  stop.abort();
  expect((await received.next()).done).toBe(true);
});

test('frames are parts of one response, each followed by the head of the next', async () => {
  const parts: string[] = [];
  const frames = (async function* () {
    yield Buffer.from('abc');
    yield Buffer.from('d');
  })();
  const { contentType, chunks } = mjpegStream(frames, 'boundary');
  for await (const part of chunks) parts.push(part.toString());
  const next = '--boundary\r\nContent-Type: image/jpeg\r\n\r\n';
  expect(contentType).toBe('multipart/x-mixed-replace; boundary=boundary');
  expect(mjpegStream(frames).contentType).not.toBe(mjpegStream(frames).contentType);
  expect(parts).toEqual([next, `abc\r\n${next}`, `d\r\n${next}`]);
});
