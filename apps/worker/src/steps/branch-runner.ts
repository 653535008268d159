import { eventPageOf } from '@pilothouse/core/run/event-page';
import { toPilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Result } from '@pilothouse/contract/run/outcome';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { advance, startBranch } from '@pilothouse/core/interpreter/interpreter';
import type { InterpreterState, StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { branchValue, type ParallelBranch } from '@pilothouse/core/interpreter/parallel-branches';
import { afterCaughtFailure } from '@pilothouse/core/interpreter/replay-history';
import { linearStepPath, stepRef } from '@pilothouse/core/interpreter/step-path';
import { toTemplateScope } from '@pilothouse/core/interpreter/variable-scope';
import { higherTier } from '@pilothouse/core/model/request-images';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { resultOfError } from '@pilothouse/core/run/failed-result';
import { renderStep } from '@pilothouse/core/workflow/secret-placeholders';
import { raceAbort } from '@pilothouse/core/time/deadlines';
import { isReadOnlyStep } from '@pilothouse/core/workflow/step-effects';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { restoreFields, type StepResult } from '../actions/run-action.ts';
import { readSurface } from '../actions/surface-reads.ts';
import { NO_HISTORY, type StepContext } from '../context/attempt-context.ts';
import { isCatchable } from '../error-policy.ts';
import type { SiteLimiter } from '../network/site-limiter.ts';
import { requirePages } from '../surface/surface-capabilities.ts';

/** Milliseconds to open the page of a branch, and for its downloads at the end. */
const OPEN_MS = 20_000;
const DOWNLOADS_MS = 30_000;

/** Runs the steps of one branch sequentially, on a separate page. */
export class BranchRunner {
  /** Highest tier that a step used. */
  tier: Tier = 'replay';
  /** True if the effect of a step could not be seen. */
  isUnverified = false;
  private readonly branch: ParallelBranch;
  /** Context of the parallel step, with the signal of its branches. */
  private readonly ctx: StepContext;
  private readonly siteLimiter: SiteLimiter;
  /** Address that the branch opened last. */
  private openedUrl: string | null = null;

  constructor(branch: ParallelBranch, ctx: StepContext) {
    this.branch = branch;
    this.ctx = ctx;
    this.siteLimiter = ctx.attempt.siteLimiter.forBranch();
  }

  /** @returns the value of the branch */
  async run(): Promise<Json> {
    const { isPage, nodes } = this.branch;
    const { attempt, surface, signal, clock } = this.ctx;
    try {
      const start = startBranch(attempt.progress.programState, nodes);
      if (!isPage) return await this.sendRequest(start);
      const page = await readSurface(clock.monotonic() + OPEN_MS, this.ctx, (context) =>
        requirePages(surface).openPage(context),
      );
      // A lost page ends its own waits: the step that uses it throws.
      try {
        let state = start;
        while (state.next.kind === 'step') state = await this.advanceStep(state, state.next.position, page);
        if (state.next.kind === 'failed') throw state.next.error;
        await restoreFields({ ...this.ctx, surface: page });
        await readSurface(clock.monotonic() + DOWNLOADS_MS, this.ctx, (context) => page.waitForFiles(context));
        signal.throwIfAborted();
        return branchValue(nodes, state);
      } finally {
        await page.close();
      }
    } finally {
      this.siteLimiter.releaseAll();
    }
  }

  private async sendRequest(state: InterpreterState): Promise<Json> {
    if (state.next.kind !== 'step') return null;
    return (await this.runStep(state, state.next.position, this.ctx.surface)).outcome.value ?? null;
  }

  /** @returns state after the step, or after a failure that the branch catches */
  private async advanceStep(state: InterpreterState, position: StepPosition, page: Surface): Promise<InterpreterState> {
    const { signal, attempt } = this.ctx;
    try {
      const { outcome } = await this.runStep(state, position, page);
      return advance(state, { status: 'completed', value: outcome.value ?? null });
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toPilothouseError(thrown);
      const nextState = isCatchable(error)
        ? afterCaughtFailure(state, { status: 'failed', error: attempt.events.maskError(error.view()) })
        : undefined;
      if (!nextState) throw error;
      return nextState;
    }
  }

  /** @throws PilothouseError the error of the step, after its event */
  private async runStep(state: InterpreterState, inner: StepPosition, surface: Surface): Promise<StepResult> {
    const { attempt, running, signal, assertCanAct, clock } = this.ctx;
    const { events, budget, screenshots, egress } = attempt;
    const { position } = running;
    const { name, isPage } = this.branch;
    const scope = toTemplateScope(state.scope, state.run);
    const step = renderStep(inner.step, scope);
    const ref = {
      ...stepRef(position),
      id: position.step.id ?? null,
      branch: name,
      sequence: inner.number + 1,
      ...(inner.path !== linearStepPath(inner.number) && { branchPath: inner.path }),
    };
    const title = stepTitle(step);
    budget.countBranchStep();
    await this.siteLimiter.acquire(step, async () => {
      signal.throwIfAborted();
      assertCanAct();
    });
    events.add('branch.step_started', `${name}: ${title}`, { ...ref, action: step.action, title });
    const durable = events.flush();
    durable.catch(() => undefined);
    // The intent of a step that changes something is durable before it runs.
    if (!isReadOnlyStep(step)) await raceAbort(durable, signal);
    const startedAt = clock.monotonic();
    const inputsBefore = this.ctx.inputCounter.count;
    const emitCompleted = (error: ErrorView | null, result: Result, page: StepResult['page']) => {
      const durationMs = Math.round(clock.monotonic() - startedAt);
      const message = `${name}: ${title}: ${error ? error.message : 'done'}`;
      const data = { ...ref, durationMs, error, ...result, page: page && eventPageOf(page) };
      events.add('branch.step_completed', message, data, error ? 'warn' : 'info');
      // The next event of another branch may be late.
      events.flush().catch(() => undefined);
    };
    const labelled: Step = { ...step, id: `${name}-${step.id ?? `${inner.number + 1}-${step.action}`}` };
    const onScreenshot = isPage ? screenshots.onBeforeAction(position, labelled) : undefined;
    try {
      const result = await attempt.executeStep({
        ...this.ctx,
        ...{ step, surface, siteLimiter: this.siteLimiter, history: NO_HISTORY, interruption: null },
        branch: { branch: name, inner, scope, openedUrl: this.openedUrl },
        ...(onScreenshot && { onPreActionScreenshot: onScreenshot }),
      });
      this.tier = higherTier(this.tier, result.tier);
      if (step.action === 'navigate' && URL.canParse(step.url)) this.openedUrl = step.url;
      this.siteLimiter.release(step, result.page?.url ?? null);
      const { effect, effectReason } = result.outcome;
      this.isUnverified ||= effect === 'unverifiable';
      emitCompleted(
        null,
        { outcome: 'completed', effect, ...(effectReason !== undefined && { effectReason }) },
        result.page,
      );
      if (isPage) await screenshots.afterStep(surface, position, labelled, result.outcome.screenshot);
      return result;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toPilothouseError(egress.explainError(thrown));
      // Other branches count their inputs, too.
      const isInputSent = mayChangeState(step) && this.ctx.inputCounter.count > inputsBefore;
      emitCompleted(events.maskError(error.view()), resultOfError(error, isInputSent), null);
      if (isPage) await screenshots.afterFailure(surface, position, labelled);
      throw error;
    }
  }
}

/** True if a step may change a surface, a server or a profile. Requests and profiles leave the surface as it is. */
const mayChangeState = (step: Step): boolean =>
  step.action === 'http' || step.action === 'saveProfile' || !isReadOnlyStep(step);
