import type { EgressEnforcement } from '@pilothouse/contract/worker/from-worker.messages';
import type { GatewayFleet, WorkerFlags } from '@pilothouse/infra-db';
import { HeldAttempts } from './held-attempts.ts';
import { ModelImageCache } from './model-image-cache.ts';
import type { WorkerSocket } from './worker-socket.ts';

/** Identity of a connected worker, from its `hello` and the database. */
export interface WorkerIdentity {
  /** Id of the session. */
  readonly id: string;
  readonly workerName: string;
  readonly slots: number;
  /** Enforcement of egress rules for programs of a desktop. Undefined: not a desktop. */
  readonly egressEnforcement?: EgressEnforcement | undefined;
}

/** A connection on which a worker sends model requests: its session, or its bulk channel. */
export interface WorkerChannel {
  readonly kind: 'session' | 'bulk';
  /** Id of the session. */
  readonly id: string;
  readonly socket: WorkerSocket;
  readonly images: ModelImageCache;
}

/** The second socket of a worker, for screencast frames and for model requests with images. */
export class BulkChannel implements WorkerChannel {
  readonly kind = 'bulk';
  readonly id: string;
  readonly socket: WorkerSocket;
  readonly images = new ModelImageCache();
  /** Resolves when the session is known to belong to the fleet of the socket. */
  readonly admission: Promise<void>;

  constructor(socket: WorkerSocket, id: string, admission: Promise<void>) {
    this.socket = socket;
    this.id = id;
    this.admission = admission;
  }
}

/** State of a worker on one connection, and the accounting of its slots. PostgreSQL is authoritative for its attempts. */
export class WorkerSession implements WorkerChannel {
  readonly kind = 'session';
  readonly id: string;
  readonly workerName: string;
  readonly slots: number;
  /** Enforcement of egress rules for programs of a desktop, from its `hello`. Undefined: not a desktop. */
  readonly egressEnforcement: EgressEnforcement | undefined;
  readonly socket: WorkerSocket;
  readonly attempts = new HeldAttempts();
  readonly images = new ModelImageCache();
  private isDraining = false;
  private isCordoned = false;
  /** `sentAt` of the last lease renewal. */
  private renewSentAt: number | undefined;
  /** Slots of claims that are not assigned yet. */
  private reservedSlots = 0;
  /** Free slots as of the last `ready`. */
  private reportedFree = 0;
  /** Assignments sent on this connection. */
  private sentAssignments = 0;
  /** Assignments that the worker had received at its last `ready`. */
  private receivedAssignments = 0;

  constructor(socket: WorkerSocket, { id, workerName, slots, egressEnforcement }: WorkerIdentity) {
    this.socket = socket;
    this.id = id;
    this.workerName = workerName;
    this.slots = slots;
    this.egressEnforcement = egressEnforcement;
  }

  /** True if it joined with the fleet token: no controller started it. */
  get isExternal(): boolean {
    return this.socket.credential.kind === 'fleet';
  }

  get fleet(): GatewayFleet {
    return this.socket.fleet;
  }

  /** Runs that the worker can be assigned now: at most its reported free slots, and at most its slots. */
  get availableSlots(): number {
    if (this.isUnschedulable || !this.socket.isOpen) return 0;
    const unseenAssignments = this.sentAssignments - this.receivedAssignments;
    return Math.min(this.slots - this.attempts.size, this.reportedFree - unseenAssignments) - this.reservedSlots;
  }

  /** The worker drains or is cordoned. */
  get isUnschedulable(): boolean {
    return this.isDraining || this.isCordoned;
  }

  /** `sentAt` of the last lease renewal that was received; undefined before the first. */
  get lastRenewSentAt(): number | undefined {
    return this.renewSentAt;
  }

  /** Reserves a slot for a claim. */
  reserve(): void {
    this.reservedSlots += 1;
  }

  /** Ends a reservation: the claim is assigned, or has failed. */
  release(): void {
    this.reservedSlots -= 1;
  }

  /** @param assignmentsReceived assignments that the worker had received when it sent `ready` (default: all) */
  onReady(freeSlots: number, assignmentsReceived = this.sentAssignments): void {
    this.reportedFree = freeSlots;
    this.receivedAssignments = assignmentsReceived;
  }

  /** An assignment is on its way to the worker. */
  onAssigned(): void {
    this.sentAssignments += 1;
  }

  onRenew(sentAtMs: number): void {
    this.renewSentAt = sentAtMs;
  }

  /** The worker drains for good. */
  drain(): void {
    this.isDraining = true;
  }

  /** Applies the flags in the database. @returns whether the worker is no longer cordoned */
  applyFlags({ drain, cordoned }: WorkerFlags): boolean {
    const isUncordoned = this.isCordoned && !cordoned;
    this.isDraining ||= drain;
    this.isCordoned = cordoned;
    return isUncordoned;
  }
}
