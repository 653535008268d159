import type { UnroutedAuditAction } from '@pilothouse/contract/api/audit.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import { type Clock, type Log, systemClock } from '@pilothouse/core/ports/runtime.port';
import {
  AuditStore,
  upsertConditions,
  WorkerJoinStore,
  type Pool,
  type WorkerCredentialRecord,
} from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { declareJoins, joinResults, type Refusal } from '../metrics/join.metrics.ts';

/** Milliseconds in which one replica records a kind of event once for each fleet, so that an attacker cannot fill the log. */
const RECORD_INTERVAL_MS = 60_000;

type Hello = FromWorkerOf<'hello'>;

/** A socket that wants to join. */
export interface JoiningSocket {
  readonly credential: WorkerCredentialRecord;
  /** Address of the other side of the connection. */
  readonly address: string;
}

export interface WorkerAdmissionDeps {
  readonly pool: Pool;
  readonly metrics: Metrics;
  /** Names of the configured fleets. Their counters exist from the start: a first refusal is then an increase. */
  readonly fleets: readonly string[];
  newId(): string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Decides which workers join: those of a controller with their join token or session key, and external ones where the fleet allows them. */
export class WorkerAdmission {
  private readonly deps: WorkerAdmissionDeps;
  private readonly clock: Clock;
  private readonly store: WorkerJoinStore;
  private readonly audit: AuditStore;
  private readonly joins;
  /** Monotonic milliseconds of the next record, by fleet and kind of event. */
  private readonly nextRecordAt = new Map<string, number>();

  constructor(deps: WorkerAdmissionDeps) {
    const { pool, metrics, fleets, clock = systemClock } = deps;
    this.deps = deps;
    this.clock = clock;
    this.store = new WorkerJoinStore(pool);
    this.audit = new AuditStore(pool);
    this.joins = declareJoins(metrics);
    for (const fleet of fleets) for (const result of joinResults) this.joins.add(0, { fleet, result });
  }

  /**
   * Admits a worker at its `hello`, and uses up its join token.
   * @returns whether the token was exchanged for the session key
   * @throws PilothouseError JOIN_REFUSED; UNAVAILABLE errors of the database as they are
   */
  async admit(socket: JoiningSocket, hello: Hello): Promise<boolean> {
    const { kind, hash, worker, fleet } = socket.credential;
    const { name } = hello.worker;
    if (kind === 'fleet' && !fleet.externalWorkers) throw this.refuse(socket, hello, 'external_not_allowed');
    if (worker !== null && worker !== name) throw this.refuse(socket, hello, 'other_worker');
    if (kind !== 'join') return false;
    if (hello.sessionKeyHash === undefined)
      throw new PilothouseError('PROTOCOL_INVALID', 'A hello with a join token must have a sessionKeyHash');
    const refusal = await this.store.exchange(hash, name, hello.sessionKeyHash);
    if (refusal) throw this.refuse(socket, hello, refusal);
    return true;
  }

  /** Counts the join of a new process, and records one that no controller started: at most one a minute for each fleet. */
  onJoined(socket: JoiningSocket, hello: Hello): void {
    const { kind, fleet } = socket.credential;
    this.joins.inc({ fleet: fleet.name, result: kind === 'fleet' ? 'external' : 'accepted' });
    if (kind !== 'fleet' || !this.isRecordDue(fleet.name, 'external')) return;
    this.deps.log.warn({ fleet: fleet.name, worker: hello.worker.name }, 'external worker joined');
    this.record(socket, hello, 'externalWorkerJoined', null);
  }

  private refuse(socket: JoiningSocket, hello: Hello, refusal: Refusal): PilothouseError {
    const { name: fleet } = socket.credential.fleet;
    const { name: worker } = hello.worker;
    this.joins.inc({ fleet, result: refusal });
    const error = new PilothouseError('JOIN_REFUSED', messages[refusal](fleet));
    if (!this.isRecordDue(fleet, refusal)) return error;
    this.deps.log.warn({ fleet, worker, refusal, address: socket.address }, 'worker refused');
    this.record(socket, hello, 'workerJoinRefused', refusal);
    const message = `Worker ${worker} from ${socket.address} was refused: ${error.message}`;
    upsertConditions(this.deps.pool, fleet, [{ reason: 'JoinRefused', message, times: 1 }]).catch((cause: unknown) =>
      this.deps.log.warn({ fleet, error: String(cause) }, 'fleet condition not stored'),
    );
    return error;
  }

  private isRecordDue(fleet: string, kind: Refusal | 'external'): boolean {
    const key = `${fleet} ${kind}`;
    const now = this.clock.monotonic();
    if (now < (this.nextRecordAt.get(key) ?? -Infinity)) return false;
    this.nextRecordAt.set(key, now + RECORD_INTERVAL_MS);
    return true;
  }

  private record(
    { credential, address }: JoiningSocket,
    hello: Hello,
    action: UnroutedAuditAction,
    refusal: Refusal | null,
  ): void {
    const { name, incarnation, host, version } = hello.worker;
    const fleet = credential.fleet.name;
    const entry = {
      ...{ id: this.deps.newId(), project: null, at: this.clock.now(), action, target: fleet, address },
      actor: { kind: 'worker' as const, id: incarnation, name },
      details: { host, version, credential: credential.kind, ...(refusal && { refusal }) },
      request: incarnation,
    };
    this.audit
      .add(entry)
      .catch((error: unknown) =>
        this.deps.log.error({ fleet, worker: name, error: String(error) }, 'join not written to the audit log'),
      );
  }
}

const messages: Readonly<Record<Refusal, (fleet: string) => string>> = {
  used: () =>
    'The join token was used by another process. It is valid once. The fleet controller creates a new worker.',
  expired: () =>
    'The join token has expired before the worker started. If its start takes longer, raise PILOTHOUSE_JOIN_TOKEN_TTL_SECONDS of the fleet controller.',
  ended: () => 'The worker of this join token has ended. The fleet controller creates a new worker.',
  other_worker: () =>
    'The token belongs to a worker with another name. Leave PILOTHOUSE_WORKER_NAME as the fleet controller sets it.',
  external_not_allowed: (fleet) =>
    `Fleet ${fleet} accepts only workers that the fleet controller started. To accept workers with the fleet token, set externalWorkers: true in its configuration.`,
};
