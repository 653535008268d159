import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type {
  ConditionRecord,
  ConditionReport,
  DecisionRecord,
  FleetSnapshot,
  FleetState,
  FleetWorkerState,
  Leadership,
  FleetWorkerRef,
} from '@pilothouse/core/ports/fleet-state.port';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
interface Member {
  facts: Mutable<FleetWorkerState>;
  socket: Socket;
}

/** Store and gateway of one fleet in memory. Workers register over TCP and receive `drain` there. */
export class MemoryFleet implements FleetState {
  readonly records: DecisionRecord[] = [];
  config = { minWorkers: 0, maxWorkers: 2, idleSlots: 0, slots: 2, cooldownSeconds: 0, paused: false };
  waiting = 0;
  conditions: (ConditionRecord & { count: number })[] = [];
  /** Set: `observe` fails with it. */
  observeError: Error | null = null;
  /** Set: `observe` never answers. */
  isHung = false;
  readonly observedAt: number[] = [];
  readonly #members = new Map<string, Member>();
  readonly #server: Server;
  #lost = new AbortController();
  #led = false;

  private constructor() {
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => this.#hello(String(data).trim(), socket));
    });
  }

  static async open(): Promise<MemoryFleet> {
    const fleet = new MemoryFleet();
    fleet.#server.listen(0, '127.0.0.1');
    await once(fleet.#server, 'listening');
    return fleet;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get workers(): FleetWorkerState[] {
    return [...this.#members.values()].map(({ facts }) => facts).filter(({ state }) => state !== 'disconnected');
  }

  #hello(line: string, socket: Socket): void {
    const [name = '', slots] = line.split(' ');
    const now = Date.now();
    const times = { idleSince: now, startedAt: now, lastSeenAt: now, drainingSince: null };
    const facts = { id: `id-${name}`, name, state: 'ready' as const, slots: Number(slots), busy: 0, ...times };
    this.#members.set(facts.id, { facts, socket });
    socket.on('close', () => Object.assign(facts, { state: 'disconnected' }));
  }

  /** Gives a run to a worker, or takes it back. */
  occupy(name: string, busy: number): void {
    const facts = this.#members.get(`id-${name}`)?.facts;
    if (facts) Object.assign(facts, { busy, idleSince: busy > 0 ? null : Date.now() });
  }

  async lead(signal: AbortSignal): Promise<Leadership> {
    if (this.#led) await once(signal, 'abort');
    signal.throwIfAborted();
    this.#led = true;
    this.#lost = new AbortController();
    const release = () => {
      this.#led = false;
      return Promise.resolve();
    };
    return { lossSignal: this.#lost.signal, release };
  }

  loseLeadership(): void {
    this.#lost.abort();
  }

  async observe(): Promise<FleetSnapshot[]> {
    this.observedAt.push(Date.now());
    if (this.observeError) throw this.observeError;
    if (this.isHung) await once(this.#server, 'never');
    const workers = [...this.#members.values()].map(({ facts }) => ({ ...facts }));
    const { waiting, config, conditions } = this;
    return [{ fleet: 'browser', surface: 'browser', config, waiting, workers, conditions, observedAt: Date.now() }];
  }

  markDraining({ name }: FleetWorkerRef): Promise<'marked' | 'holds-run' | 'unknown'> {
    const member = this.#members.get(`id-${name}`);
    if (!member) return Promise.resolve('unknown');
    if (member.facts.busy > 0) return Promise.resolve('holds-run');
    member.facts.drainingSince = Date.now();
    member.socket.write('drain\n');
    return Promise.resolve('marked');
  }

  async blockWorker(worker: FleetWorkerRef): Promise<'barred' | 'marked' | 'holds-run'> {
    const result = await this.markDraining(worker);
    return result === 'unknown' ? 'barred' : result;
  }

  recordConditions(_fleet: string, reports: readonly ConditionReport[]): Promise<void> {
    for (const { reason, message, times } of reports) {
      const count = (this.conditions.find((condition) => condition.reason === reason)?.count ?? 0) + times;
      const otherConditions = this.conditions.filter((condition) => condition.reason !== reason);
      this.conditions = [...otherConditions, { reason, message, count, lastSeenAt: Date.now() }];
    }
    return Promise.resolve();
  }

  clearConditions(_fleet: string, reasons: readonly string[]): Promise<void> {
    this.conditions = this.conditions.filter(({ reason }) => !reasons.includes(reason));
    return Promise.resolve();
  }

  recordDecision(record: DecisionRecord): Promise<void> {
    this.records.push(record);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    for (const { socket } of this.#members.values()) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
