import { randomUUID } from 'node:crypto';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Client } from '../harness/stack-client.ts';
import { until } from '../harness/poll-until.ts';
import type { PortForward } from './port-forward.ts';

/** A client that retries while the API is unreachable. Submissions are idempotent. */
export class ReconnectingClient extends Client {
  readonly #portForward: PortForward;
  readonly #timeoutMs: number;

  constructor(portForward: PortForward, key: string, timeoutMs = 90_000) {
    super(portForward.url, key);
    this.#portForward = portForward;
    this.#timeoutMs = timeoutMs;
  }

  override async request(path: string, options: Parameters<Client['request']>[1] = {}): Promise<Response> {
    const isStream = options.headers?.['accept'] === 'text/event-stream';
    let last: unknown;
    return await until(
      `${path} is answered`,
      async () => {
        try {
          const response = await super.request(path, {
            signal: AbortSignal.timeout(isStream ? 120_000 : 10_000),
            ...options,
          });
          if (response.status < 500) {
            if (isStream) return response;
            // Read here, because a response can be interrupted too.
            const { status, headers } = response;
            return new Response(status === 204 ? null : await response.text(), { status, headers });
          }
          last = `${response.status} ${await response.text()}`;
        } catch (error) {
          if (options.signal?.aborted) throw error;
          last = error instanceof Error ? (error.cause ?? error) : error;
          this.#portForward.reconnect();
        }
        return null;
      },
      this.#timeoutMs,
      250,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${String(last)}; kubectl: ${this.#portForward.lastOutput}`);
    });
  }

  override submit(body: object): Promise<RunView> {
    return super.submit(body, { 'idempotency-key': randomUUID() });
  }

  /** Polls with short requests, because a long one would hang when its pod is removed. */
  override async waitForEnd(id: string, ms = 60_000): Promise<RunView> {
    let last: RunView | undefined;
    return await until(
      `run ${id} ends`,
      async () => {
        last = await this.run(id);
        return isTerminal(last.status) && last;
      },
      ms,
      500,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: it is ${last?.status}`);
    });
  }

  /** All events of an ended run; an interrupted stream is read again. */
  override async events(id: string): Promise<RunEvent[]> {
    let last: unknown;
    return await until(
      `the events of ${id} are read`,
      () => super.events(id).catch((error: unknown) => ((last = error), null)),
      this.#timeoutMs,
      250,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${String(last)}`);
    });
  }
}
