import type { EgressBlock, UpstreamProxy } from '@pilothouse/contract/project/egress.schema';
import type { EgressRules } from '../egress/egress-decision.ts';

/** Egress of a worker. A proxy is opened before its run is known, and blocks everything until rules are bound to it. */
export interface EgressProxyFactory {
  /**
   * Opens a proxy on a separate port of the loopback interface.
   * @param clientUid the only user whose connections it accepts, where other users of the machine share the interface; null: all users
   */
  open(clientUid?: number | null): Promise<EgressProxy>;
}

/** The egress proxy of one run. */
export interface EgressProxy {
  /** URL of the proxy for HTTP and CONNECT: `http://127.0.0.1:<port>`. It requires no credentials. */
  readonly url: string;
  /** Applies the policy from now on. Must be called at most once. */
  bind(policy: EgressPolicy): void;
  /** Closes the connections and the port. Never throws. */
  close(): Promise<void>;
}

/** Rules of a proxy and their owner. */
export interface EgressPolicy {
  readonly rules: EgressRules;
  /** Returns the upstream proxy of the run; null: none. Called with the first connection. */
  upstream(): Promise<UpstreamAccess | null>;
  /** Aborts when the run may no longer connect. Its connections then end immediately. */
  readonly signal: AbortSignal;
  /** True if the lease allows traffic now. Checked before anything is sent. */
  mayAct(): boolean;
  /** Waits until the lease allows traffic. @throws the reason if it never will again */
  waitUntilMayAct(): Promise<void>;
  /** Called for each blocked connection. */
  onBlocked(refusal: EgressBlock): void;
  /** Called for each failed connection. */
  onFailed(failure: ConnectFailure): void;
}

/** The upstream proxy of a run, with its password. */
export interface UpstreamAccess extends UpstreamProxy {
  readonly password?: string;
}

/** A failed connection. */
export interface ConnectFailure {
  readonly host: string;
  readonly port: number;
  /** Readable reason without secrets. */
  readonly reason: string;
}
