import {
  DEFAULT_MAX_PARALLEL,
  DEFAULT_STEP_SECONDS,
  MAX_BRANCHES,
  MAX_PARALLEL_MODEL_CALLS,
  PilothouseError,
  toPilothouseError,
  type ErrorView,
  type GoalStep,
  type Json,
  type ParallelStep,
  type Step,
  type Tier,
} from '@pilothouse/contract';
import {
  advance,
  startBranch,
  branchesInOrder,
  branchValue,
  afterCaughtFailure,
  isReadOnlyStep,
  isReadOnlyBranch,
  stepRef,
  linearStepPath,
  walkReachableNodes,
  renderStep,
  toTemplateScope,
  stepTitle,
  type ParallelBranch,
  type StepPosition,
  type InterpreterState,
  type Surface,
  higherTier,
  linkAbort,
  raceAbort,
  systemTimers,
} from '@pilothouse/core';
import { readSurface, type ActionResult, type ActionScope } from '../actions/run-action.ts';
import type { BranchPosition } from './goal/goal-step.ts';
import type { SiteLimiter } from '../network/site-limiter.ts';
import type { ScreenshotRecorder } from '../artifacts/screenshot-recorder.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import type { SafePointTracker } from '../attempt/safe-points.ts';
import { executeStep, type StepResult } from './step-executors.ts';

/** Milliseconds for opening the page of a branch, and for what its downloads may still take at its end. */
const OPEN_MS = 20_000;
const FILES_MS = 30_000;

/** What branches need of their attempt. */
export interface BranchParts {
  readonly place: StepPosition;
  /** Where the run is, which does not change while the branches are at work. */
  readonly around: InterpreterState;
  readonly act: ActionScope;
  readonly events: Pick<EventBuffer, 'add' | 'flush' | 'maskError'>;
  readonly screenshots: Pick<ScreenshotRecorder, 'onBeforeAction' | 'afterStep' | 'afterFailure'>;
  readonly siteLimiter: Pick<SiteLimiter, 'forBranch' | 'isEnabled'>;
  readonly safePoints: Pick<SafePointTracker, 'prepareBranches' | 'completeBranch' | 'completedBranches'>;
  /** One more step begins. @throws why it may not */
  begin(): void;
  /** What the way out says of an error. */
  explained(error: unknown): unknown;
  /** Whether a workflow may go on after it. */
  mayCatch(error: PilothouseError): boolean;
  /** Carries out a step of a branch that is said in words. */
  goal(step: GoalStep, parts: ActionScope, where: BranchPosition): Promise<ActionResult>;
}

/**
 * Carries out the branches of a step side by side, each on a page of its own and its steps one after the other; requests have no page.
 * @returns value: by the name of each branch what its steps have read, by their ids; of a request its answer
 * @throws PilothouseError what the first that failed threw, with its name; the others are stopped and their pages closed by then; STEP_TIMED_OUT
 */
export async function runParallel(step: ParallelStep, parts: BranchParts): Promise<ActionResult> {
  const { act, place, safePoints } = parts;
  const { workflows } = parts.around.program;
  const stop = new AbortController();
  const untie = linkAbort(act.signal, (reason) => stop.abort(reason));
  const late =
    step.timeout === undefined
      ? undefined
      : systemTimers.setTimeout(() => stop.abort(tooLate(step)), step.timeout * 1000);
  const all = branchesInOrder(step);
  const values = new Map(Object.entries(safePoints.completedBranches(place)));
  if (values.size > 0) {
    const facts = { step: place.number, branches: [...values.keys()].join(', ') };
    parts.events.add('run.log', `Branches that had read all they were to are not begun again: ${facts.branches}`, {
      facts,
    });
  }
  const waiting = all.filter(({ name }) => !values.has(name));
  const reads = (branch: ParallelBranch) => isReadOnlyBranch(branch, workflows);
  if (waiting.some(reads)) await safePoints.prepareBranches(act.surface, place);
  // The places that a run has at sites with limits are those of one page at a time.
  const oneByOne = parts.siteLimiter.isEnabled;
  let tier: Tier = 'replay';
  // Each agent asks one thing at a time.
  const hasAgents = [...walkReachableNodes([step], workflows)].some(({ action }) => action === 'goal');
  const maxParallel = Math.min(
    step.maxParallel ?? DEFAULT_MAX_PARALLEL,
    hasAgents ? MAX_PARALLEL_MODEL_CALLS : MAX_BRANCHES,
  );
  const most = oneByOne ? 1 : maxParallel;
  const worker = async (isMine: (branch: ParallelBranch) => boolean) => {
    for (;;) {
      const index = waiting.findIndex(isMine);
      const [branch] = index < 0 ? [] : waiting.splice(index, 1);
      if (!branch || stop.signal.aborted) return;
      try {
        const signal = stop.signal;
        const progress = new BranchCourse(branch, { ...parts, act: { ...act, signal: signal } });
        const value = await progress.run();
        tier = higherTier(tier, progress.tier);
        values.set(branch.name, value);
        if (reads(branch)) safePoints.completeBranch(place, branch.name, value);
      } catch (thrown) {
        stop.abort(named(branch.name, thrown));
      }
    }
  };
  const isRequest = ({ isPage }: ParallelBranch) => !isPage && !oneByOne;
  const requests = waiting.filter(isRequest).map(() => worker(isRequest));
  const others = Array.from({ length: most }, () => worker((branch) => !isRequest(branch)));
  try {
    // All of them: none goes on when the step is over.
    await Promise.all([...requests, ...others]);
    act.signal.throwIfAborted();
    stop.signal.throwIfAborted();
  } finally {
    untie();
    systemTimers.clearTimeout(late);
  }
  const value = Object.fromEntries(all.map(({ name }) => [name, values.get(name) ?? null]));
  return { outcome: { located: null, value }, deadline: act.clock.monotonic() + DEFAULT_STEP_SECONDS * 1000, tier };
}

const tooLate = ({ timeout = 0 }: ParallelStep) =>
  new PilothouseError('STEP_TIMED_OUT', `The branches did not end within the ${timeout} s of their step`);

function named(name: string, thrown: unknown): PilothouseError {
  const { code, message, details } = toPilothouseError(thrown).view();
  return new PilothouseError(code, `${name}: ${message}`, { cause: thrown, details: { ...details, branch: name } });
}

/** The way of one branch through its steps. */
class BranchCourse {
  /** The highest that its steps took. */
  tier: Tier = 'replay';
  /** Address that it opened last. */
  private opened: string | null = null;
  private readonly branch: ParallelBranch;
  private readonly parts: BranchParts;
  private readonly siteLimiter: SiteLimiter;

  constructor(branch: ParallelBranch, parts: BranchParts) {
    this.branch = branch;
    this.parts = parts;
    this.siteLimiter = parts.siteLimiter.forBranch();
  }

  /** @returns what it is worth */
  async run(): Promise<Json> {
    const { isPage, nodes } = this.branch;
    const { act, around } = this.parts;
    try {
      const start = startBranch(around, nodes);
      if (!isPage) return await this.request(start);
      const { surface, signal, clock } = act;
      const page = await readSurface(clock.monotonic() + OPEN_MS, act, (context) => surface.beside(context));
      // A page that is lost ends its own waits; the others hear of it from what its step throws.
      try {
        let state = start;
        while (state.next.kind === 'step') state = await this.step(state, state.next.place, page);
        if (state.next.kind === 'failed') throw state.next.error;
        await readSurface(clock.monotonic() + FILES_MS, act, (context) => page.filesKept(context));
        signal.throwIfAborted();
        return branchValue(nodes, state);
      } finally {
        await page.close();
      }
    } finally {
      this.siteLimiter.releaseAll();
    }
  }

  private async request(state: InterpreterState): Promise<Json> {
    if (state.next.kind !== 'step') return null;
    return (await this.take(state, state.next.place, this.parts.act.surface)).outcome.value ?? null;
  }

  /** @returns where the branch is after the step; after a failure, when the branch itself catches it */
  private async step(state: InterpreterState, place: StepPosition, page: Surface): Promise<InterpreterState> {
    const { act, events, mayCatch } = this.parts;
    try {
      const { outcome } = await this.take(state, place, page);
      return advance(state, { status: 'completed', value: outcome.value ?? null });
    } catch (thrown) {
      act.signal.throwIfAborted();
      const failed = toPilothouseError(thrown);
      const caught = mayCatch(failed)
        ? afterCaughtFailure(state, { status: 'failed', error: events.maskError(failed.view()) })
        : undefined;
      if (!caught) throw failed;
      return caught;
    }
  }

  /** @throws PilothouseError what the step failed with, which was said by then */
  private async take(state: InterpreterState, inner: StepPosition, surface: Surface): Promise<StepResult> {
    const { place, act, events, screenshots, begin, explained, goal } = this.parts;
    const { name, isPage } = this.branch;
    const scope = toTemplateScope(state.scope, state.run);
    const step = renderStep(inner.step, scope);
    const ref = {
      ...stepRef(place),
      id: place.step.id ?? null,
      branch: name,
      sequence: inner.number + 1,
      ...(inner.path !== linearStepPath(inner.number) && { branchPath: inner.path }),
    };
    const title = stepTitle(step);
    begin();
    await this.siteLimiter.acquire(step, async () => {
      act.signal.throwIfAborted();
      act.assertCanAct();
    });
    events.add('branch.step_started', `${name}: ${title}`, { ...ref, action: step.action, title });
    const durable = events.flush();
    durable.catch(() => undefined);
    // What changes something is written down before it happens.
    if (!isReadOnlyStep(step)) await raceAbort(durable, act.signal);
    const began = act.clock.monotonic();
    const over = (error: ErrorView | null, page: StepResult['page']) => {
      const ms = Math.round(act.clock.monotonic() - began);
      const message = `${name}: ${title}: ${error ? error.message : 'done'}`;
      const where = page && { url: page.url, title: page.title };
      events.add(
        'branch.step_completed',
        message,
        { ...ref, durationMs: ms, error, page: where },
        error ? 'warn' : 'info',
      );
      // The others may be long in saying something.
      events.flush().catch(() => undefined);
    };
    const named: Step = { ...step, id: `${name}-${step.id ?? `${inner.number + 1}-${step.action}`}` };
    const before = isPage ? screenshots.onBeforeAction(place, named) : undefined;
    try {
      const done = await executeStep(step, {
        ...{ ...act, surface, settled: unsaid, heal: unhealed, patience: null, ...(before && { before }) },
        goal: (said, own) =>
          goal(said, own, { branch: name, inner, scope, opened: this.opened, siteLimiter: this.siteLimiter }),
      });
      this.tier = higherTier(this.tier, done.tier);
      if (step.action === 'navigate' && URL.canParse(step.url)) this.opened = step.url;
      this.siteLimiter.release(step, done.page?.url ?? null);
      over(null, done.page);
      if (isPage) await screenshots.afterStep(surface, place, named, done.outcome.screenshot);
      return done;
    } catch (thrown) {
      act.signal.throwIfAborted();
      const failed = toPilothouseError(explained(thrown));
      over(events.maskError(failed.view()), null);
      if (isPage) await screenshots.afterFailure(surface, place, named);
      throw failed;
    }
  }
}

/** Of a step of a branch nobody is asked, and it is done as it is written. */
const unsaid: ActionScope['settled'] = () => null;
const unhealed: ActionScope['heal'] = (_step, failed) => Promise.reject(failed);
