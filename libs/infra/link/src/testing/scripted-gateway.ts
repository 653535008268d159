import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { CachedTurn, CallCost } from '@pilothouse/contract/agent/agent.schema';
import { parseOrThrow } from '@pilothouse/contract/errors/field-errors';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import { WORKER_PROTOCOL, type Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { fromWorkerSchema, type FromWorker, type FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { Assignment, ToWorker, ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { imagesOf, restoreImages } from '@pilothouse/core/model/request-images';
import { intentEvent, createStepIntent } from '@pilothouse/core/run/step-intent';
import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { DurableEventLog, attemptKey, attemptLost, attemptOf, type GatewayScript } from './scripted-gateway-state.ts';
import { FakeObjectStore } from './scripted-object-server.ts';

export const FLEET_TOKEN = 'a-fleet-token-for-specs';

/** Timeout in milliseconds for expectations of a spec. Generous for a busy machine; it only ends a hung spec. */
const EXPECT_TIMEOUT_MS = 45_000;

/** A model request with its images restored. */
export type ModelRequestMessage = Omit<FromWorkerOf<'model.request'>, 'request'> & { request: ModelRequest };

type MessageInterceptor = (message: FromWorker, socket: WebSocket) => boolean;

/**
 * The gateway's side of the protocol on a real WebSocket server, with its state in memory. It responds correctly unless
 * the spec scripts it. `unanswered`: message types without a response. `intercept`: may respond itself. `lostAttempts`:
 * attempts that no longer hold their run.
 */
export class ScriptedGateway {
  readonly script: GatewayScript = { leaseMs: 30_000, renewMs: 200, maxUnackedEvents: 1_000, slots: 2 };
  readonly log = new DurableEventLog();
  readonly files = new FakeObjectStore();
  readonly received: FromWorker[] = [];
  readonly unanswered = new Set<FromWorker['type']>();
  readonly lostAttempts = new Set<string>();
  readonly cancelledAttempts = new Set<string>();
  /** Exchanges the token at the first `hello`: it is valid once. */
  exchangesToken = false;
  private sessionKeyHash: string | undefined;
  private readonly leasedAttempts = new Set<string>();
  /** Answers of people, by run. */
  readonly answers = new Map<string, RunAnswer>();
  readonly secrets = new Map<string, string>();
  /** Replaced values by name of the secret. */
  readonly formerSecrets = new Map<string, string[]>();
  /** Profiles by name. */
  readonly profiles = new Map<string, { version: number; state: StorageState }>();
  /** Name of the profile that runs start with. */
  profile = 'spec';
  /** Model responses; without one no model is configured. */
  model: ((message: ModelRequestMessage) => ModelAnswer | undefined) | undefined;
  /** Screen parser of the gateway; undefined: the gateway has no parser. Applies to connections opened from now on. */
  parseScreen: ((jpeg: Buffer) => ParsedElement[]) | undefined;
  /** Number of opened bulk channels. */
  bulkChannels = 0;
  /** Action cache, by page. */
  readonly actionCache = new Map<string, { actions: CachedTurn; callCost: CallCost }>();
  /** Locators of steps from earlier runs. */
  locators: Locator[] = [];
  readonly uploads = new Map<string, { name: string; contentType: string; size: number }>();
  intercept: MessageInterceptor = () => false;
  connections = 0;
  private readonly messages = new EventEmitter().setMaxListeners(0);
  private readonly wss = new WebSocketServer({ noServer: true });
  private readonly artifacts = new Map<string, FromWorkerOf<'upload.request'>>();

  private constructor() {
    this.files.server.on('upgrade', (request, socket, head) => {
      const status = this.script.refusalStatus ?? (this.accepts(request.headers.authorization ?? '') ? undefined : 401);
      if (status !== undefined) {
        socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.wss.handleUpgrade(request, socket, head, (ws) => this.onConnection(ws));
    });
  }

  static async start(port = 0): Promise<ScriptedGateway> {
    const gateway = new ScriptedGateway();
    gateway.files.server.listen(port, '127.0.0.1');
    await once(gateway.files.server, 'listening');
    return gateway;
  }

  get port(): number {
    return (this.files.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get sockets(): WebSocket[] {
    return [...this.wss.clients];
  }

  /** All received messages of one type. */
  all<Type extends FromWorker['type']>(type: Type): FromWorkerOf<Type>[] {
    return this.received.filter((message): message is FromWorkerOf<Type> => message.type === type);
  }

  /** Waits until the condition holds; checked after each message. */
  async until(condition: () => boolean, description = String(condition)): Promise<void> {
    const signal = AbortSignal.timeout(EXPECT_TIMEOUT_MS);
    while (!condition()) {
      await once(this.messages, 'message', { signal }).catch(() => {
        throw new Error(`Timed out: ${description}; received: ${this.received.map(({ type }) => type).join(' ')}`);
      });
    }
  }

  /** Sends a message to all connections. */
  broadcast(message: ToWorker): void {
    for (const socket of this.sockets) socket.send(JSON.stringify(message));
  }

  assign(assignment: Assignment): void {
    const { run, epoch, definition, firstIntentWritten } = assignment;
    const [first] = definition.steps;
    if (firstIntentWritten && first && !isBlock(first)) {
      const event = {
        ...intentEvent(createStepIntent(first, { number: 0, path: '1' }), new Date().toISOString()),
        sequence: 1,
      };
      this.log.write({ type: 'append', run, epoch, events: [event] });
    }
    this.broadcast({ type: 'assign', assignment });
  }

  /** Terminates every connection without closing it. */
  terminateConnections(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  /** Stops reading and responding with the connections open: a frozen process. */
  freeze(): void {
    for (const socket of this.sockets) socket.pause();
  }

  async close(): Promise<void> {
    this.terminateConnections();
    this.files.server.closeAllConnections();
    this.files.server.close();
    await once(this.files.server, 'close');
  }

  private onConnection(socket: WebSocket): void {
    this.connections += 1;
    const imageCache = new Map<string, readonly string[]>();
    socket.on('message', (data) => {
      const message = parseOrThrow(fromWorkerSchema, JSON.parse(String(data)), 'message of the worker');
      this.received.push(message);
      if (message.type === 'bulk.hello') this.bulkChannels += 1;
      if (!this.intercept(message, socket) && !this.unanswered.has(message.type)) {
        const answer = this.answer(message, imageCache);
        if (answer) socket.send(JSON.stringify(answer));
      }
      this.messages.emit('message');
    });
    socket.on('close', () => this.messages.emit('message'));
    socket.on('error', () => undefined);
    this.messages.emit('message');
  }

  /** The default response. @param imageCache images of the last request of each attempt on this connection */
  answer(message: FromWorker, imageCache = new Map<string, readonly string[]>()): ToWorker | undefined {
    switch (message.type) {
      case 'hello':
        return this.welcome(message);
      case 'append':
        if (this.lostAttempts.has(attemptKey(message))) return attemptLost(message);
        return {
          type: 'append.ack',
          ...attemptOf(message),
          ...this.log.write(message),
          leaseRenewed: this.renewsLease(message),
        };
      case 'renew':
        return this.renewAck(message);
      case 'upload.request': {
        const artifact = randomUUID();
        this.artifacts.set(artifact, message);
        return { type: 'upload.grant', id: message.id, artifact, transfer: this.transfer('PUT', artifact) };
      }
      case 'upload.done':
        return { type: 'upload.stored', id: message.id, artifact: message.artifact };
      case 'file.request':
        return this.file(message);
      case 'secret.request':
        return {
          type: 'secret.value',
          id: message.id,
          value: this.secrets.get(message.name) ?? '',
          former: this.formerSecrets.get(message.name) ?? [],
        };
      case 'profile.request': {
        const name = this.profile;
        return { type: 'profile.value', id: message.id, name, profile: this.profiles.get(name) ?? null };
      }
      case 'profile.save': {
        const { id, name, state } = message;
        const version = (this.profiles.get(name)?.version ?? 0) + 1;
        this.profiles.set(name, { version, state });
        return { type: 'profile.saved', id, version, size: JSON.stringify(state).length };
      }
      case 'model.request': {
        const request = restoreImages(message.request, imageCache.get(attemptKey(message)) ?? []);
        imageCache.set(attemptKey(message), imagesOf(request));
        const answer = this.model?.({ ...message, request });
        return answer ? { type: 'model.response', id: message.id, answer } : this.modelNotConfigured(message);
      }
      case 'screen_parse.request': {
        const elements = this.parseScreen?.(Buffer.from(message.jpeg, 'base64')) ?? [];
        return { type: 'screen_parse.response', id: message.id, elements };
      }
      case 'action_cache.get':
        return { type: 'action_cache.value', id: message.id, cached: this.actionCache.get(message.key) ?? null };
      case 'action_cache.put': {
        for (const key of message.evict) this.actionCache.delete(key);
        for (const { key, ...entry } of message.entries) this.actionCache.set(key, entry);
        return { type: 'action_cache.stored', id: message.id };
      }
      case 'locators.request':
        return { type: 'locators.value', id: message.id, locators: this.locators };
      default:
        return undefined;
    }
  }

  private modelNotConfigured({ id }: FromWorkerOf<'model.request'>): ToWorker {
    return { type: 'rejected', id, error: { code: 'MODEL_NOT_CONFIGURED', message: 'No model is set', retry: 'no' } };
  }

  private accepts(authorization: string): boolean {
    const bearer = authorization.replace('Bearer ', '');
    if (this.sessionKeyHash === undefined) return bearer === FLEET_TOKEN;
    return createHash('sha256').update(bearer).digest('hex') === this.sessionKeyHash;
  }

  private welcome({ attempts, session, sessionKeyHash }: FromWorkerOf<'hello'>): ToWorkerOf<'welcome'> {
    const isTokenExchanged = this.exchangesToken && this.sessionKeyHash === undefined;
    if (isTokenExchanged) this.sessionKeyHash = sessionKeyHash;
    const { leaseMs, renewMs, maxUnackedEvents, slots, metricsMs } = this.script;
    return {
      type: 'welcome',
      protocol: WORKER_PROTOCOL,
      session: session ?? randomUUID(),
      fleet: 'default',
      ...(isTokenExchanged && { isTokenExchanged }),
      slots,
      leaseMs,
      renewMs,
      maxUnackedEvents,
      metricsMs,
      wantsThinking: true,
      ...(this.parseScreen && { hasScreenParser: true }),
      attempts: attempts
        .filter((attempt) => !this.lostAttempts.has(attemptKey(attempt)))
        .map((attempt) => ({ ...attempt, sequence: this.log.of(attempt).length })),
    };
  }

  /** The first events of an attempt renew its lease, unless `renew` is unanswered. */
  private renewsLease(attempt: Attempt): boolean {
    const isFirst = !this.leasedAttempts.has(attemptKey(attempt));
    this.leasedAttempts.add(attemptKey(attempt));
    return isFirst && !this.unanswered.has('renew');
  }

  private renewAck({ sentAt, attempts }: FromWorkerOf<'renew'>): ToWorkerOf<'renew.ack'> {
    return {
      type: 'renew.ack',
      sentAt,
      attempts: attempts.filter((attempt) => !this.lostAttempts.has(attemptKey(attempt))),
      cancelled: attempts.filter((attempt) => this.cancelledAttempts.has(attemptKey(attempt))),
      answers: [...this.answers].map(([run, answer]) => ({
        run,
        epoch: attempts.find((attempt) => attempt.run === run)?.epoch ?? 1,
        answer,
      })),
      drain: false,
    };
  }

  private file({ id, upload }: FromWorkerOf<'file.request'>): ToWorker {
    const file = this.uploads.get(upload);
    if (!file) {
      return { type: 'rejected', id, error: { code: 'NOT_FOUND', message: `No upload ${upload}`, retry: 'no' } };
    }
    return { type: 'file.grant', id, ...file, transfer: this.transfer('GET', upload) };
  }

  private transfer(method: 'GET' | 'PUT', name: string) {
    return { method, url: `${this.url}/objects/${name}`, headers: {}, expiresAt: '2100-01-01T00:00:00.000Z' };
  }
}
