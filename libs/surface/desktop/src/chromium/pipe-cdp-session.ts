import type { CdpCommands, CdpEvents, CdpSession, ReadLimit } from '@pilothouse/surface-page-elements';
import { DevToolsProtocolError, type DevToolsPipe } from './devtools-pipe.ts';

/** Milliseconds for a command without a separate deadline. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** The session of one page, or of a frame in a separate process, over the pipe of its browser. */
export class PipeCdpSession implements CdpSession {
  readonly id: string;
  readonly #pipe: DevToolsPipe;
  readonly #listeners = new Map<string, ((data: never) => void)[]>();

  constructor(pipe: DevToolsPipe, id: string) {
    this.#pipe = pipe;
    this.id = id;
  }

  async send<Method extends keyof CdpCommands>(
    method: Method,
    params?: CdpCommands[Method]['params'],
    limit?: ReadLimit,
  ): Promise<CdpCommands[Method]['result']> {
    const timeoutMs = limit ? Math.max(1, limit.deadline.deadline - this.#pipe.timers.monotonic()) : DEFAULT_TIMEOUT_MS;
    return (await this.#pipe.send(method, params ?? {}, this.id, timeoutMs)) as CdpCommands[Method]['result'];
  }

  on<Event extends keyof CdpEvents>(event: Event, listener: (data: CdpEvents[Event]) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  /** Passes an event of the pipe on. */
  dispatch(event: string, data: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(data as never);
  }

  isProtocolError(error: unknown): boolean {
    return error instanceof DevToolsProtocolError;
  }
}
