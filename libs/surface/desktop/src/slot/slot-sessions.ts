import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EgressProxy, EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import type { SlotLoss } from '@pilothouse/core/ports/surface.port';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { defaultSessionOptions } from '../process/session-options.ts';
import { PROGRAM_PATH } from '../process/session-processes.ts';
import type { SessionSettings } from '../process/session-settings.ts';
import { authorityFile } from '../process/x-authority.ts';
import { randomDisplay } from '../process/x-display-files.ts';
import { FrameChannel } from '../session/frame-channel.ts';
import { SessionClient } from '../session/session-client.ts';
import type { PreparedSession, SessionSource } from '../session/session-source.ts';
import type { SessionTransport, TransportListener } from '../session/session-transport.ts';
import type { SessionRequest } from '../session/session-protocol.ts';
import { SlotConnection } from './slot-connection.ts';

/** Milliseconds for a slot to become ready, for example after its container restarted. */
const READY_TIMEOUT_MS = 30_000;

/** Milliseconds for a session to be removed. */
const RESET_TIMEOUT_MS = 30_000;

export interface SlotSessionsOptions {
  /** Folder with one folder for each slot, `slot-<n>`, which holds its socket. */
  readonly folder: string;
  readonly slots: number;
  /** Secret of the supervisors. */
  readonly key: string;
  /** Folder of a session in the container of a slot. */
  readonly sessionFolder: string;
  /** Variables that every process of a session has. */
  readonly environment: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Opens the egress proxy of each session. Default: programs connect directly. */
  readonly egress?: Pick<EgressProxyFactory, 'open'>;
  /** User of the first slot; the number of the slot is added. The proxy of a session accepts this user only. null: all slots have one user. */
  readonly firstUid: number | null;
  readonly maxMemoryMb?: number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly timers?: Timers | undefined;
  readonly readyTimeoutMs?: number;
}

interface Slot {
  readonly number: number;
  readonly connection: SlotConnection;
  /** True from the start of a session until it is removed. */
  isTaken: boolean;
}

/** Sessions in the containers of a pod, one for each slot. */
export class SlotSessions implements SessionSource {
  readonly #options: SlotSessionsOptions;
  readonly #timers: Timers;
  readonly #slots: readonly Slot[];
  readonly #listeners = new Set<() => void>();

  constructor(options: SlotSessionsOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    const { folder, key, log, timers } = options;
    const onChange = () => this.#notify();
    this.#slots = Array.from({ length: options.slots }, (_, number) => {
      const socket = join(folder, `slot-${number}`, 'worker.sock');
      return { number, connection: new SlotConnection({ socket, key, log, timers, onChange }), isTaken: false };
    });
  }

  get hasFreeSlot(): boolean {
    return this.#slots.some(isFree);
  }

  /** Counts slots without a session whose container is lost, restarts or was not proven clean. */
  readonly slotLoss: SlotLoss = {
    count: () => this.#slots.filter(({ isTaken, connection }) => !isTaken && connection.state !== 'ready').length,
    onChange: (listener) => void this.#listeners.add(listener),
  };

  async start(settings?: SessionSettings, signal?: AbortSignal): Promise<PreparedSession> {
    signal?.throwIfAborted();
    const slot = await this.#take();
    let egressProxy: EgressProxy | null = null;
    let resetting: Promise<void> | null = null;
    // Once: afterwards the slot belongs to the next session.
    const reset = () => (resetting ??= this.#reset(slot));
    const release = async () => {
      await reset();
      await egressProxy?.close();
    };
    try {
      const { sessionFolder: folder, environment, commands = {}, firstUid } = this.#options;
      const { maxMemoryMb = defaultSessionOptions.maxMemoryMb } = this.#options;
      const clientUid = firstUid === null ? null : firstUid + slot.number;
      egressProxy = (await this.#options.egress?.open(clientUid)) ?? null;
      const egress = egressProxy && { port: Number(new URL(egressProxy.url).port), socket: null };
      const display = randomDisplay();
      const stream = slot.connection.start({
        PATH: PROGRAM_PATH,
        ...environment,
        HOME: folder,
        DISPLAY: display,
        XAUTHORITY: authorityFile(folder),
      });
      const identity = { id: randomUUID(), display, uid: null, folder };
      const session = {
        ...defaultSessionOptions,
        ...settings,
        environment,
        commands,
        egress,
        maxMemoryMb,
        ...identity,
      };
      const transport = new SlotTransport(stream, join(folder, 'home'), reset);
      const client = await SessionClient.start(transport, session, { signal, timers: this.#timers });
      const end = async () => {
        await client.stop();
        await release();
      };
      return { client, egressProxy, end };
    } catch (error) {
      await release();
      signal?.throwIfAborted();
      throw new PilothouseError(
        'SURFACE_UNAVAILABLE',
        `The desktop session did not start: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map(({ connection }) => connection.close()));
  }

  /** @throws PilothouseError SURFACE_UNAVAILABLE */
  async #take(): Promise<Slot> {
    const timeoutMs = this.#options.readyTimeoutMs ?? READY_TIMEOUT_MS;
    // Taken in the same turn: other waiters look for a slot, too.
    const take = () => {
      const slot = this.#slots.find(isFree);
      if (slot) slot.isTaken = true;
      return slot;
    };
    const slot = take() ?? (await this.#waitForSlot(take, timeoutMs));
    if (!slot) {
      const last = this.#slots.length - 1;
      const containers = last === 0 ? 'container slot-0' : `containers slot-0 to slot-${last}`;
      const refusal = this.#slots.find(({ connection }) => connection.refusal)?.connection.refusal;
      throw new PilothouseError(
        'SURFACE_UNAVAILABLE',
        `No slot of the pod was ready within ${timeoutMs / 1_000} s; read the log of its ${containers}${refusal ? `. ${refusal}` : ''}`,
      );
    }
    return slot;
  }

  /** Removes the session of a slot, and waits until that is proven. */
  async #reset(slot: Slot): Promise<void> {
    const { connection } = slot;
    connection.reset();
    const isReset = () => (connection.state === 'resetting' ? undefined : true);
    if (!(isReset() ?? (await this.#waitForSlot(isReset, RESET_TIMEOUT_MS))))
      connection.disconnect(`The slot was not reset within ${RESET_TIMEOUT_MS / 1_000} s`);
    slot.isTaken = false;
    this.#notify();
  }

  /** The first value after a change of a slot; undefined at the deadline. */
  #waitForSlot<Value>(find: () => Value | undefined, timeoutMs: number): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const check = () => {
        if (!this.#listeners.has(check)) return;
        const value = find();
        if (value !== undefined) end(value);
      };
      const end = (value: Value | undefined) => {
        this.#listeners.delete(check);
        this.#timers.clearTimeout(timer);
        resolve(value);
      };
      const timer = this.#timers.setTimeout(() => end(undefined), timeoutMs);
      this.#listeners.add(check);
    });
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const isFree = ({ isTaken, connection }: Slot): boolean => !isTaken && connection.state === 'ready';

/** A session process in the container of a slot. */
class SlotTransport implements SessionTransport {
  readonly home: string;
  readonly #stream: Duplex;
  readonly #reset: () => Promise<void>;
  #channel: FrameChannel | null = null;

  constructor(stream: Duplex, home: string, reset: () => Promise<void>) {
    this.#stream = stream;
    this.home = home;
    this.#reset = reset;
  }

  listen({ onMessage, onLoss }: TransportListener): void {
    this.#channel = new FrameChannel(
      this.#stream,
      { onMessage, onClose: (error) => onLoss(error ?? new Error('The channel of the desktop session closed')) },
      { peer: 'desktop session' },
    );
  }

  send(request: SessionRequest, onError: (error: Error) => void): void {
    this.#channel?.send(request, (error) => error && onError(error));
  }

  close(): void {
    this.#channel?.close();
  }

  /** The supervisor ends all processes; the session need not end its programs first. */
  async end(): Promise<readonly number[]> {
    await this.#reset();
    this.#channel?.close();
    return [];
  }
}
