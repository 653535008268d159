import { createEvent, type EventDraft } from '@pilothouse/contract/events/event-log.schema';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { MAX_ASSIGNMENT_CHARS, MESSAGE_CHUNK_CHARS } from '@pilothouse/contract/worker/assignment.schema';
import { systemClock, type Log } from '@pilothouse/core/ports/runtime.port';
import { until } from '@pilothouse/testing/test-helpers';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AttemptLink } from './attempt-link.ts';
import type { AssignmentOffer } from './gateway-session.ts';
import { connectToGateway, type GatewayLink, type GatewayLinkOptions } from './gateway-link.ts';
import { buildAssignment } from './testing/build-assignment.ts';
import { FLEET_TOKEN, ScriptedGateway } from './testing/scripted-gateway.ts';

const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const step = { action: 'navigate' as const, url: 'https://portal.test/' };
const fact = (message: string): EventDraft => createEvent('run.log', message, { facts: {} }, new Date());
const question: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: 'Be brief',
  messages: [{ role: 'user', parts: [{ text: 'Which?' }] }],
};
const answer: ModelAnswer = {
  text: 'This',
  calls: [],
  finish: 'stop',
  provider: 'scripted',
  model: 'spec',
  usage: { inputTokens: 5, outputTokens: 1, cachedTokens: 0 },
  usd: null,
  durationMs: 1,
};
const deadlineContext = () => ({ signal: AbortSignal.timeout(30_000), deadline: systemClock.monotonic() + 30_000 });

describe('the link of a worker', () => {
  let gateway: ScriptedGateway;
  let stop: AbortController;
  let link: GatewayLink;
  let offers: AssignmentOffer[];
  let drains: number;

  const connect = (overrides: Partial<GatewayLinkOptions> = {}) => {
    link = connectToGateway({
      url: gateway.url,
      token: FLEET_TOKEN,
      hello: () => ({
        name: 'spec',
        incarnation: '018f3c1e-7b1a-7c3e-8a5f-0123456789ab',
        version: '0',
        surface: 'browser',
        slots: 2,
        host: 'here',
        pid: process.pid,
      }),
      clock: systemClock,
      log: silentLog,
      signal: stop.signal,
      random: () => 0.1,
      validateOutgoing: true,
      onOffer: (offer) => void offers.push(offer),
      onDrain: () => void (drains += 1),
      onWelcome: () => undefined,
      ...overrides,
    });
    return link;
  };

  /** Connects, and accepts one run. */
  const connectAndAccept = async (overrides: Partial<GatewayLinkOptions> = {}): Promise<AttemptLink> => {
    const attempts: AttemptLink[] = [];
    connect({ onOffer: (offer) => void attempts.push(offer.accept()), ...overrides });
    link.ready(1);
    await gateway.until(() => gateway.all('ready').length > 0);
    gateway.assign(buildAssignment({ steps: [step] }));
    await gateway.until(() => gateway.all('accepted').length > 0);
    return attempts[0]!;
  };

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    stop = new AbortController();
    offers = [];
    drains = 0;
  });

  afterEach(async () => {
    stop.abort();
    await link.completion.catch(() => undefined);
    await gateway.close();
  });

  test('sends hello, is accepted, and reports its free slots', async () => {
    connect();
    link.ready(2);
    await gateway.until(() => gateway.all('ready').length === 1);
    expect(gateway.all('hello')[0]).toMatchObject({ protocol: 2, attempts: [], worker: { name: 'spec', slots: 2 } });
    expect(gateway.all('ready')).toEqual([{ type: 'ready', freeSlots: 2, assignmentsReceived: 0 }]);
  });

  test('ends with a clear error when the fleet token is invalid', async () => {
    connect({ token: 'not-the-token-of-any-fleet' });
    await expect(link.completion).rejects.toMatchObject({
      code: 'FLEET_TOKEN_INVALID',
      message: expect.stringContaining('PILOTHOUSE_FLEET_TOKEN_FILE'),
    });
    expect(gateway.connections).toBe(0);
  });

  test('uses the session key after the exchange of its join token, also on the bulk channel', async () => {
    gateway.exchangesToken = true;
    gateway.model = () => answer;
    const image = { contentType: 'image/jpeg' as const, data: Buffer.from('a').toString('base64') };
    const requestWithImage = { ...question, messages: [{ role: 'user' as const, parts: [{ image }] }] };
    const attempt = await connectAndAccept();
    gateway.terminateConnections();
    await gateway.until(() => gateway.all('hello').length === 2, 'it is welcomed with its key');
    expect(await attempt.callModel(0, requestWithImage, deadlineContext())).toMatchObject({ text: 'This' });
    expect(gateway.bulkChannels).toBe(1);
    const [first, second] = gateway.all('hello');
    expect(second?.sessionKeyHash).toBe(first?.sessionKeyHash);
  });

  test('ends when the gateway refuses the join', async () => {
    gateway.intercept = (message, socket) => {
      const error = { code: 'JOIN_REFUSED' as const, message: 'The join token was used', retry: 'no' as const };
      if (message.type === 'hello') socket.send(JSON.stringify({ type: 'rejected', error }));
      return true;
    };
    connect();
    await expect(link.completion).rejects.toMatchObject({ code: 'JOIN_REFUSED', message: 'The join token was used' });
    expect(gateway.connections).toBe(1);
  });

  test('ends with a clear error when the protocol version differs', async () => {
    gateway.intercept = (message, socket) => {
      const error = { code: 'PROTOCOL_VERSION' as const, message: 'Version 2 is spoken here', retry: 'no' as const };
      if (message.type === 'hello') socket.send(JSON.stringify({ type: 'rejected', error }));
      return true;
    };
    connect();
    await expect(link.completion).rejects.toMatchObject({
      code: 'PROTOCOL_VERSION',
      message: 'Version 2 is spoken here',
    });
  });

  test('retries while the gateway is not ready', async () => {
    gateway.script.refusalStatus = 503;
    let attempts = 0;
    gateway.files.server.on('upgrade', () => (attempts += 1) === 3 && (gateway.script.refusalStatus = undefined));
    connect();
    await gateway.until(() => gateway.all('hello').length === 1);
    expect(attempts).toBeGreaterThanOrEqual(3);
  });

  test('ignores unknown messages and keeps the connection', async () => {
    connect();
    link.ready(1);
    await gateway.until(() => gateway.all('ready').length === 1);
    for (const socket of gateway.sockets) {
      socket.send('not json');
      socket.send(JSON.stringify({ type: 'from.the.future', x: 1 }));
      socket.send(JSON.stringify({ type: 'assign', assignment: { run: 'no' } }));
    }
    link.ready(0);
    await gateway.until(() => gateway.all('ready').length === 2);
    expect(gateway.connections).toBe(1);
    expect(offers).toHaveLength(0);
  });

  test('reassembles interleaved chunks, and drops a message that is too long', async () => {
    connect();
    link.ready(2);
    await gateway.until(() => gateway.all('ready').length === 1);
    const long = buildAssignment({ steps: [step] }, { inputs: { text: '😀"\\'.repeat(300_000) } });
    const text = JSON.stringify({ type: 'assign', assignment: long });
    const short = buildAssignment({ steps: [step] });
    const [endless, type] = ['x'.repeat(MESSAGE_CHUNK_CHARS), 'chunk' as const];
    for (let count = 0; count * MESSAGE_CHUNK_CHARS <= MAX_ASSIGNMENT_CHARS; count += 1)
      gateway.broadcast({ type, message: 1, text: endless, isLast: false });
    // Between the two halves of a character.
    const split = text.indexOf('😀') + 1;
    for (
      let start = 0, end = split;
      start < text.length;
      start = end, end = Math.min(text.length, start + MESSAGE_CHUNK_CHARS)
    ) {
      gateway.broadcast({ type, message: 2, text: text.slice(start, end), isLast: end === text.length });
      if (start === 0) gateway.assign(short);
    }
    await until('both are offered', () => offers.length === 2);
    expect(offers.map(({ assignment }) => assignment.run)).toEqual([short.run, long.run]);
    expect(offers[1]?.assignment).toEqual(long);
    expect(gateway.connections).toBe(1);
  });

  test('appends resolve when durable, and entries of one tick are sent together', async () => {
    const attempt = await connectAndAccept();
    await Promise.all([attempt.append([fact('a')]), attempt.append([fact('b'), fact('c')])]);
    expect(gateway.all('append').map(({ events }) => events.map(({ sequence: n }) => n))).toEqual([[1, 2, 3]]);
    await attempt.append([fact('d')], { status: 'completed', output: { total: 1 } });
    expect(gateway.log.outcome(attempt.attempt)).toEqual({ status: 'completed', output: { total: 1 } });
    await gateway.until(() => gateway.all('renew').at(-1)?.attempts.length === 0, 'the attempt is over');
  });

  test('a run is accepted by the first events of its attempt, else by a message, and before it is handed back', async () => {
    const attempts: AttemptLink[] = [];
    let durable: Promise<void> | undefined;
    connect({
      onOffer: (offer) => {
        const attempt = offer.accept();
        attempts.push(attempt);
        if (attempts.length === 1) durable = attempt.append([fact('a')]);
        if (attempts.length === 2) attempt.handback({ code: 'SURFACE_LOST', message: 'gone', retry: 'new-worker' });
      },
    });
    link.ready(3);
    await gateway.until(() => gateway.all('ready').length > 0);
    for (let run = 0; run < 3; run += 1) gateway.assign(buildAssignment({ steps: [step] }));
    await gateway.until(() => gateway.all('accepted').length === 2);
    await durable;
    const messages = gateway.received.flatMap((message) =>
      'run' in message ? [`${message.type} ${nameOf(message.run)}`] : [],
    );
    expect(messages.toSorted()).toEqual(['accepted second', 'accepted third', 'append first', 'handback second']);
    expect(messages.indexOf('accepted second')).toBeLessThan(messages.indexOf('handback second'));

    function nameOf(run: string | undefined) {
      return ['first', 'second', 'third'][attempts.findIndex(({ attempt }) => attempt.run === run)];
    }
  });

  test('after a lost connection only events that are not durable are sent again', async () => {
    const attempt = await connectAndAccept();
    await attempt.append([fact('a')]);
    // The second is written, but the connection breaks before its acknowledgement.
    gateway.intercept = (message, socket) => {
      if (message.type !== 'append') return false;
      gateway.log.write(message);
      gateway.intercept = () => false;
      gateway.unanswered.add('append');
      socket.send(JSON.stringify({ type: 'cut' }));
      return true;
    };
    const second = attempt.append([fact('b')]);
    await gateway.until(() => gateway.log.of(attempt.attempt).length === 2);
    const third = attempt.append([fact('c')]);
    await gateway.until(() => gateway.all('append').length === 3);
    gateway.unanswered.clear();
    gateway.terminateConnections();
    await Promise.all([second, third]);
    expect(gateway.log.of(attempt.attempt).map(({ sequence: n, message }) => [n, message])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    expect([gateway.log.gaps, gateway.log.duplicateCount]).toEqual([[], 0]);
    const hello = gateway.all('hello').at(-1)!;
    expect(hello.attempts).toEqual([attempt.attempt]);
    expect(hello.session).toBeDefined();
  });

  test('queued events are sent in one message, within the window', async () => {
    gateway.script.maxUnackedEvents = 10;
    gateway.unanswered.add('append');
    const attempt = await connectAndAccept();
    const appends = Array.from({ length: 35 }, (_, index) => attempt.append([fact(String(index))]));
    await gateway.until(() => gateway.all('append').length === 1);
    expect(gateway.all('append')[0]!.events).toHaveLength(10);
    await gateway.until(() => gateway.all('renew').length > 2);
    expect(gateway.all('append')).toHaveLength(1);
    gateway.unanswered.clear();
    gateway.terminateConnections();
    await Promise.all(appends);
    expect(gateway.log.of(attempt.attempt)).toHaveLength(35);
    expect(Math.max(...gateway.all('append').map(({ events }) => events.length))).toBeLessThanOrEqual(10);
  });

  test('an event that is too large for a message is refused, and the next one is sent', async () => {
    const attempt = await connectAndAccept();
    await expect(
      attempt.append([createEvent('run.log', 'big', { facts: { text: 'x'.repeat(2_000_000) } }, new Date())]),
    ).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    await attempt.append([fact('small')]);
    expect(gateway.log.of(attempt.attempt).map(({ sequence: n, message }) => [n, message])).toEqual([[1, 'small']]);
  });

  test('an attempt that the gateway does not know is lost, with its appends and requests', async () => {
    const attempt = await connectAndAccept();
    gateway.unanswered.add('append').add('secret.request');
    const append = attempt.append([fact('a')]);
    const secret = attempt.request(
      'secret.request',
      { name: 'password', origin: 'https://portal.test' },
      deadlineContext(),
    );
    await gateway.until(() => gateway.all('secret.request').length === 1 && gateway.all('append').length === 1);
    gateway.lostAttempts.add(`${attempt.attempt.run}/1`);
    gateway.terminateConnections();
    await expect(append).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(secret).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(attempt.lossSignal.aborted).toBe(true);
    expect(() => attempt.lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
    await expect(attempt.append([fact('b')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('an attempt that a renewal does not name is lost', async () => {
    const attempt = await connectAndAccept();
    await attempt.lease.waitUntilHeld(stop.signal);
    gateway.lostAttempts.add(`${attempt.attempt.run}/1`);
    await once(attempt.lossSignal, 'abort');
    expect(attempt.lossSignal.reason).toMatchObject({ code: 'LEASE_LOST' });
  });

  test('a renewal without the lease of a just ended run does not affect it', async () => {
    const attempt = await connectAndAccept();
    gateway.unanswered.add('append');
    const end = attempt.append([fact('a')], { status: 'completed', output: null });
    await gateway.until(() => gateway.all('append').length === 1);
    gateway.lostAttempts.add(`${attempt.attempt.run}/1`);
    const renewals = gateway.all('renew').length;
    await gateway.until(() => gateway.all('renew').length > renewals + 2);
    gateway.broadcast({ type: 'append.ack', ...attempt.attempt, sequence: 1, isFinal: true, leaseRenewed: false });
    await end;
    expect(attempt.lossSignal.aborted).toBe(false);
  });

  test('a request is repeated on the next connection, and refusals become errors', async () => {
    const attempt = await connectAndAccept();
    gateway.secrets.set('password', 'pst');
    gateway.unanswered.add('secret.request');
    const secret = attempt.request(
      'secret.request',
      { name: 'password', origin: 'https://portal.test' },
      deadlineContext(),
    );
    await gateway.until(() => gateway.all('secret.request').length === 1);
    gateway.unanswered.clear();
    gateway.terminateConnections();
    await expect(secret).resolves.toMatchObject({ value: 'pst' });
    expect(new Set(gateway.all('secret.request').map(({ id }) => id)).size).toBe(1);
    await expect(attempt.request('file.request', { upload: randomUUID() }, deadlineContext())).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a request without a response ends at its deadline, or with its signal', async () => {
    const attempt = await connectAndAccept();
    gateway.unanswered.add('secret.request');
    const body = { name: 'password', origin: 'https://portal.test' };
    const shortContext = { signal: stop.signal, deadline: systemClock.monotonic() + 30 };
    await expect(attempt.request('secret.request', body, shortContext)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const abort = new AbortController();
    const response = attempt.request('secret.request', body, { ...deadlineContext(), signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(response).rejects.toThrow('enough');
  });

  test('a model responds through the gateway, with the image as it was sent', async () => {
    const attempt = await connectAndAccept();
    gateway.model = ({ step, request }) => ({ ...answer, text: `step ${step}: ${JSON.stringify(request)}` });
    const image = { contentType: 'image/jpeg' as const, data: Buffer.from('an image').toString('base64') };
    const request = { ...question, messages: [{ role: 'user' as const, parts: [{ text: 'Which?' }, { image }] }] };
    const { text } = await attempt.callModel(3, request, deadlineContext());
    expect(text).toBe(`step 3: ${JSON.stringify(request)}`);
    expect(gateway.all('model.request')[0]).toMatchObject({ ...attempt.attempt, step: 3 });
    expect(gateway.all('model.request')[0]?.timeoutMs).toBeLessThanOrEqual(29_500);
  });

  test('the screen parser of the gateway finds elements, over the bulk channel', async () => {
    const element = { kind: 'icon' as const, name: 'Save', interactive: true };
    gateway.parseScreen = (jpeg) => [{ ...element, name: `of ${jpeg}`, bounds: { x: 0, y: 0, width: 1, height: 1 } }];
    const { screenParser, attempt } = await connectAndAccept();
    expect(screenParser.isAvailable).toBe(true);
    expect(await screenParser.parse({ jpeg: Buffer.from('a screenshot') }, deadlineContext())).toMatchObject([
      { name: 'of a screenshot' },
    ]);
    expect(gateway.all('screen_parse.request')).toMatchObject([attempt]);
    expect(gateway.bulkChannels).toBe(1);
    const jpeg = Buffer.alloc(3_000_001);
    await expect(screenParser.parse({ jpeg }, deadlineContext())).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  test('a gateway without a screen parser is not asked', async () => {
    expect((await connectAndAccept()).screenParser.isAvailable).toBe(false);
  });

  describe('images for models', () => {
    const image = (text: string) => ({
      image: { contentType: 'image/jpeg' as const, data: Buffer.from(text).toString('base64') },
    });
    const requestWithImages = (...texts: string[]) => ({
      ...question,
      messages: [{ role: 'user' as const, parts: [{ text: 'Which?' }, ...texts.map(image)] }],
    });
    /** Model requests, complete and as sent over the connection. */
    const completeRequests: unknown[] = [];
    const sentParts = () => gateway.all('model.request').map(({ request }) => request.messages[0]?.parts.slice(1));
    beforeEach(() => {
      completeRequests.length = 0;
      gateway.model = ({ request }) => {
        completeRequests.push(request);
        return answer;
      };
    });

    test('use the bulk channel, and each is sent once', async () => {
      const attempt = await connectAndAccept();
      await attempt.callModel(0, question, deadlineContext());
      expect(gateway.bulkChannels).toBe(0);
      for (const texts of [['a'], ['a', 'b'], ['b', 'c', 'a']])
        await attempt.callModel(0, requestWithImages(...texts), deadlineContext());
      expect(gateway.bulkChannels).toBe(1);
      expect(gateway.all('bulk.hello')).toMatchObject([{ session: expect.any(String) }]);
      expect(sentParts().slice(1)).toEqual([
        [image('a')],
        [{ sentImage: 0 }, image('b')],
        // Of the previous request only.
        [{ sentImage: 1 }, image('c'), { sentImage: 0 }],
      ]);
      expect(completeRequests.slice(1)).toEqual([
        requestWithImages('a'),
        requestWithImages('a', 'b'),
        requestWithImages('b', 'c', 'a'),
      ]);
    });

    test('do not delay a cancel, which uses the main socket', async () => {
      const attempt = await connectAndAccept();
      await attempt.callModel(0, requestWithImages('a'), deadlineContext());
      const [first, second] = gateway.sockets;
      // The gateway stops reading the bulk channel.
      second?.pause();
      const abort = new AbortController();
      const response = attempt.callModel(0, requestWithImages('b'.repeat(900_000)), {
        ...deadlineContext(),
        signal: abort.signal,
      });
      const cancelled = once(attempt.lease.endSignal, 'abort', { signal: AbortSignal.timeout(60_000) });
      first?.send(JSON.stringify({ type: 'cancel', ...attempt.attempt }));
      await cancelled;
      expect(attempt.lease.endSignal.reason).toMatchObject({ code: 'RUN_CANCELLED' });
      await attempt.append([fact('next')]);
      abort.abort(new Error('enough'));
      await expect(response).rejects.toThrow('enough');
    });

    test('are sent again on the next connection', async () => {
      const attempt = await connectAndAccept();
      await attempt.callModel(0, requestWithImages('a'), deadlineContext());
      gateway.unanswered.add('model.request');
      const response = attempt.callModel(0, requestWithImages('a', 'b'), deadlineContext());
      await gateway.until(() => gateway.all('model.request').length === 2);
      gateway.unanswered.clear();
      gateway.sockets[1]?.terminate();
      await response;
      expect(sentParts()).toEqual([[image('a')], [{ sentImage: 0 }, image('b')], [image('a'), image('b')]]);
      expect(gateway.bulkChannels).toBe(2);
      expect(attempt.lossSignal.aborted).toBe(false);
    });

    test('share the channel with frames for viewers, of which the last one waits for it to open', async () => {
      const attempt = await connectAndAccept();
      const screencastRequests: unknown[] = [];
      attempt.onScreencastRequest((request) => screencastRequests.push(request));
      const message = { type: 'screencast.request', ...attempt.attempt, durationMs: 10_000, resendCurrent: true };
      gateway.sockets[0]?.send(JSON.stringify(message));
      await gateway.until(() => screencastRequests.length === 1, 'the request of a viewer arrives');
      expect(screencastRequests).toMatchObject([{ durationMs: 10_000, resendCurrent: true }]);
      const receivedFrames = () =>
        gateway.all('screencast.frame').map(({ jpeg }) => Buffer.from(jpeg, 'base64').toString());
      for (const frame of ['one', 'two', 'three']) await attempt.sendFrame(Buffer.from(frame));
      await gateway.until(() => receivedFrames().length === 1, 'the last frame arrives');
      await attempt.sendFrame(Buffer.from('four'));
      await gateway.until(() => receivedFrames().length === 2, 'the next frame arrives');
      expect([receivedFrames(), gateway.bulkChannels]).toEqual([['three', 'four'], 1]);
      // A refused frame does not affect the attempt or its requests.
      const error = { code: 'LEASE_LOST', message: 'Not yours', retry: 'no' };
      gateway.sockets[1]?.send(JSON.stringify({ type: 'rejected', ...attempt.attempt, error }));
      await attempt.callModel(0, requestWithImages('a'), deadlineContext());
      expect([attempt.lossSignal.aborted, gateway.bulkChannels]).toEqual([false, 1]);
    });

    test('close their idle channel, and open it again', async () => {
      const attempt = await connectAndAccept({ bulkIdleMs: 1 });
      await attempt.callModel(0, requestWithImages('a'), deadlineContext());
      await gateway.until(() => gateway.sockets.length === 1, 'the bulk channel is closed');
      await attempt.callModel(0, requestWithImages('a'), deadlineContext());
      expect(gateway.bulkChannels).toBe(2);
    });

    test('a gateway without bulk channels refuses it, and requests fail at once', async () => {
      const attempt = await connectAndAccept();
      gateway.intercept = ({ type }, socket) => {
        if (type !== 'bulk.hello') return false;
        const error = { code: 'PROTOCOL_INVALID' as const, message: 'hello first', retry: 'no' as const };
        socket.send(JSON.stringify({ type: 'rejected', error }));
        return true;
      };
      gateway.unanswered.add('model.request');
      await expect(attempt.callModel(0, requestWithImages('a'), deadlineContext())).rejects.toMatchObject({
        code: 'PROTOCOL_INVALID',
      });
    });
  });

  test('a model request that is too large for a message is not sent', async () => {
    const attempt = await connectAndAccept();
    const image = { contentType: 'image/jpeg' as const, data: 'A'.repeat(1_400_000) };
    const parts = [{ image }, { image }, { image }];
    const response = attempt.callModel(0, { ...question, messages: [{ role: 'user', parts }] }, deadlineContext());
    await expect(response).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(gateway.all('model.request')).toHaveLength(0);
  });

  test('a refusal of an abandoned request does not affect the attempt', async () => {
    const attempt = await connectAndAccept();
    gateway.unanswered.add('model.request');
    const abort = new AbortController();
    const response = attempt.callModel(0, question, { ...deadlineContext(), signal: abort.signal });
    await gateway.until(() => gateway.all('model.request').length === 1);
    abort.abort(new Error('enough'));
    await expect(response).rejects.toThrow('enough');
    const [{ id } = { id: 0 }] = gateway.all('model.request');
    const error = { code: 'MODEL_REFUSED' as const, message: 'Blocked', retry: 'no' as const };
    gateway.broadcast({ type: 'rejected', id, ...attempt.attempt, error });
    await attempt.append([fact('next')]);
    expect(attempt.lossSignal.aborted).toBe(false);
  });

  test('a frozen gateway is detected within two renewals and a second', async () => {
    connect();
    link.ready(1);
    await gateway.until(() => gateway.all('ready').length === 1);
    const frozenAt = performance.now();
    gateway.freeze();
    await gateway.until(() => gateway.connections === 2);
    expect(performance.now() - frozenAt).toBeLessThan(2 * gateway.script.renewMs + 10_000);
  });

  test('reconnects at once when the gateway closes', async () => {
    const attempt = await connectAndAccept({ random: () => 1 });
    gateway.broadcast({ type: 'gateway.closing' });
    await gateway.until(() => gateway.all('hello').length === 2);
    await attempt.append([fact('a')]);
    expect(gateway.log.of(attempt.attempt)).toHaveLength(1);
    expect(attempt.lossSignal.aborted).toBe(false);
  });

  test('an append without acknowledgement causes a reconnect', async () => {
    const attempt = await connectAndAccept({ ackTimeoutMs: 300 });
    gateway.unanswered.add('append');
    const append = attempt.append([fact('a')]);
    await gateway.until(() => gateway.connections === 2);
    gateway.unanswered.clear();
    await append;
    expect(gateway.log.gaps).toEqual([]);
  });

  test('an append that is refused temporarily is sent on another connection, with all later ones', async () => {
    const attempt = await connectAndAccept({ ackTimeoutMs: 3_600_000 });
    const error = { code: 'INTERNAL' as const, message: 'Not now', retry: 'same-request' as const };
    gateway.unanswered.add('append');
    const first = attempt.append([fact('a')]);
    await gateway.until(() => gateway.all('append').length === 1);
    const last = attempt.append([fact('b')], { status: 'completed', output: 1 });
    await gateway.until(() => gateway.all('append').length === 2);
    for (let refused = 0; refused < 2; refused += 1) gateway.broadcast({ type: 'rejected', ...attempt.attempt, error });
    gateway.unanswered.clear();
    await gateway.until(() => gateway.connections === 2, 'the worker reconnects');
    await Promise.all([first, last]);
    expect(gateway.log.of(attempt.attempt).map(({ sequence: n, message }) => [n, message])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(gateway.log.outcome(attempt.attempt)).toEqual({ status: 'completed', output: 1 });
    expect(gateway.connections).toBe(2);
  });

  test('a refusal other than of an append does not end the connection', async () => {
    const attempt = await connectAndAccept();
    const error = { code: 'INTERNAL' as const, message: 'Not now', retry: 'same-request' as const };
    gateway.broadcast({ type: 'rejected', ...attempt.attempt, error });
    const renewals = gateway.all('renew').length;
    await gateway.until(() => gateway.all('renew').length > renewals + 2);
    await attempt.append([fact('next')]);
    expect([gateway.connections, attempt.lossSignal.aborted]).toEqual([1, false]);
  });

  test('cancel ends the lease, but the attempt still writes its outcome', async () => {
    const attempt = await connectAndAccept();
    gateway.broadcast({ type: 'cancel', ...attempt.attempt });
    await once(attempt.lease.endSignal, 'abort');
    expect(() => attempt.lease.assertHeld()).toThrow(expect.objectContaining({ code: 'RUN_CANCELLED' }));
    expect(attempt.lossSignal.aborted).toBe(false);
    await attempt.append([], { status: 'cancelled' });
    expect(gateway.log.outcome(attempt.attempt)).toEqual({ status: 'cancelled' });
  });

  test('the acknowledgement of a renewal can cancel', async () => {
    const attempt = await connectAndAccept();
    gateway.cancelledAttempts.add(`${attempt.attempt.run}/1`);
    await once(attempt.lease.endSignal, 'abort');
    expect(attempt.lease.endSignal.reason).toMatchObject({ code: 'RUN_CANCELLED' });
  });

  test('a lease lapses without renewals and is restored by the next', async () => {
    gateway.script.leaseMs = 500;
    const attempt = await connectAndAccept();
    const heldSignal = await attempt.lease.waitUntilHeld(stop.signal);
    gateway.unanswered.add('renew');
    await once(heldSignal, 'abort');
    expect(() => attempt.lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
    expect(attempt.lease.endSignal.aborted).toBe(false);
    gateway.unanswered.clear();
    await attempt.lease.waitUntilHeld(stop.signal);
    attempt.lease.assertHeld();
  });

  test('a lease counts from the renewal before the claim, and events of the claim are not numbered again', async () => {
    const attempts: AttemptLink[] = [];
    connect({ onOffer: (offer) => void attempts.push(offer.accept()) });
    link.ready(1);
    await gateway.until(() => gateway.all('renew').length > 1);
    gateway.unanswered.add('renew');
    const leaseCountsFrom = gateway.all('renew')[0]!.sentAt;
    gateway.assign(buildAssignment({ steps: [step] }, { firstIntentWritten: true, leaseCountsFrom }));
    await gateway.until(() => attempts.length > 0);
    attempts[0]!.lease.assertHeld();
    attempts[0]!.append([fact('a')]).catch(() => undefined);
    await gateway.until(() => gateway.all('append').length > 0);
    expect(gateway.all('append')[0]!.events).toMatchObject([{ sequence: 2, message: 'a' }]);
  });

  test('an old renewal does not start a lease, and an unknown one is requested again', async () => {
    gateway.script.leaseMs = 250;
    const attempts: AttemptLink[] = [];
    connect({ onOffer: (offer) => void attempts.push(offer.accept()) });
    link.ready(1);
    await gateway.until(() => gateway.all('renew').length > 3);
    gateway.unanswered.add('renew');
    const leaseCountsFrom = gateway.all('renew')[0]!.sentAt;
    gateway.assign(buildAssignment({ steps: [step] }, { firstIntentWritten: true, leaseCountsFrom }));
    gateway.assign(buildAssignment({ steps: [step] }, { firstIntentWritten: true, leaseCountsFrom: 1 }));
    await gateway.until(() => attempts.length === 2);
    for (const { lease } of attempts)
      expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
    gateway.unanswered.clear();
    for (const { lease } of attempts) await lease.waitUntilHeld(stop.signal);
  });

  test('an attempt without renewals is lost after the limit', async () => {
    gateway.script.leaseMs = 300;
    // The first renewal must arrive within it, also on a busy machine.
    const attempt = await connectAndAccept({ renewalTimeoutMs: 2_000 });
    await attempt.lease.waitUntilHeld(stop.signal);
    gateway.unanswered.add('renew');
    await until('the attempt is lost', () => attempt.lossSignal.aborted);
    expect(attempt.lossSignal.reason).toMatchObject({ code: 'LEASE_LOST' });
  });

  test('a run that was handed back is not named again', async () => {
    const attempt = await connectAndAccept();
    attempt.handback({ code: 'RUN_HANDED_BACK', message: 'drained', retry: 'new-worker' });
    await gateway.until(() => gateway.all('handback').length === 1);
    gateway.terminateConnections();
    await gateway.until(() => gateway.all('hello').length === 2);
    expect(gateway.all('hello').at(-1)!.attempts).toEqual([]);
  });

  test('drain is delivered, and bye ends the link', async () => {
    connect();
    link.ready(1);
    await gateway.until(() => gateway.all('ready').length === 1);
    gateway.broadcast({ type: 'drain' });
    await gateway.until(() => drains === 1);
    await link.bye('drained');
    await link.completion;
    await gateway.until(() => gateway.all('bye').length === 1);
    expect(gateway.all('bye')).toEqual([{ type: 'bye', reason: 'drained' }]);
    await gateway.until(() => gateway.sockets.length === 0);
  });
});
