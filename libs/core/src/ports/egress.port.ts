import type { EgressBlock, UpstreamProxy } from '@pilothouse/contract';
import type { EgressRules } from '../egress/egress-decision.ts';

/** Egress of a worker. A gate is opened before its run is known, and blocks everything until rules are bound to it. */
export interface EgressProxyFactory {
  /** Opens a gate: a proxy on a port of its own, of this machine alone. */
  open(): Promise<EgressProxy>;
}

/** One way out, for one run. */
export interface EgressProxy {
  /** The proxy, for HTTP and CONNECT: `http://127.0.0.1:<port>`. No user, no password. */
  readonly url: string;
  /** From now on this holds; once. */
  bind(policy: EgressPolicy): void;
  /** Ends its connections and its port. Never throws. */
  close(): Promise<void>;
}

/** Rules of a gate and their owner. */
export interface EgressPolicy {
  readonly rules: EgressRules;
  /** The proxy of the run, asked for with the first connection; null: none. */
  upstream(): Promise<UpstreamAccess | null>;
  /** Aborts when the run may connect nowhere any more: its connections end at once. */
  readonly signal: AbortSignal;
  /** Whether the lease allows traffic now. Checked before anything is sent. */
  mayAct(): boolean;
  /** Waits until it may. @throws why it never may again */
  waitUntilMayAct(): Promise<void>;
  /** Called for each blocked connection. */
  onBlocked(refusal: EgressBlock): void;
  /** Called for each failed connection. */
  onFailed(failure: ConnectFailure): void;
}

/** A proxy that a run goes through. */
export interface UpstreamAccess extends UpstreamProxy {
  readonly password?: string;
}

/** A failed connection. */
export interface ConnectFailure {
  readonly host: string;
  readonly port: number;
  /** Why, in words, without secrets. */
  readonly reason: string;
}
