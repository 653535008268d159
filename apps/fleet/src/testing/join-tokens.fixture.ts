import type { FleetWorkerRef } from '@pilothouse/core/ports/fleet-state.port';
import type { JoinTokens } from '../driver/join-tokens.ts';

/** Join tokens in memory. The token of a worker contains its name. */
export class MemoryJoinTokens implements JoinTokens {
  readonly issued: string[] = [];
  readonly ended: string[] = [];
  /** Error of `issue`, e.g. of a store that is not available. */
  error: Error | undefined;

  issue({ fleet, name }: FleetWorkerRef): Promise<string> {
    if (this.error) return Promise.reject(this.error);
    this.issued.push(`${fleet}/${name}`);
    return Promise.resolve(`jt_token-of-the-worker-${name}`);
  }

  end({ fleet, name }: FleetWorkerRef): Promise<void> {
    this.ended.push(`${fleet}/${name}`);
    return Promise.resolve();
  }
}
