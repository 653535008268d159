import { eventPageOf } from '@pilothouse/core/run/event-page';
import { readOnlyActions, type Action } from '@pilothouse/contract/actions/action-sets';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError, toPilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { failedResult, type Result } from '@pilothouse/contract/run/outcome';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { durationSecondsOf, type GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { ActCommand, AgentInput } from '@pilothouse/core/agent/agent-protocol';
import type { AgentState } from '@pilothouse/core/agent/agent-state';
import { approvalPolicyOf } from '@pilothouse/core/agent/approval/approval';
import { requiredDialogApproval, irreversibleEffect } from '@pilothouse/core/agent/approval/approval-policy';
import { mayReceiveSecrets } from '@pilothouse/core/agent/approval/allowed-origins';
import { rowsOf } from '@pilothouse/core/agent/list-rows';
import { uriOriginOf } from '@pilothouse/core/origin/uri-origin';
import { resultOfError } from '@pilothouse/core/run/failed-result';
import type { Anchors } from '@pilothouse/core/ports/surface.port';
import { credentialPlaceholder, secretNamesIn } from '@pilothouse/core/workflow/secret-placeholders';
import { raceAbort } from '@pilothouse/core/time/deadlines';
import { runAction, type ActionResult } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { PreActionScreenshot } from '../../observation/page-screenshots.ts';
import type { AgentEventEmitter } from './agent-events.ts';

const ACTION_TIMEOUT_MS = 15_000;

const ANCHORS_TIMEOUT_MS = 2_000;

/** Errors that become inputs of the agent. All others fail the step. */
const agentErrors: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'TYPED_TEXT_DIFFERS',
  'CONDITION_NOT_MET',
  'NAVIGATION_FAILED',
  'EGRESS_BLOCKED',
  'SITE_LIMIT_TIMED_OUT',
  'STEP_TIMED_OUT',
  'UPLOAD_FAILED',
  'NOT_FOUND',
  'VALIDATION_FAILED',
  'TEMPLATE_INVALID',
  'ACTION_UNSUPPORTED',
  'APPROVAL_REQUIRED',
]);

/** Services of the attempt that actions use. */
export interface ExecutorContext {
  readonly scope: ActionScope;
  readonly events: Pick<EventBuffer, 'flush' | 'maskError'>;
  readonly assignment: Pick<Assignment, 'secrets'>;
  /** Waits until the limits of a site allow the action. */
  acquireSite(action: Action): Promise<void>;
  /** Ends the use of a site. @param url page after the action; null: unknown */
  releaseSite(action: Action, url: string | null): void;
  /** Adds related blocks and failures of the egress proxy to an error. */
  explainError(error: unknown): unknown;
}

/**
 * True before the first action if a model may have to compare screenshots later. If the author names texts or a condition, no model
 * verifies the goal.
 */
export const needsPreActionScreenshot = ({ goal, escalation, counters }: AgentState): boolean =>
  escalation.visionAvailable && counters.actions === 0 && goal.texts.length === 0 && goal.condition === null;

/** Executes the actions of an agent, one at a time. */
export class ActionExecutor {
  private readonly context: ExecutorContext;
  private readonly emitter: AgentEventEmitter;
  private readonly preActionScreenshot: PreActionScreenshot;
  /** Secrets that the goal names. */
  private readonly secrets: ReadonlySet<string>;

  constructor(
    { goal }: GoalStep,
    context: ExecutorContext,
    emitter: AgentEventEmitter,
    preActionScreenshot: PreActionScreenshot,
  ) {
    this.context = context;
    this.emitter = emitter;
    this.preActionScreenshot = preActionScreenshot;
    this.secrets = new Set(secretNamesIn(goal, context.assignment.secrets));
  }

  /** @throws as `runAction`, except for errors that the agent handles */
  async execute(command: ActCommand, state: AgentState): Promise<AgentInput> {
    const { scope, acquireSite, releaseSite } = this.context;
    const { action, number, title, approval, call } = command;
    this.emitter.emit(
      'agent.action_started',
      title,
      {
        ...{ sequence: number, action, title, ...(call !== undefined && { call }) },
        approval: approval?.source === 'human' ? approval.description : null,
      },
      state.counters.turns,
    );
    await acquireSite(action);
    await this.prepare(action, state);
    const pageAtStart = await this.readAnchors();
    const startedAt = scope.clock.monotonic();
    const { result, error, isInputSent } = await this.tryAction(command, state);
    const page = await this.readAnchors();
    releaseSite(action, page?.url ?? null);
    const durationMs = Math.round(scope.clock.monotonic() - startedAt);
    const view = error && this.context.events.maskError(error.view());
    const outcome = actionResult(result, error, isInputSent);
    this.emitCompleted(command, state, { durationMs, pageAtStart, page, result, outcome, error: view });
    const { origin, question, text } = error?.details ?? {};
    return {
      kind: 'acted',
      error: view,
      anchors: page,
      ...(result?.outcome.value !== undefined && { value: result.outcome.value }),
      result: outcome,
      ...(typeof origin === 'string' && { origin }),
      ...(typeof question === 'string' && { dialog: { question, text: typeof text === 'string' ? text : null } }),
    };
  }

  /** Makes the events durable before an action that changes something. */
  private async prepare(action: Action, state: AgentState): Promise<void> {
    const { scope, events } = this.context;
    const flushed = events.flush();
    flushed.catch(() => undefined);
    if (readOnlyActions.has(action.action)) return;
    if (needsPreActionScreenshot(state)) await this.preActionScreenshot.finish(state.page.current);
    await raceAbort(flushed, scope.signal);
  }

  private async tryAction(
    { action, approval }: ActCommand,
    state: AgentState,
  ): Promise<{ result: ActionResult | null; error: PilothouseError | null; isInputSent: boolean }> {
    const { scope, explainError } = this.context;
    const inputsBefore = scope.inputCounter.count;
    const timeoutMs = ACTION_TIMEOUT_MS + durationSecondsOf(action) * 1000;
    try {
      const result = await runAction(action, timeoutMs, {
        ...scope,
        reveal: (text, origin) => this.reveal(text, origin, state),
        mayAccept: (question) =>
          approval !== null || requiredDialogApproval(question, approvalPolicyOf(state)) === null,
      });
      return { result, error: null, isInputSent: true };
    } catch (thrown) {
      scope.signal.throwIfAborted();
      const error = toPilothouseError(explainError(thrown));
      if (!agentErrors.has(error.code)) throw thrown;
      return { result: null, error, isInputSent: scope.inputCounter.count > inputsBefore };
    }
  }

  private async readAnchors(): Promise<Anchors | null> {
    const { scope } = this.context;
    const anchors = await readSurface(scope.clock.monotonic() + ANCHORS_TIMEOUT_MS, scope, (context) =>
      scope.surface.anchors(context),
    ).catch(() => null);
    scope.signal.throwIfAborted();
    return anchors;
  }

  private emitCompleted(
    { action, number, title, description }: ActCommand,
    { page: { current }, counters }: AgentState,
    { durationMs, pageAtStart, page, result, outcome, error }: CompletedAction,
  ): void {
    const located = result?.outcome.located;
    const data = {
      sequence: number,
      durationMs,
      error,
      page: page && eventPageOf(page),
      // A late result of the previous action may have changed the page after its observation.
      pageBefore: current && {
        url: result?.outcome.inputUrl ?? pageAtStart?.url ?? current.url,
        title: pageAtStart?.title ?? current.title,
        height: current.scroll.above + current.viewport.height + current.scroll.below,
      },
      locators: located?.alternatives ?? [],
      ...(action.action === 'drag' && { endLocators: located?.ends ?? [] }),
      ...(current && { rows: rowsOf(current) }),
      ...outcome,
      irreversibleEffect: current && irreversibleEffect(action, current, description),
    };
    const message = error ? `${title}: ${error.message}` : `${title}: done`;
    this.emitter.emit('agent.action_completed', message, data, counters.turns);
  }

  /** Replaces the placeholders of secrets that the goal names, if the origin or application may receive them. */
  private async reveal(text: string, origin: string, state: AgentState): Promise<string> {
    const { scope, assignment } = this.context;
    const names = secretNamesIn(text, assignment.secrets);
    const undeclaredSecret = names.find((name) => !this.secrets.has(name));
    if (undeclaredSecret !== undefined)
      throw new PilothouseError(
        'TEMPLATE_INVALID',
        `The goal does not mention ${credentialPlaceholder(undeclaredSecret)}: it cannot be typed`,
      );
    const policy = approvalPolicyOf(state);
    if (names.length > 0 && !policy.autoApprove.has('credentials') && !mayReceiveSecrets(uriOriginOf(origin), policy)) {
      const message = `Typing a secret into ${describeReceiver(origin)} requires an approval`;
      throw new PilothouseError('APPROVAL_REQUIRED', message, { details: { origin } });
    }
    return scope.reveal(text, origin);
  }
}

/** Outcome and effect of an action. @param isInputSent true if input may have been sent before the error */
function actionResult(result: ActionResult | null, error: PilothouseError | null, isInputSent: boolean): Result {
  if (error || !result) return error ? resultOfError(error, isInputSent) : failedResult(isInputSent);
  const { effect, effectReason } = result.outcome;
  return { outcome: 'completed', effect, ...(effectReason !== undefined && { effectReason }) };
}

function describeReceiver(origin: string): string {
  const uriOrigin = uriOriginOf(origin);
  return uriOrigin.kind === 'application' ? `the application ${uriOrigin.name}` : `a page of ${origin}`;
}

interface CompletedAction {
  readonly durationMs: number;
  /** Page right before the action; null: unknown. */
  readonly pageAtStart: Anchors | null;
  /** Page after the action; null: unknown. */
  readonly page: Anchors | null;
  readonly result: ActionResult | null;
  readonly outcome: Result;
  readonly error: ErrorView | null;
}
