import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { learningSettingsSchema } from '@pilothouse/contract/learning/learning-settings.schema';
import { agentNotesSchema } from '@pilothouse/contract/project/agent-notes.schema';
import { assignmentEgressSchema } from '@pilothouse/contract/project/egress.schema';
import { assignmentPolitenessSchema } from '@pilothouse/contract/project/politeness.schema';
import { budgetSchema } from '@pilothouse/contract/run/budget.schema';
import { captureSchema } from '@pilothouse/contract/run/capture.schema';
import { MAX_ASSIGNMENT_CHARS, storedDefinitionSchema } from '@pilothouse/contract/worker/assignment.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { turnRecordingOf } from '@pilothouse/core/learning/turn-recording';
import type { Log } from '@pilothouse/core/ports/runtime.port';
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

/** Error of an assignment that is too large for every worker. @param chars characters of its JSON, or bytes of the progress in it */
export const assignmentTooLarge = (chars: number): PilothouseError =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `Run state is ${inMB(chars)} MB; the limit for continuing on another worker is ${inMB(MAX_ASSIGNMENT_CHARS)} MB. Read less in loops or split the workflow.`,
  );

const inMB = (size: number) => Math.round(size / 100_000) / 10;

export interface AssignmentBuilderDeps {
  pool: Pool;
  log: Log;
  stateSealer: Pick<SurfaceStateSealer, 'open'>;
  /** Milliseconds for which a waiting question may keep its slot. */
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
    const definition = storedDefinitionSchema.parse(claimed.definition);
    const capture = captureSchema.parse(claimed.capture);
    return {
      run,
      epoch,
      definition,
      inputs: claimed.inputs as Assignment['inputs'],
      secrets: claimed.secrets,
      budget: {
        ...budgetSchema.parse(claimed.budget),
        usedSteps: claimed.usedSteps,
        usedSeconds: claimed.usedSeconds,
      },
      capture,
      egress: assignmentEgressSchema.parse({ project: claimed.project.egress, run: claimed.egress }),
      politeness: assignmentPolitenessSchema.parse({ project: claimed.project.politeness }),
      agentNotes: agentNotesSchema.parse(claimed.project.agentNotes ?? []),
      isAlwaysVision: (claimed.project.computerTool ?? 'none') !== 'none',
      recordTurns: turnRecordingOf(run, {
        run: capture.turns,
        workflow: definition.capture?.turns,
        project: learningSettingsSchema.nullable().parse(claimed.project.learning),
      }),
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
      log.warn({ run, error: String(error) }, 'safe point not readable');
      return { checkpoints, agentEvents, safePoint: null };
    }
  }
}
