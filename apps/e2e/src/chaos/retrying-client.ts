import { setTimeout as pause } from 'node:timers/promises';
import type { ChaosSystem } from './system/system.ts';
import type { Replica } from './system/api-replica.ts';

/** Milliseconds until a client gives up on a response and asks another replica. */
const REQUEST_TIMEOUT_MS = 5_000;
/**
 * Milliseconds after which a client abandons an Idempotency-Key whose first request is still in progress: that request
 * died.
 */
const IN_FLIGHT_MS = 3_000;

/** A response. */
interface Reply {
  readonly status: number;
  readonly body: {
    readonly id?: string;
    readonly code?: string;
    readonly status?: string;
    readonly token?: number;
    /** Question of a run to a person. */
    readonly question?: { readonly step: number; readonly key: string } | null;
  };
}

/** A client that asks one replica after the other until one responds. */
export class RetryingClient {
  private readonly system: ChaosSystem;

  constructor(system: ChaosSystem) {
    this.system = system;
  }

  /**
   * Submits a run, with retries.
   * @param preferred index of the replica that is asked first
   * @returns its id; null when a request with this key died in progress, so that nothing was accepted
   * @throws Error when no replica accepts it in time
   */
  async submit(body: object, key: string, preferred = 0, ms = 120_000): Promise<string | null> {
    const deadline = performance.now() + ms;
    let inFlightSince: number | undefined;
    for (let round = preferred; ; round += 1) {
      const reply = await this.request(this.system.replica(round % 2), '/v1/runs', body, { 'idempotency-key': key });
      if (reply?.status === 202 && reply.body.id) return reply.body.id;
      if (reply?.body.code === 'IDEMPOTENCY_IN_FLIGHT') {
        inFlightSince ??= performance.now();
        if (performance.now() - inFlightSince > IN_FLIGHT_MS) return null;
      } else if (reply && reply.status >= 400 && reply.status < 500) {
        throw new Error(`A run was refused: ${JSON.stringify(reply)}`);
      }
      if (performance.now() > deadline)
        throw new Error(`No replica accepted the run with the key ${key} within ${ms / 1000} s`);
      await pause(50);
    }
  }

  /**
   * Asks both replicas until one responds, for idempotent requests.
   * @returns the status; 0 when none responded
   */
  async post(path: string, body?: object, preferred = 0): Promise<number> {
    return (await this.call('POST', path, body, preferred))?.status ?? 0;
  }

  /** Like the previous one, with the whole response. Undefined: no response. */
  async call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    preferred = 0,
  ): Promise<Reply | undefined> {
    for (const index of [preferred, 1 - preferred]) {
      const reply = await this.request(this.system.replica(index), path, body, {}, method);
      if (reply && reply.status < 500) return reply;
    }
    return undefined;
  }

  private async request(
    { url }: Replica,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
    method = 'POST',
  ): Promise<Reply | undefined> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.system.adminKey}`,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      return { status: response.status, body: (await response.json()) as Reply['body'] };
    } catch {
      // The replica is unavailable, or failed during its response: this client then retries.
      return undefined;
    }
  }
}
