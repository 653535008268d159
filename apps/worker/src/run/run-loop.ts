import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { isNonIdempotent } from '@pilothouse/contract/workflow/step.schema';
import { planRecovery, recoveryPolicyOf } from '@pilothouse/core/run/run-recovery';
import { checkOutput, resolveOutput } from '@pilothouse/core/workflow/workflow-io';
import { failpoint } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { restoreFields } from '../actions/run-action.ts';
import {
  actionScope,
  createAttemptContext,
  type AttemptContext,
  type WorkerServices,
} from '../context/attempt-context.ts';
import { executeStep } from '../steps/step-executors.ts';
import { endWithError, finishAttempt, type AttemptResult } from './finish-attempt.ts';
import { recover } from './recovery.ts';
import { StepRunner } from './step-runner.ts';

/** Largest output, in bytes of JSON. It is sent in one message. */
const MAX_OUTPUT_BYTES = 1_000_000;

/** Abort reason after an attempt. Shared: creating an error with its stack takes longer than the rest of the end. */
const ATTEMPT_ENDED = new PilothouseError('LEASE_LOST', 'The attempt has ended');

/** Runs one attempt of a run: opens a surface, runs the steps and writes the outcome. */
export class RunLoop {
  private readonly attempt: AttemptContext;
  private readonly steps: StepRunner;
  private workspace: string | undefined;

  constructor(assignment: Assignment, link: AttemptLink, worker: WorkerServices) {
    this.attempt = createAttemptContext(assignment, link, worker, executeStep);
    this.steps = new StepRunner(this.attempt);
  }

  /** Hands the run back at the next boundary between steps. A run that recovery would fail or ask about continues. */
  drain(reason: PilothouseError): void {
    this.attempt.cancellation.drain(reason);
  }

  /** Stops the running step, and hands the run back. */
  abort(reason: PilothouseError): void {
    this.attempt.cancellation.abort(reason);
  }

  /** True if the attempt knows secrets. */
  get hasSecrets(): boolean {
    return this.attempt.secrets.hasRevealed;
  }

  /** Runs the attempt to its end. Never throws. */
  async run(): Promise<AttemptResult> {
    const { attempt } = this;
    try {
      await failpoint('worker.accepted', attempt.assignment.run);
      const output = await this.runSteps();
      await attempt.surfaceSession.waitForFileHandlers();
      await finishAttempt({ status: 'completed', output }, attempt);
      return { result: 'complete' };
    } catch (thrown) {
      return await endWithError(thrown, attempt);
    } finally {
      await this.cleanUp();
    }
  }

  private async runSteps(): Promise<Json> {
    const { attempt } = this;
    const { assignment, progress, surfaceSession, worker } = attempt;
    const { definition, answer } = assignment;
    const plan = planRecovery(
      { positions: progress.previousPositions, policy: recoveryPolicyOf(definition) },
      { checkpoints: progress.previousCheckpoints, safePoint: assignment.safePoint, answer },
    );
    if (plan.kind === 'fail') {
      attempt.stepNumber = plan.step;
      throw plan.error;
    }
    this.workspace = await worker.workspaces.create(assignment);
    // The safe point is newer than the profile.
    surfaceSession.open(this.workspace, { restoring: plan.kind === 'resume' && plan.restore });
    if (plan.kind === 'resume') {
      attempt.stepNumber = plan.uncertainStep?.step ?? plan.startStep;
      await recover(plan, attempt);
      await surfaceSession.recordPage();
    }
    // The first intent is written while the surface opens, unless the step must not be repeated.
    if (progress.nextPosition && isNonIdempotent(progress.nextPosition.step)) await surfaceSession.waitUntilOpen();
    for (let position = progress.nextPosition; position; position = progress.nextPosition) {
      const knownOutcome = progress.knownOutcome();
      if (knownOutcome) {
        progress.complete(knownOutcome);
        continue;
      }
      attempt.stepNumber = position.number;
      await this.steps.run(position);
    }
    const { current } = surfaceSession;
    if (current && !progress.failure) await restoreFields(actionScope(attempt, current));
    await surfaceSession.waitForDownloads();
    attempt.stepNumber = null;
    if (progress.failure) throw progress.failure;
    const output = resolveOutput(definition, progress.scope());
    checkOutput(definition, output);
    assertOutputFits(output);
    return output;
  }

  private async cleanUp(): Promise<void> {
    const {
      assignment,
      cancellation,
      budget,
      safePoints,
      uploads,
      turns,
      debugArtifacts,
      surfaceSession,
      egress,
      worker,
      log,
    } = this.attempt;
    await failpoint('worker.before-cleanup', assignment.run);
    cancellation.abort(ATTEMPT_ENDED);
    safePoints.consumePending();
    uploads.abandon('The attempt has ended');
    turns?.abandon();
    debugArtifacts.abandon();
    await surfaceSession.close();
    await egress.close();
    budget.pause();
    cancellation.dispose();
    if (this.workspace === undefined) return;
    await worker.workspaces.remove(this.workspace).catch((thrown: unknown) => {
      log.warn({ error: String(thrown) }, 'workspace not removed');
    });
  }
}

function assertOutputFits(output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new PilothouseError('OUTPUT_INVALID', `The output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are stored`, {
    details: { bytes, limit: MAX_OUTPUT_BYTES },
  });
}
