import {
  assignmentEgressSchema,
  assignmentPolitenessSchema,
  budgetSchema,
  captureSchema,
  MAX_ASSIGNMENT_CHARS,
  PilothouseError,
  storedDefinitionSchema,
  type Assignment,
} from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import {
  checkpointBytes,
  readAgentEvents,
  readCheckpoints,
  readSafePoint,
  type ClaimedRun,
  type Pool,
  type WrittenRun,
} from '@pilothouse/infra-db';
import type { SurfaceStateSealer } from '../../sealing/sealed-data.ts';

/** An assignment that no worker can be sent. @param chars characters of its JSON, or bytes of the progress in it */
export const assignmentTooLarge = (chars: number): PilothouseError =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `What the run has read so far has ${inMB(chars)} MB, and another worker can be given ${inMB(MAX_ASSIGNMENT_CHARS)} MB to go on with: read less in its loops, or split it into several runs`,
  );

const inMB = (size: number) => Math.round(size / 100_000) / 10;

export interface AssignmentBuilderDeps {
  pool: Pool;
  log: Log;
  stateSealer: Pick<SurfaceStateSealer, 'open'>;
  /** Milliseconds a question may hold its slot. */
  questionHoldMs: number;
}

/** Turns a claimed run into an assignment: its definition and inputs, and the progress of earlier attempts. */
export class AssignmentBuilder {
  private readonly deps: AssignmentBuilderDeps;

  constructor(deps: AssignmentBuilderDeps) {
    this.deps = deps;
  }

  /** @param leaseCountsFrom `sentAt` of the last renewal that was received before the claim */
  async build(
    { run, epoch }: Pick<WrittenRun, 'run' | 'epoch'>,
    claimed: ClaimedRun,
    leaseCountsFrom: number | undefined,
  ): Promise<Assignment> {
    return {
      run,
      epoch,
      definition: storedDefinitionSchema.parse(claimed.definition),
      inputs: claimed.inputs as Assignment['inputs'],
      secrets: claimed.secrets,
      budget: {
        ...budgetSchema.parse(claimed.budget),
        usedSteps: claimed.usedSteps,
        usedSeconds: claimed.usedSeconds,
      },
      capture: captureSchema.parse(claimed.capture),
      egress: assignmentEgressSchema.parse({ project: claimed.project.egress, run: claimed.egress }),
      politeness: assignmentPolitenessSchema.parse({ project: claimed.project.politeness }),
      ...(epoch > 1 ? await this.loadProgress(run) : { checkpoints: [], safePoint: null, agentEvents: [] }),
      answer: claimed.answer,
      questionHoldMs: this.deps.questionHoldMs,
      firstIntentWritten: claimed.firstIntent !== null,
      leaseCountsFrom,
    };
  }

  /**
   * Bytes of the values that earlier attempts have read. Measured before `build`, which holds all of them in memory.
   * @throws PilothouseError PAYLOAD_TOO_LARGE when no worker can be assigned so many
   */
  async progressBytes({ run, epoch }: Pick<WrittenRun, 'run' | 'epoch'>): Promise<number> {
    if (epoch <= 1) return 0;
    const bytes = await checkpointBytes(this.deps.pool, run);
    if (bytes > MAX_ASSIGNMENT_CHARS) throw assignmentTooLarge(bytes);
    return bytes;
  }

  private async loadProgress(run: string): Promise<Pick<Assignment, 'checkpoints' | 'safePoint' | 'agentEvents'>> {
    const { pool, stateSealer, log } = this.deps;
    const [checkpoints, agentEvents, point] = await Promise.all([
      readCheckpoints(pool, run),
      readAgentEvents(pool, run),
      readSafePoint(pool, run),
    ]);
    if (!point) return { checkpoints, agentEvents, safePoint: null };
    try {
      return { checkpoints, agentEvents, safePoint: { step: point.step, state: stateSealer.open(point.state, run) } };
    } catch (error) {
      // Sealed with another master key: the run continues as if it had reached no safe point.
      log.warn({ run, error: String(error) }, 'The safe point of a run cannot be opened');
      return { checkpoints, agentEvents, safePoint: null };
    }
  }
}
