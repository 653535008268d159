import { PilothouseError, PROXY_PASSWORD, type Assignment, type EgressBlock } from '@pilothouse/contract';
import {
  parseHostRules,
  describeBlock,
  type AllowList,
  type Clock,
  type ConnectFailure,
  type EgressProxyFactory,
  type EgressProxy,
  type HostRule,
  type Masker,
  type EgressPolicy,
} from '@pilothouse/core';
import { startEgressProxy, type WorkerEgress } from '@pilothouse/infra-egress';
import type { AttemptLink, AttemptLease } from '@pilothouse/infra-link';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import { explainError } from './explain-network-error.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds that the gateway has for the password of the proxy. */
const SECRET_MS = 10_000;
/** Most refusals that an attempt tells of, each host, port and rule once; pages that try everything would fill the log of the run. */
const MOST_TOLD = 100;

export interface RunEgressParts {
  readonly assignment: Pick<Assignment, 'definition' | 'egress'>;
  readonly link: Pick<AttemptLink, 'request' | 'lost'> & {
    readonly lease: Pick<AttemptLease, 'isHeld' | 'waitUntilHeld'>;
  };
  readonly masker: Masker;
  readonly events: Pick<EventBuffer, 'add'>;
  readonly clock: Clock;
  readonly metrics: Pick<MetricsBuffer, 'count'>;
  /** Number of the step at work. */
  step(): number | null;
  /** What this worker may reach although its address is not public. */
  readonly allowedPrivateHosts: readonly HostRule[];
  /** The way out of the worker; undefined where surfaces have none of their own. */
  readonly egress: Pick<EgressProxyFactory, 'open'> | undefined;
}

/** Where an attempt may connect to: the pass for its surface, and what was refused. */
export class RunEgress {
  readonly pass: EgressPolicy;
  private readonly parts: RunEgressParts;
  private readonly told = new Set<string>();
  private gate: Promise<EgressProxy> | undefined;
  private own: WorkerEgress | undefined;
  /** What was refused, and what failed, since the step began. */
  private refused: EgressBlock[] = [];
  private failed: ConnectFailure[] = [];

  constructor(parts: RunEgressParts) {
    this.parts = parts;
    const { assignment, link, allowedPrivateHosts } = parts;
    let access: ReturnType<EgressPolicy['upstream']> | undefined;
    this.pass = {
      rules: { lists: listsOf(assignment), private: allowedPrivateHosts },
      upstream: () => (access ??= this.upstream()),
      signal: link.lost,
      mayAct: () => link.lease.isHeld(),
      untilMayAct: async () => void (await link.lease.waitUntilHeld(link.lost)),
      onRefused: (refusal) => this.onRefused(refusal),
      onFailed: (failure) => this.failed.push(failure),
    };
  }

  /**
   * A proxy for requests that the worker itself sends for the run: what it lets through is what pages may reach.
   * @returns its address, `http://127.0.0.1:<port>`, good until `close`
   */
  async proxy(): Promise<string> {
    // Where surfaces have no way out of their own, requests have one nevertheless.
    const egress = this.parts.egress ?? (this.own ??= startEgressProxy());
    this.gate ??= egress.open().then((gate) => {
      gate.bind(this.pass);
      return gate;
    });
    return (await this.gate).url;
  }

  async close(): Promise<void> {
    await (await this.gate?.catch(() => undefined))?.close();
    await this.own?.close();
  }

  /** From here on `explained` speaks of what comes. */
  resetFailures(): void {
    this.refused = [];
    this.failed = [];
  }

  /** An error of the step, with what was refused meanwhile: a page that did not open because it was refused says so by its code. */
  explained(thrown: unknown): unknown {
    return explainError(thrown, { refused: this.refused, failed: this.failed });
  }

  private onRefused(refusal: EgressBlock): void {
    const { events, metrics, step } = this.parts;
    metrics.count('worker_egress_blocked_total', { rule: refusal.rule });
    if (this.refused.length < MOST_TOLD) this.refused.push(refusal);
    const key = `${refusal.host}:${refusal.port} ${refusal.rule}`;
    if (this.told.has(key) || this.told.size > MOST_TOLD) return;
    this.told.add(key);
    if (this.told.size > MOST_TOLD) {
      events.add('run.log', 'More connections were refused than are told here', { facts: { told: MOST_TOLD } }, 'warn');
      return;
    }
    events.add('egress.blocked', describeBlock(refusal), { ...refusal, step: step() }, 'warn');
  }

  private async upstream(): ReturnType<EgressPolicy['upstream']> {
    const { assignment, link, masker, clock } = this.parts;
    const proxy = assignment.egress.run?.proxy;
    if (!proxy) return null;
    if (proxy.username === undefined) return proxy;
    const asked = { name: PROXY_PASSWORD, origin: proxy.server };
    const bounds = { signal: link.lost, deadline: clock.monotonic() + SECRET_MS };
    const found = await link.request('secret.request', asked, bounds).catch((thrown: unknown) => {
      // A proxy may know its users by name alone.
      if (thrown instanceof PilothouseError && thrown.code === 'NOT_FOUND') return null;
      throw thrown;
    });
    if (found === null) return proxy;
    masker.add(found.value);
    return { ...proxy, password: found.value };
  }
}

function listsOf({ definition, egress }: RunEgressParts['assignment']): AllowList[] {
  const given = { project: egress.project, workflow: definition.egress?.allow, run: egress.run?.allow };
  return (['project', 'workflow', 'run'] as const).flatMap((by) => {
    const list = given[by];
    return list ? [{ by, rules: parseHostRules(list) }] : [];
  });
}
