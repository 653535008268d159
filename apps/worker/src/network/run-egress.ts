import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { PROXY_PASSWORD, type EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { describeBlock, type AllowList } from '@pilothouse/core/egress/egress-decision';
import { parseHostRules, type HostRule } from '@pilothouse/core/egress/host-rules';
import type { ConnectFailure, EgressProxyFactory, EgressProxy, EgressPolicy } from '@pilothouse/core/ports/egress.port';
import { startEgressProxy, type WorkerEgress } from '@pilothouse/infra-egress';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { explainNetworkError } from './explain-network-error.ts';

/** Milliseconds to request the password of the proxy. */
const SECRET_MS = 10_000;
/** Maximum blocked connections that an attempt reports. Each host, port and rule is reported once. */
const MAX_REPORTED = 100;

/** Egress settings of the worker. */
export interface WorkerEgressOptions {
  /** Hosts that runs may reach although their addresses are private. */
  readonly allowedPrivateHosts: readonly HostRule[];
  /** Egress of the worker; undefined: surfaces connect directly. */
  readonly egress?: Pick<EgressProxyFactory, 'open'> | undefined;
}

/** Egress policy of a run, and the connections that it blocked. */
export class RunEgress {
  readonly policy: EgressPolicy;
  private readonly base: Pick<
    AttemptBase,
    'assignment' | 'link' | 'masker' | 'events' | 'clock' | 'metrics' | 'stepNumber'
  >;
  private readonly worker: WorkerEgressOptions;
  private readonly reportedBlocks = new Set<string>();
  private runProxy: Promise<EgressProxy> | undefined;
  private fallbackEgress: WorkerEgress | undefined;
  /** Failed connections since the step started. */
  private blocked: EgressBlock[] = [];
  private failures: ConnectFailure[] = [];

  constructor(base: RunEgress['base'], worker: WorkerEgressOptions) {
    this.base = base;
    this.worker = worker;
    const { assignment, link } = base;
    let upstream: ReturnType<EgressPolicy['upstream']> | undefined;
    this.policy = {
      rules: { lists: listsOf(assignment), private: worker.allowedPrivateHosts },
      upstream: () => (upstream ??= this.resolveUpstream()),
      signal: link.lossSignal,
      mayAct: () => link.lease.isHeld(),
      waitUntilMayAct: async () => void (await link.lease.waitUntilHeld(link.lossSignal)),
      onBlocked: (block) => this.onBlocked(block),
      onFailed: (failure) => this.failures.push(failure),
    };
  }

  /**
   * Opens a proxy for requests that the worker sends for the run. It applies the same policy as pages get.
   * @returns its address, `http://127.0.0.1:<port>`, valid until `close`
   */
  async proxy(): Promise<string> {
    // Requests need a proxy even if surfaces have none.
    const egress = this.worker.egress ?? (this.fallbackEgress ??= startEgressProxy());
    this.runProxy ??= egress.open().then((proxy) => {
      proxy.bind(this.policy);
      return proxy;
    });
    return (await this.runProxy).url;
  }

  async close(): Promise<void> {
    await (await this.runProxy?.catch(() => undefined))?.close();
    await this.fallbackEgress?.close();
  }

  /** Starts a new record of failures for `explainError`. */
  resetFailures(): void {
    this.blocked = [];
    this.failures = [];
  }

  /** Adds blocked and failed connections of the step to its error; a blocked page gets the code of the block. */
  explainError(thrown: unknown): unknown {
    return explainNetworkError(thrown, { blocked: this.blocked, failures: this.failures });
  }

  private onBlocked(block: EgressBlock): void {
    const { events, metrics, stepNumber } = this.base;
    metrics.count('worker_egress_blocked_total', { rule: block.rule });
    if (this.blocked.length < MAX_REPORTED) this.blocked.push(block);
    const key = `${block.host}:${block.port} ${block.rule}`;
    if (this.reportedBlocks.has(key) || this.reportedBlocks.size > MAX_REPORTED) return;
    this.reportedBlocks.add(key);
    if (this.reportedBlocks.size > MAX_REPORTED) {
      const message = 'More blocked connections than reported';
      events.add('run.log', message, { facts: { reportedBlocks: MAX_REPORTED } }, 'warn');
      return;
    }
    events.add('egress.blocked', describeBlock(block), { ...block, step: stepNumber }, 'warn');
  }

  private async resolveUpstream(): ReturnType<EgressPolicy['upstream']> {
    const { assignment, link, masker, clock } = this.base;
    const proxy = assignment.egress.run?.proxy;
    if (!proxy) return null;
    if (proxy.username === undefined) return proxy;
    const secret = { name: PROXY_PASSWORD, origin: proxy.server };
    const bounds = { signal: link.lossSignal, deadline: clock.monotonic() + SECRET_MS };
    const response = await link.request('secret.request', secret, bounds).catch((thrown: unknown) => {
      // A proxy may authenticate by user name only.
      if (thrown instanceof PilothouseError && thrown.code === 'NOT_FOUND') return null;
      throw thrown;
    });
    if (response === null) return proxy;
    masker.add(response.value);
    return { ...proxy, password: response.value };
  }
}

function listsOf({ definition, egress }: AttemptBase['assignment']): AllowList[] {
  const allow = { project: egress.project, workflow: definition.egress?.allow, run: egress.run?.allow };
  return (['project', 'workflow', 'run'] as const).flatMap((scope) => {
    const list = allow[scope];
    return list ? [{ scope, rules: parseHostRules(list) }] : [];
  });
}
