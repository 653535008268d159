import { randomUUID } from 'node:crypto';
import { createEvent, type EventDraft } from '@pilothouse/contract/events/event-log.schema';
import { MAX_MESSAGE_BYTES, WORKER_PROTOCOL, type Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorker } from '@pilothouse/contract/worker/from-worker.messages';
import { toWorkerSchema, type ToWorker, type ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { until } from '@pilothouse/testing/test-helpers';
import { WebSocket } from 'ws';

export const stepStartedMessage = (step: number) =>
  createEvent(
    'step.started',
    `Step ${step}`,
    { step, id: null, action: 'click', title: 'Click', summary: 'Click' },
    new Date(),
  );
export const stepCompletedMessage = (step: number) =>
  createEvent(
    'step.completed',
    `Step ${step} done`,
    {
      step,
      id: null,
      tier: 'replay',
      durationMs: 3,
      outcome: 'completed',
      effect: 'confirmed',
      located: null,
      page: null,
    },
    new Date(),
  );

/** A worker scripted by the spec, over a real socket. */
export class ProtocolWorker {
  readonly received: ToWorker[] = [];
  /** Called with each received message. */
  onMessage = (_message: ToWorker): void => {};
  readonly incarnation = randomUUID();
  session: string | undefined;
  /** Sent as `Authorization: Bearer`. */
  token: string | undefined;
  sessionKeyHash: string | undefined;
  private chunks = '';
  private n = new Map<string, number>();
  private socket: WebSocket | undefined;

  constructor(
    /** URL of the replica. */
    public url: string,
    private readonly slots = 1,
    readonly name = `w-${randomUUID().slice(0, 8)}`,
  ) {}

  get isClosed(): boolean {
    return this.socket?.readyState === WebSocket.CLOSED;
  }

  async connect(attempts: Attempt[] = [], free = this.slots): Promise<ToWorkerOf<'welcome'>> {
    const previousCount = this.received.length;
    await this.hello(attempts);
    const welcome = await this.waitFor('welcome', () => true, previousCount);
    this.session = welcome.session;
    this.send({ type: 'ready', freeSlots: free });
    return welcome;
  }

  /** Opens the socket and sends `hello`. */
  async hello(attempts: Attempt[] = []): Promise<void> {
    await this.open();
    this.send({
      type: 'hello',
      protocol: WORKER_PROTOCOL,
      worker: {
        name: this.name,
        incarnation: this.incarnation,
        version: 'test',
        surface: 'browser',
        slots: this.slots,
        host: 'here',
        pid: 1,
      },
      ...(this.sessionKeyHash && { sessionKeyHash: this.sessionKeyHash }),
      session: this.session,
      attempts,
    });
  }

  /** Opens the socket without a hello. */
  async open(): Promise<void> {
    const socket = new WebSocket(this.url, {
      maxPayload: MAX_MESSAGE_BYTES,
      ...(this.token && { headers: { authorization: `Bearer ${this.token}` } }),
    });
    this.socket = socket;
    this.chunks = '';
    const onText = (text: string) => {
      const message = toWorkerSchema.parse(JSON.parse(text));
      this.received.push(message);
      this.onMessage(message);
      if (message.type !== 'chunk') return;
      this.chunks += message.text;
      if (!message.isLast) return;
      onText(this.chunks);
      this.chunks = '';
    };
    socket.on('message', (data) => onText(data.toString()));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  }

  send(message: FromWorker): void {
    this.socket?.send(JSON.stringify(message));
  }

  raw(text: string): void {
    this.socket?.send(text);
  }

  /** Binds `send` to the current socket, which stays open after a reconnect. */
  bindSend(): (message: FromWorker) => void {
    const { socket } = this;
    return (message) => socket?.send(JSON.stringify(message));
  }

  /** Stops reading, like a hanging process. */
  stopReading(): void {
    this.socket?.pause();
  }

  disconnect(): void {
    this.socket?.terminate();
  }

  waitFor<Type extends ToWorker['type']>(
    type: Type,
    that: (message: ToWorkerOf<Type>) => boolean = () => true,
    startIndex = 0,
  ): Promise<ToWorkerOf<Type>> {
    return until(`${this.name} hears ${type}`, () =>
      this.received
        .slice(startIndex)
        .find((message): message is ToWorkerOf<Type> => message.type === type && that(message as ToWorkerOf<Type>)),
    );
  }

  async acceptAssignment(run: string): Promise<Attempt> {
    const startIndex =
      this.received.findLastIndex((message) => message.type === 'assign' && message.assignment.run === run) + 1;
    const { assignment } = await this.waitFor(
      'assign',
      (message) => message.assignment.run === run,
      Math.max(0, startIndex - 1),
    );
    const attempt = { run, epoch: assignment.epoch };
    this.send({ type: 'accepted', ...attempt });
    return attempt;
  }

  /** Sends events with the next sequences of the attempt; `again` repeats the last sequences. */
  append(
    attempt: Attempt,
    drafts: EventDraft[],
    fields: Partial<Extract<FromWorker, { type: 'append' }>> = {},
    firstN?: number,
  ): number {
    const key = `${attempt.run}/${attempt.epoch}`;
    let n = (firstN ?? (this.n.get(key) ?? 0) + 1) - 1;
    const events = drafts.map((draft) => ({ ...draft, sequence: ++n }));
    this.n.set(key, Math.max(n, this.n.get(key) ?? 0));
    this.send({ type: 'append', ...attempt, events, ...fields });
    return n;
  }
}
