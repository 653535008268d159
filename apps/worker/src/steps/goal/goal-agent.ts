import type { AgentContext } from './agent-context.ts';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { stepSeconds, type GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { AgentCommand, AgentInput } from '@pilothouse/core/agent/agent-protocol';
import { reduce } from '@pilothouse/core/agent/agent-reducer';
import { appendNote, withNote, type AgentState } from '@pilothouse/core/agent/agent-state';
import {
  alertsNearFields,
  filledIndexes,
  invalidFields,
  lostValues,
  typedTexts,
  unusedGoalTexts,
} from '@pilothouse/core/agent/entered-values';
import { fileIdsIn } from '@pilothouse/core/agent/file-inputs';
import { isAtAnchor, type GoalCriteria, type GoalVerdict } from '@pilothouse/core/agent/goal-verification';
import { nextCommand } from '@pilothouse/core/agent/next-command';
import { readsWholeText } from '@pilothouse/core/agent/known-text';
import { mayShowSuggestions as asksForSuggestions } from '@pilothouse/core/agent/page-queries';
import type { ObservedPage } from '@pilothouse/core/agent/observed-text';
import type { Anchors } from '@pilothouse/core/ports/surface.port';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import type { ActionResult } from '../../actions/run-action.ts';
import { agentQuestion } from '../../context/human-questions.ts';
import { ModelClient } from '../agent/model-client.ts';
import { observeStablePage, STABLE_MS } from '../../observation/page-observer.ts';
import { PreActionScreenshot } from '../../observation/page-screenshots.ts';
import { ActionExecutor, needsPreActionScreenshot } from './action-executor.ts';
import { AgentEventEmitter } from './agent-events.ts';
import { GoalModels } from './goal-models.ts';
import { focusAnchor } from './anchor-focus.ts';
import { prepareAgentState } from './initial-goal-state.ts';
import {
  checkClaim,
  EXPECT_TIMEOUT_MS,
  filterFindableTexts,
  locateAnswer,
  waitForExpectation,
  waitForLocation,
} from './page-checks.ts';

/** Milliseconds for which a list that may offer suggestions has to stay the same. */
const SUGGESTIONS_MS = 600;

/**
 * Runs a goal step: observes, asks models, acts and checks, until the goal is met.
 * @throws PilothouseError GOAL_FAILED, STEP_TIMED_OUT; MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, BUDGET_EXCEEDED; as `runAction`
 */
export const runGoal = (step: GoalStep, context: AgentContext): Promise<ActionResult> =>
  new GoalAgent(step, context).run();

type CommandOf<Kind extends AgentCommand['kind']> = Extract<AgentCommand, { kind: Kind }>;
type PendingKind = Exclude<AgentCommand['kind'], 'done' | 'fail'>;
type CommandHandlers = { readonly [Kind in PendingKind]: (command: CommandOf<Kind>) => Promise<AgentInput> };

/** Commands before which a person may take control. */
const allowsControl = ({ kind }: AgentCommand) => kind === 'think' || kind === 'act';

class GoalAgent {
  private readonly step: GoalStep;
  private readonly context: AgentContext;
  private state: AgentState;
  /** Monotonic milliseconds. Questions to people extend it. */
  private deadline: number;
  private readonly models: GoalModels;
  private readonly emitter: AgentEventEmitter;
  private readonly executor: ActionExecutor;
  private readonly preActionScreenshot: PreActionScreenshot;
  /** Monotonic milliseconds until which the expected result of a turn is waited for. */
  private expectationDeadline = 0;
  /** Document whose loading screen did not end in time. It is not waited for again. */
  private busyDocument: number | null = null;
  /** Milliseconds for which the page has to stay the same before a model sees it. */
  private stableMs = STABLE_MS;

  private readonly commandHandlers: CommandHandlers = {
    observe: (command) => this.observe(command),
    think: (command) => this.models.think(command, this.state),
    act: (command) => this.act(command),
    describeScreenshot: (command) => this.models.describeScreenshot(command),
    identifyCanvas: async ({ point }) => ({
      kind: 'canvasIdentified',
      target: await this.models.identifyCanvas(point),
    }),
    replan: (command) => this.models.replan(command, this.state),
    checkClaim: async (command) => ({ kind: 'claimChecked', verdict: await this.checkClaim(command) }),
    verifyClaim: async (command) => ({
      kind: 'claimChecked',
      verdict: await this.models.verifyClaim(command, this.state),
    }),
    verifyTurn: async (command) => ({
      kind: 'turnVerified',
      verdict: await this.models.verifyTurn(command, this.state),
    }),
    askHuman: (command) => this.requestHumanAnswer(command),
  };

  constructor(step: GoalStep, context: AgentContext) {
    this.step = step;
    this.context = context;
    const { position, branch, scope, masker, events } = context;
    this.state = prepareAgentState(step, context);
    this.emitter = new AgentEventEmitter(position, events, this.state.history.notes.length, branch);
    this.preActionScreenshot = new PreActionScreenshot({ ...scope, masker });
    this.executor = new ActionExecutor(step, context, this.emitter, this.preActionScreenshot);
    this.deadline = scope.clock.monotonic() + stepSeconds(step) * 1000;
    const client = new ModelClient({
      ...context,
      deadline: () => this.deadline,
      timeoutError: () => this.timeoutError(),
    });
    this.models = new GoalModels(context, client, this.emitter, this.preActionScreenshot);
  }

  async run(): Promise<ActionResult> {
    const { scope, turns } = this.context;
    try {
      const result = await this.runToEnd();
      await turns?.end(false);
      return result;
    } catch (thrown) {
      await turns?.end(!scope.signal.aborted);
      throw thrown;
    }
  }

  private async runToEnd(): Promise<ActionResult> {
    const { scope, maskSecrets } = this.context;
    // A page may show a secret before it is typed, and models see the page.
    await maskSecrets();
    await this.loadFileFacts();
    for (;;) {
      scope.signal.throwIfAborted();
      scope.assertCanAct();
      const command = nextCommand(this.state);
      if (command.kind === 'done') return this.finish(command);
      if (command.kind === 'fail') throw new PilothouseError(command.code ?? 'GOAL_FAILED', command.reason);
      if (allowsControl(command) && (await this.waitForManualControl())) continue;
      if (scope.clock.monotonic() > this.deadline) throw this.timeoutError();
      const handler = this.commandHandlers[command.kind] as (command: AgentCommand) => Promise<AgentInput>;
      await this.apply(await handler(command));
    }
  }

  private async apply(input: AgentInput): Promise<void> {
    const previous = this.state;
    this.state = reduce(previous, input);
    await this.dropUnfindableTexts(previous);
    const { highest } = this.state.escalation;
    if (highest !== previous.escalation.highest) this.context.onTier(highest);
    this.context.actionCache.onTransition(previous, this.state, input);
    this.context.turns?.onTransition(previous, this.state, input);
    this.emitter.emitNewNotes(this.state);
  }

  private async finish({ answer }: CommandOf<'done'>): Promise<ActionResult> {
    const { scope, events, actionCache } = this.context;
    const { escalation, counters } = this.state;
    const sources = await locateAnswer(answer, this.claimEvidence(), scope);
    if (sources) {
      const level = sources.missing.length > 0 || sources.unchecked ? 'warn' : undefined;
      this.emitter.emit('agent.answer_sources', answerSourcesTitle(sources), sources, counters.turns, level);
    }
    await Promise.all([events.flush(), actionCache.commit()]);
    const tier = escalation.highest === 'replay' && this.models.hasVerifiedClaim ? 'text' : escalation.highest;
    // A goal is met only after a check succeeded.
    return { outcome: { located: null, value: answer, effect: 'confirmed' }, deadline: this.deadline, tier };
  }

  /** Adds name, type and size of the files that the goal names. Unknown ids are left out. */
  private async loadFileFacts(): Promise<void> {
    const { scope } = this.context;
    const { goal } = this.state;
    const requests = fileIdsIn(goal.text).map((id) => scope.fileFacts(id).catch(() => null));
    const files = (await Promise.all(requests)).flatMap((facts) => facts ?? []);
    scope.signal.throwIfAborted();
    this.state = { ...this.state, goal: { ...goal, files } };
  }

  private async observe({ depth, condition, isMidTurn, zooms }: CommandOf<'observe'>): Promise<AgentInput> {
    const { scope } = this.context;
    if (depth === 'anchors') return { kind: 'located', anchors: await this.waitForAnchor(condition?.anchor ?? '') };
    if (condition) return { kind: 'observed', observation: await this.waitForExpected(condition) };
    const onFirst = needsPreActionScreenshot(this.state)
      ? (page: Observation) => this.preActionScreenshot.start(page)
      : undefined;
    const observation = await observeStablePage(
      readsWholeText(this.state) ? 'page' : depth === 'screenshot' ? 'view' : depth,
      isMidTurn ? 0 : this.stableMs,
      scope,
      onFirst,
      (page) => page.document === this.busyDocument,
    );
    if (observation.busy) this.busyDocument = observation.document;
    if (depth !== 'screenshot') return { kind: 'observed', observation };
    return { kind: 'observed', ...(await this.models.captureScreenshot(zooms)) };
  }

  /** Waits for the expected anchor. On a surface with windows, activates a background window with this anchor. */
  private async waitForAnchor(anchor: string): Promise<Anchors> {
    const { scope, surface } = this.context;
    const anchors = await waitForLocation(anchor, this.expectationDeadline, scope);
    if (surfaceTraits[surface].isPaged || !(await this.focusAnchor(anchor))) return anchors;
    return waitForLocation(anchor, this.expectationDeadline, scope);
  }

  /** Waits for the expected content, also in a window that was in the background. */
  private async waitForExpected(expected: Expectation): Promise<Observation> {
    const { scope, surface } = this.context;
    const page = await waitForExpectation(expected, this.expectationDeadline, scope);
    const { anchor } = expected;
    if (surfaceTraits[surface].isPaged || anchor === null || isAtAnchor(anchor, page)) return page;
    if (!(await this.focusAnchor(anchor))) return page;
    return waitForExpectation(expected, this.expectationDeadline, scope);
  }

  /** Brings the tab or window of an anchor to the front, and notes it. */
  private async focusAnchor(anchor: string): Promise<boolean> {
    const { scope, surface } = this.context;
    const hasFocused = await focusAnchor(anchor, surface, scope);
    if (hasFocused) {
      const name = surfaceTraits[surface].isPaged ? 'A tab' : 'A window';
      const note = `${name} in the background shows “${anchor}” and was brought to the front`;
      this.state = withNote(this.state, 'page_changed', note);
    }
    return hasFocused;
  }

  private async act(command: CommandOf<'act'>): Promise<AgentInput> {
    const { current } = this.state.page;
    this.stableMs = current && asksForSuggestions(command.action, current) ? SUGGESTIONS_MS : STABLE_MS;
    // Later actions of the turn find a changed page.
    if (command.isFirstOfTurn) await this.models.finishTurnScreenshot(this.state);
    await this.context.turns?.beforeAction();
    const result = await this.executor.execute(command, this.state);
    this.expectationDeadline = this.context.scope.clock.monotonic() + EXPECT_TIMEOUT_MS;
    return result;
  }

  private async checkClaim({ claim, isEarly }: CommandOf<'checkClaim'>): Promise<GoalVerdict> {
    const { scope } = this.context;
    if (!isEarly && claim.anchor !== null) await this.focusAnchor(claim.anchor);
    const { history, goal } = this.state;
    const { enteredValues } = history;
    const hasExpectedTexts = enteredValues.length > 0 || /["“„«]/.test(goal.text);
    const lost = (page: ObservedPage) => [
      ...lostValues(enteredValues, page),
      ...alertsNearFields(enteredValues, page, this.state.page.initialText),
      ...unusedGoalTexts(this.state, claim.answer, page),
    ];
    return checkClaim(claim, this.step, isEarly, scope, {
      ...(hasExpectedTexts && !(isEarly && claim.indicators.length === 0) && { lostValues: lost }),
      ...this.claimEvidence(),
    });
  }

  private claimEvidence(): Required<Pick<GoalCriteria, 'invalidFields' | 'filledIndexes' | 'history'>> {
    const { goal, counters, page, history } = this.state;
    const { enteredValues } = history;
    return {
      invalidFields: (observed) => invalidFields(enteredValues, observed),
      filledIndexes: (observed) => filledIndexes(enteredValues, observed),
      history: {
        goal,
        actionCount: counters.succeededActions,
        initialText: page.initialText,
        knownText: page.knownText,
        seenTexts: page.seenTexts,
        typedTexts: typedTexts(enteredValues),
      },
    };
  }

  /** Keeps only the expected texts that a condition finds, because a later run without a model waits for them. */
  private async dropUnfindableTexts(previous: AgentState): Promise<void> {
    const { scope } = this.context;
    const { notes } = this.state.history;
    const previousCount = previous.history.notes.length;
    const newNotes = notes.slice(previousCount);
    if (!newNotes.some(({ newlyMet }) => newlyMet)) return;
    const findable = newNotes.map(async ({ newlyMet, ...note }) => ({
      ...note,
      ...(newlyMet && { newlyMet: await filterFindableTexts(newlyMet, scope) }),
    }));
    const history = { ...this.state.history, notes: notes.slice(0, previousCount) };
    this.state = (await Promise.all(findable)).reduce(appendNote, { ...this.state, history });
  }

  private async requestHumanAnswer({ question, number, reason }: CommandOf<'askHuman'>): Promise<AgentInput> {
    const { position } = this.context;
    const {
      choice,
      text = null,
      answeredBy: operator,
    } = await this.requestAnswerAndExtend(agentQuestion(question, reason, number, position));
    return { kind: 'humanAnswered', choice: choice === 'retry' ? 'continue' : choice, text, actor: operator };
  }

  /** Waits while a person has control. @returns true if a person had control */
  private async waitForManualControl(): Promise<boolean> {
    const { controlQuestion, manualActions, actionCache, turns } = this.context;
    const question = controlQuestion();
    if (!question) return false;
    const { answeredBy: operator } = await this.requestAnswerAndExtend(question);
    // A later run cannot repeat the manual actions.
    actionCache.disable();
    turns?.onManualControlEnded();
    this.state = reduce(this.state, { kind: 'manualControlEnded', actor: operator, actions: manualActions() });
    this.emitter.emitNewNotes(this.state);
    return true;
  }

  /** Extends the deadline by the time that a person needs to answer. */
  private async requestAnswerAndExtend(question: RunQuestion): Promise<RunAnswer> {
    const { requestAnswer, scope } = this.context;
    const startedAt = scope.clock.monotonic();
    const answer = await requestAnswer(question);
    this.deadline += scope.clock.monotonic() - startedAt;
    return answer;
  }

  private timeoutError(): PilothouseError {
    return new PilothouseError('STEP_TIMED_OUT', `The goal was not reached within ${stepSeconds(this.step)} s`);
  }
}

function answerSourcesTitle({
  missing,
  unchecked,
}: Pick<EventData<'agent.answer_sources'>, 'missing' | 'unchecked'>): string {
  if (missing.length === 0)
    return unchecked ? 'The answer is too large: not all of it was checked' : 'The answer has a source';
  const names = missing.map((pointer) => (pointer === '' ? 'the answer' : pointer)).slice(0, 5);
  return `No page shows ${names.join(', ')}`;
}
