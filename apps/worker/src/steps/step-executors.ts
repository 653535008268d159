import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { DEFAULT_CHECK_SECONDS } from '@pilothouse/contract/workflow/simple-steps.schema';
import {
  pageBranchesOf,
  stepSeconds,
  surfaceActionOf,
  type Step,
  type SurfaceStep,
} from '@pilothouse/contract/workflow/step.schema';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { failpoint } from '@pilothouse/infra-fault';
import {
  runAction,
  runGuarded,
  type ActionResult,
  type CompletedOutcome,
  type StepResult,
} from '../actions/run-action.ts';
import { currentAnchors, readSurface } from '../actions/surface-reads.ts';
import type { StepContext } from '../context/attempt-context.ts';
import { requestHumanAnswer } from '../context/human-questions.ts';
import { isFalseCondition } from '../error-policy.ts';
import { sendHttpRequest } from '../network/http-request.ts';
import { requirePages } from '../surface/surface-capabilities.ts';
import { runGoal } from './goal/goal-agent.ts';
import { agentContext, branchAgentContext } from './goal/goal-step.ts';
import { healStep } from './healing/heal-step.ts';
import { canHeal, createHealingContext } from './healing/healing-scope.ts';
import { resultOfPreviousAnswer } from './healing/human-candidates.ts';
import { runInterruptibly } from './interruptible-wait.ts';
import { runParallelPages, sendParallelRequests } from './parallel-step.ts';

/** Largest value that a step may read, in bytes of JSON. It is sent in one event, and stored in the checkpoint. */
const MAX_VALUE_BYTES = 1_000_000;

/** Maps each kind to its step type. */
interface StepOfKind {
  /** An action on the surface that sends input, or reads. */
  surface: Exclude<SurfaceStep, { action: 'wait' | 'waitFor' }>;
  /** Waits on the surface; interrupted while a person has control. */
  wait: Extract<SurfaceStep, { action: 'wait' | 'waitFor' }>;
  check: Extract<Step, { action: 'checkCondition' }>;
  http: Extract<Step, { action: 'http' }>;
  saveProfile: Extract<Step, { action: 'saveProfile' }>;
  goal: Extract<Step, { action: 'goal' }>;
  parallel: Extract<Step, { action: 'parallel' }>;
}

export type StepKind = keyof StepOfKind;
type StepExecutor<Kind extends StepKind> = (step: StepOfKind[Kind], ctx: StepContext) => Promise<ActionResult>;

function stepKindOf(step: Step): StepKind {
  switch (step.action) {
    case 'wait':
    case 'waitFor':
      return 'wait';
    case 'checkCondition':
      return 'check';
    case 'http':
    case 'saveProfile':
    case 'goal':
    case 'parallel':
      return step.action;
    default:
      // Compiles only while every other step is a surface step.
      return surfaceKind(step);
  }
}

const surfaceKind = (_: StepOfKind['surface']): StepKind => 'surface';

const stepExecutors = {
  surface: (step, ctx) => withHealing(step, ctx, () => runAction(surfaceActionOf(step), stepMs(step), ctx)),
  wait: (step, ctx) => withHealing(step, ctx, () => runWait(step, ctx)),
  check: runCheck,
  http: (step, ctx) =>
    runGuarded('http', stepMs(step), ctx, (services) => sendHttpRequest(step, ctx.attempt.requestRoute(), services)),
  saveProfile: (step, ctx) =>
    runGuarded('saveProfile', stepMs(step), ctx, (services) =>
      ctx.attempt.profiles.save(step, () => requirePages(ctx.surface).profile(services), services),
    ),
  goal: runGoalStep,
  parallel: (step, ctx) =>
    pageBranchesOf(step).length > 0
      ? runParallelPages(step, ctx)
      : runGuarded('parallel', stepMs(step), ctx, (services) =>
          sendParallelRequests(step, ctx.attempt.requestRoute(), services),
        ),
} satisfies { [Kind in StepKind]: StepExecutor<Kind> };

/** Executes the rendered step of the context, and waits for its postcondition. @throws errors of the executor; CONDITION_NOT_MET */
export async function executeStep(ctx: StepContext): Promise<StepResult> {
  const { step, surface, signal } = ctx;
  const execute = stepExecutors[stepKindOf(step)] as StepExecutor<StepKind>;
  const { outcome: acted, deadline, tier = 'replay', healing: healed } = await execute(step as never, ctx);
  await failpoint('worker.input-sent', ctx.attempt.assignment.run);
  assertValueFits(acted);
  const { expect } = step;
  if (expect) await readSurface(deadline, ctx, (context) => surface.expect(expect, context));
  const page = await currentAnchors(surface, ctx);
  signal.throwIfAborted();
  // An expectation that was already met proves nothing.
  const isEffectSeen = expect !== undefined && ctx.branch === null && ctx.running.wasExpectationFalse;
  const outcome = isEffectSeen ? withConfirmedEffect(acted) : acted;
  return { outcome, page, tier, healing: healed };
}

function withConfirmedEffect({ effectReason: _effectReason, ...outcome }: CompletedOutcome): CompletedOutcome {
  return { ...outcome, effect: 'confirmed' };
}

const stepMs = (step: Step) => stepSeconds(step) * 1000;

/** Uses the answer of a person to an earlier attempt. Otherwise performs the step, and heals it if its element is not found. */
async function withHealing(
  step: SurfaceStep,
  ctx: StepContext,
  perform: () => Promise<ActionResult>,
): Promise<ActionResult> {
  const { attempt, running, history, branch } = ctx;
  if (branch) return perform();
  const previous = resultOfPreviousAnswer(history.answer, running, ctx);
  if (previous) return previous;
  const { assignment, link, progress } = attempt;
  return perform().catch((failed: unknown) => {
    if (!canHeal(step, failed, assignment.definition, running.position, progress)) throw failed;
    const services = { assignment: { ...assignment, ...history }, link, attempt, requestAnswer: answerRequester(ctx) };
    return healStep(step, toPilothouseError(failed), createHealingContext(running.position, ctx, services));
  });
}

const answerRequester =
  ({
    attempt,
  }: StepContext): ((question: Parameters<typeof requestHumanAnswer>[1]) => ReturnType<typeof requestHumanAnswer>) =>
  (question) =>
    requestHumanAnswer(attempt, question);

function runWait(step: StepOfKind['wait'], ctx: StepContext): Promise<ActionResult> {
  const ms = stepMs(step);
  if (step.action === 'waitFor')
    return runInterruptibly(ms, ctx, (remainingMs, scope) => runAction(surfaceActionOf(step), remainingMs, scope));
  const waitMs = step.seconds * 1000;
  return runInterruptibly(waitMs, ctx, (remainingMs, scope) =>
    runAction({ action: 'wait', seconds: remainingMs / 1000 }, remainingMs + ms - waitMs, scope),
  );
}

/** Reads whether a condition holds or becomes true in time. Sends no input. */
function runCheck(
  { condition, timeout = DEFAULT_CHECK_SECONDS }: StepOfKind['check'],
  ctx: StepContext,
): Promise<ActionResult> {
  return runInterruptibly(timeout * 1000, ctx, async (remainingMs, scope) => {
    const { surface, clock, signal, lease } = scope;
    await lease.waitUntilHeld(signal);
    const deadline = clock.monotonic() + remainingMs;
    const value = await readSurface(deadline, scope, (context) => surface.expect(condition, context)).then(
      () => true,
      (thrown: unknown) => {
        if (isFalseCondition(thrown)) return false;
        throw thrown;
      },
    );
    signal.throwIfAborted();
    return { outcome: { located: null, value, effect: 'none' }, deadline };
  });
}

function runGoalStep(step: StepOfKind['goal'], ctx: StepContext): Promise<ActionResult> {
  const { attempt, running, branch, siteLimiter } = ctx;
  const { assignment, link, control } = attempt;
  const services = { assignment, link, attempt, control, requestAnswer: answerRequester(ctx) };
  return runGoal(
    step,
    branch
      ? branchAgentContext(running, ctx, { ...branch, siteLimiter }, services)
      : agentContext(running, ctx, services),
  );
}

function assertValueFits({ value }: ActionOutcome): void {
  const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `The step read ${bytes} bytes; at most ${MAX_VALUE_BYTES} are stored. Read less, or use several steps.`,
    { details: { bytes, limit: MAX_VALUE_BYTES } },
  );
}
