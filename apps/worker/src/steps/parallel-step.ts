import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_PARALLEL_MODEL_CALLS } from '@pilothouse/contract/model/model.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { MAX_EFFECT_REASON, type ActionEffect } from '@pilothouse/contract/run/outcome';
import { DEFAULT_MAX_PARALLEL, hasOwnPage, MAX_BRANCHES } from '@pilothouse/contract/workflow/parallel.schema';
import { DEFAULT_STEP_SECONDS, type ParallelStep } from '@pilothouse/contract/workflow/step.schema';
import { branchesInOrder, isReadOnlyBranch, type ParallelBranch } from '@pilothouse/core/interpreter/parallel-branches';
import { higherTier } from '@pilothouse/core/model/request-images';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { walkReachableNodes } from '@pilothouse/core/workflow/step-effects';
import { isRestorable } from '@pilothouse/core/ports/surface.port';
import type { ActionResult, CompletedOutcome } from '../actions/run-action.ts';
import type { StepContext } from '../context/attempt-context.ts';
import { sendHttpRequest, type RequestRoute } from '../network/http-request.ts';
import { BranchRunner } from './branch-runner.ts';

/**
 * Runs the branches of a step in parallel, each on its own page. A request branch has no page.
 * @returns value: by branch name, the values that its steps read by their ids; for a request its response
 * @throws PilothouseError the error of the first failed branch, with its name, after the others have stopped; STEP_TIMED_OUT
 */
export async function runParallelPages(step: ParallelStep, ctx: StepContext): Promise<ActionResult> {
  const { attempt, running, surface, signal, clock } = ctx;
  const { progress, events, safePoints, siteLimiter, timers } = attempt;
  const { position } = running;
  const { workflows } = progress.programState.program;
  const cancellation = attempt.cancellation.fork();
  const { timeout } = step;
  const timer =
    timeout === undefined
      ? undefined
      : timers.setTimeout(() => cancellation.abort(branchesTimedOut(timeout)), timeout * 1000);
  const branches = branchesInOrder(step);
  const values = new Map<string, Json>(Object.entries(safePoints.completedBranches(position)));
  if (values.size > 0) {
    const facts = { step: position.number, branches: [...values.keys()].join(', ') };
    const message = `Completed branches were not restarted: ${facts.branches}`;
    events.add('run.log', message, { facts });
  }
  const waiting = branches.filter(({ name }) => !values.has(name));
  const isReadOnly = (branch: ParallelBranch) => isReadOnlyBranch(branch, workflows);
  if (isRestorable(surface) && waiting.some(isReadOnly)) await safePoints.prepareBranches(surface, position);
  let tier: Tier = 'replay';
  const unverifiedBranches: string[] = [];
  const work = async (isMine: (branch: ParallelBranch) => boolean) => {
    for (;;) {
      const index = waiting.findIndex(isMine);
      const [branch] = index < 0 ? [] : waiting.splice(index, 1);
      if (!branch || cancellation.signal.aborted) return;
      try {
        const runner = new BranchRunner(branch, { ...ctx, signal: cancellation.signal });
        const value = await runner.run();
        tier = higherTier(tier, runner.tier);
        if (runner.isUnverified) unverifiedBranches.push(branch.name);
        values.set(branch.name, value);
        // A recovered attempt knows only the value: it would not know that a step is not verified.
        if (isReadOnly(branch) && !runner.isUnverified) safePoints.completeBranch(position, branch.name, value);
      } catch (thrown) {
        cancellation.abort(branchError(branch.name, thrown));
      }
    }
  };
  // With site limits branches run sequentially: the run acquires sites for one page at a time.
  const isSequential = siteLimiter.isEnabled;
  const isParallelRequest = ({ isPage }: ParallelBranch) => !isPage && !isSequential;
  const requests = waiting.filter(isParallelRequest).map(() => work(isParallelRequest));
  const pageWorkers = isSequential ? 1 : maxParallelPages(step, ctx);
  const pages = Array.from({ length: pageWorkers }, () => work((branch) => !isParallelRequest(branch)));
  try {
    // Every branch has ended before the step ends.
    await Promise.all([...requests, ...pages]);
    signal.throwIfAborted();
    cancellation.signal.throwIfAborted();
  } finally {
    cancellation.dispose();
    timers.clearTimeout(timer);
  }
  const value = Object.fromEntries(branches.map(({ name }) => [name, values.get(name) ?? null]));
  return {
    outcome: { located: null, value, ...effectOfBranches(unverifiedBranches) },
    deadline: clock.monotonic() + DEFAULT_STEP_SECONDS * 1000,
    tier,
  };
}

/** The step is confirmed if all steps of its branches are. */
function effectOfBranches(unverifiedBranches: readonly string[]): ActionEffect {
  if (unverifiedBranches.length === 0) return { effect: 'confirmed' };
  const names = [...unverifiedBranches].sort().join(', ');
  return {
    effect: 'unverifiable',
    effectReason: `Steps of these branches are not verified: ${names}`.slice(0, MAX_EFFECT_REASON),
  };
}

function maxParallelPages(step: ParallelStep, { attempt }: StepContext): number {
  const { workflows } = attempt.progress.programState.program;
  // Each agent makes one model call at a time.
  const hasAgents = [...walkReachableNodes([step], workflows)].some(({ action }) => action === 'goal');
  return Math.min(step.maxParallel ?? DEFAULT_MAX_PARALLEL, hasAgents ? MAX_PARALLEL_MODEL_CALLS : MAX_BRANCHES);
}

/**
 * Sends the requests of a step in parallel.
 * @returns value: the response of each, by name
 * @throws PilothouseError the error of the first failed request, with its name, after the others have stopped
 */
export async function sendParallelRequests(
  { branches }: ParallelStep,
  route: RequestRoute,
  context: Pick<ActionServices, 'signal' | 'guard' | 'reveal'>,
): Promise<CompletedOutcome> {
  const controller = new AbortController();
  const signal = AbortSignal.any([context.signal, controller.signal]);
  let firstError: PilothouseError | undefined;
  const requests = Object.entries(branches).map(async ([name, request]) => {
    try {
      if (hasOwnPage(request)) throw new Error('A branch with a page is not a request');
      const { value } = await sendHttpRequest(request, route, { ...context, signal });
      return [name, value ?? null] as const;
    } catch (thrown) {
      firstError ??= branchError(name, thrown);
      controller.abort(firstError);
      return [name, null] as const;
    }
  });
  // Every request has ended before the step ends.
  const values = await Promise.all(requests);
  context.signal.throwIfAborted();
  if (firstError) throw firstError;
  return { located: null, value: Object.fromEntries(values), effect: 'confirmed' };
}

const branchesTimedOut = (seconds: number) =>
  new PilothouseError('STEP_TIMED_OUT', `The branches did not finish within ${seconds} s`);

function branchError(name: string, thrown: unknown): PilothouseError {
  const { code, message, details } = toPilothouseError(thrown).view();
  return new PilothouseError(code, `${name}: ${message}`, { cause: thrown, details: { ...details, branch: name } });
}
