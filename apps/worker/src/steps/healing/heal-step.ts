import type { Action } from '@pilothouse/contract/actions/action-sets';
import {
  isEphemeralLocator,
  locatorNames,
  toLocatorChain,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import { surfaceActionOf, stepSeconds, type SurfaceStep } from '@pilothouse/contract/workflow/step.schema';
import type { ApprovalNeeded } from '@pilothouse/core/agent/approval/approval-policy';
import { mostSimilarElement, synonymousElements } from '@pilothouse/core/agent/healing/element-similarity';
import {
  effectOfNamedAction,
  isPositionalLocator,
  stableLocatorsAtPoint,
  toTargetDescription,
  type TargetDescription as WantedElement,
} from '@pilothouse/core/agent/healing/lost-element';
import { stepTarget } from '@pilothouse/core/agent/healing/workflow-repair';
import { answersStep } from '@pilothouse/core/interpreter/step-path';
import { describeElement } from '@pilothouse/core/observation/observation-text';
import { contradictedName } from '@pilothouse/core/workflow/name-contradiction';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { runAction, type ActionResult } from '../../actions/run-action.ts';
import { agentQuestion } from '../../context/human-questions.ts';
import { describeStepElement, healingDetails, tierOfMethod, type Candidate } from './candidates.ts';
import {
  assertRecoverable,
  findPlausibleElement,
  hasPageChanged,
  observeScreens,
  readRecordedLocators,
  scrollPage,
} from './element-search.ts';
import { approvalForChoice, approvalForTarget, unlessIntended } from './healing-approval.ts';
import { ModelElementFinder } from './model-candidates.ts';
import { startHealedTurn } from './healed-turn.ts';
import type { HealingContext } from './healing-scope.ts';
import { missingElementQuestion, skippedResult } from './human-candidates.ts';

/** Maximum questions to people about one step. */
const MAX_QUESTIONS = 10;

/**
 * Heals a step whose locators find nothing. Tries in order: locators of earlier runs, similarity, a model with the element list, a model with
 * a screenshot, and a person if the workflow asks people.
 * @throws PilothouseError `failure` with the reasons; errors that end an attempt
 */
export const healStep = (step: SurfaceStep, failure: PilothouseError, context: HealingContext): Promise<ActionResult> =>
  new StepHealer(step, failure, context).run();

class StepHealer {
  private readonly step: SurfaceStep;
  private readonly action: Action;
  private readonly failure: PilothouseError;
  private readonly context: HealingContext;
  private readonly previousLocators: readonly Locator[];
  /** Failures of the methods so far. */
  private readonly reasons: string[] = [];
  private recorded: readonly Locator[] = [];
  private readonly model: ModelElementFinder;
  /** Answer of a person to an earlier attempt. */
  private readonly previousAnswer: RunAnswer | null;
  private questionCount: number;
  /** Effects that a person declined. They are not asked about again. */
  private readonly declined = new Set<string>();

  constructor(step: SurfaceStep, failure: PilothouseError, context: HealingContext) {
    this.step = step;
    this.action = surfaceActionOf(step);
    this.failure = failure;
    this.context = context;
    this.previousLocators = toLocatorChain(stepTarget(step)?.target ?? []);
    this.model = new ModelElementFinder(context);
    const { answer } = context.assignment;
    this.previousAnswer = answer?.questionNumber !== undefined && answersStep(answer, context.position) ? answer : null;
    // Renewals repeat the answer of an earlier attempt. A new question with the same number would be answered by it.
    this.questionCount = this.previousAnswer?.questionNumber ?? 0;
  }

  async run(): Promise<ActionResult> {
    const { scope } = this.context;
    const automaticMethods = [
      () => this.healByRecordedLocators(),
      () => this.healBySimilarity(),
      () => this.healByModel('text'),
      () => this.healByModel('screenshot'),
    ];
    // Locators that find different elements need a person. Each method would prefer one of them.
    const isConflict = this.failure.details?.['conflictsWith'] !== undefined;
    if (isConflict) this.reasons.push('its locators find different elements: a person has to decide');
    const methods = [
      () => this.healByPreviousAnswer(),
      ...(isConflict ? [] : automaticMethods),
      () => this.healByHuman(),
    ];
    for (const method of methods) {
      scope.signal.throwIfAborted();
      scope.assertCanAct();
      const result = await method();
      if (result) return result;
    }
    throw this.healingFailed();
  }

  private healingFailed(): PilothouseError {
    const reasons = this.reasons.join('; ');
    return new PilothouseError(this.failure.code, `${this.failure.message}; not healed: ${reasons}`, {
      details: { ...this.failure.details, heal: reasons },
      cause: this.failure,
    });
  }

  /** Tries the element that a person pointed at in an earlier attempt. */
  private async healByPreviousAnswer(): Promise<ActionResult | null> {
    const { choice, target } = this.previousAnswer ?? {};
    // Indexes and points belong to the old page and are no longer valid.
    return choice === 'retry' && target && !toLocatorChain(target).some(isEphemeralLocator)
      ? this.tryChosenTarget(target)
      : null;
  }

  /** Tries locators of earlier runs if they find a plausible element. */
  private async healByRecordedLocators(): Promise<ActionResult | null> {
    this.recorded = await readRecordedLocators(this.context);
    const wanted = this.describeTarget();
    const contradictions: string[] = [];
    for (const locator of this.recorded) {
      const element = await findPlausibleElement(locator, wanted, this.context.scope);
      if (!element) continue;
      const contradiction = this.contradictionOf(element.name);
      const kind = effectOfNamedAction(this.action, element);
      const approval = kind === null ? null : { kind, description: `use ${describeElement(element)}` };
      const candidate = {
        method: 'earlier-run' as const,
        target: locator,
        element,
        extraLocators: [locator, ...element.otherLocators],
      };
      const neededApproval = unlessIntended(approval, this.action, wanted);
      if (contradiction !== null && !neededApproval) {
        contradictions.push(
          `${describeLocator(locator)} of an earlier run finds ${describeElement(element)}, ${contradiction}`,
        );
        continue;
      }
      const result = await this.tryCandidate({ ...candidate, approval: neededApproval });
      if (result) return result;
    }
    const count = this.recorded.length;
    if (count === 0) this.reasons.push('no earlier run recorded the element');
    else if (contradictions.length === 0) this.reasons.push(`${count} locators of earlier runs match nothing`);
    this.reasons.push(...new Set(contradictions));
    return null;
  }

  /**
   * Reason why the name of an element is not the recorded one; null: it may be. Only a person can know that another name is a synonym.
   */
  private contradictionOf(name: string): string | null {
    const contradiction = contradictedName([...this.previousLocators, ...this.recorded], [name], () => true);
    return contradiction && `whose name contradicts ${JSON.stringify(contradiction.recorded)}: a person has to decide`;
  }

  /** Reason why a model must not use a name; null: it may. A model may know synonyms. */
  private modelObjection(name: string): string | null {
    const contradiction = contradictedName([...this.previousLocators, ...this.recorded], [name], () => true);
    if (!contradiction || contradiction.kind === 'other') return null;
    const relation = contradiction.kind === 'wider' ? 'not the same action as' : 'the opposite of';
    return `${relation} ${JSON.stringify(contradiction.recorded)}: a person has to decide`;
  }

  private describeTarget(): WantedElement {
    return toTargetDescription([...this.previousLocators, ...this.recorded]);
  }

  /**
   * Searches a similar element by role, name and adjacent text, screen by screen. If there is none, uses the only element of the page
   * whose name has a synonym in it.
   */
  private async healBySimilarity(): Promise<ActionResult | null> {
    const wanted = this.describeTarget();
    const renamed = new Map<string, Candidate>();
    if (wanted.names.length > 0) {
      for await (const page of observeScreens(this.context.scope)) {
        for (const element of synonymousElements(wanted, this.action.action, page)) {
          const candidate = await this.renamedCandidate(element, page, wanted);
          renamed.set(JSON.stringify(candidate.target), candidate);
        }
        const match = mostSimilarElement(wanted, this.action.action, page);
        const element = match && (await describeStepElement({ elementIndex: match.index }, this.context.scope));
        // A name that several elements share is ambiguous, even if only one of them is in view.
        if (!match || !element || element.otherLocators.every(isPositionalLocator)) continue;
        const candidate = { method: 'similarity' as const, target: { elementIndex: match.index }, element: match };
        const approval = unlessIntended(
          approvalForTarget(this.action, { elementIndex: match.index }, page, this.context),
          this.action,
          wanted,
        );
        const result = await this.tryCandidate({ ...candidate, extraLocators: element.otherLocators, approval });
        if (result) return result;
      }
    }
    const [only, ...others] = renamed.values();
    if (only && others.length === 0) {
      const result = await this.tryCandidate(only);
      if (result) return result;
    }
    const candidateNames = [...renamed.values()].map(({ element }) => describeElement(element)).join(', ');
    this.reasons.push(
      others.length > 0 ? `several elements are similar: ${candidateNames}` : 'no similar element on the page',
    );
    return null;
  }

  /** Candidate for a renamed element, by a locator that stays valid while the page is scrolled. */
  private async renamedCandidate(element: ElementView, page: Observation, wanted: WantedElement): Promise<Candidate> {
    const target = { elementIndex: element.index };
    const { otherLocators = [] } = (await describeStepElement(target, this.context.scope)) ?? {};
    const [named] = otherLocators.filter(
      (locator) => locatorNames(locator).length > 0 && !isPositionalLocator(locator),
    );
    const needed = unlessIntended(approvalForTarget(this.action, target, page, this.context), this.action, wanted);
    // The author named the same action: to submit is to request. A payment and a deletion still need a person.
    const approval = needed?.kind === 'send' ? null : needed;
    return { method: 'similarity', target: named ?? target, element, extraLocators: otherLocators, approval };
  }

  /** Asks a model to choose the element from the list or from a screenshot. */
  private async healByModel(method: 'text' | 'screenshot'): Promise<ActionResult | null> {
    if (this.action.action === 'extract') {
      if (method === 'text') this.reasons.push('extracted values are not healed by a model');
      return null;
    }
    const lost = { originalLocators: this.previousLocators, recordedLocators: this.recorded };
    const choice = await this.model.choose(method, lost, (action) => scrollPage(action, this.context.scope));
    if (typeof choice === 'string') {
      this.reasons.push(choice);
      return null;
    }
    const { target, element, description: what, page } = choice;
    const opposite = this.modelObjection(element?.name ?? what ?? '');
    if (opposite !== null) {
      this.reasons.push(`the model chose ${JSON.stringify(element?.name ?? what)}, ${opposite}`);
      return null;
    }
    const otherLocators = (await describeStepElement(target, this.context.scope))?.otherLocators ?? [];
    const approval = await approvalForChoice(this.action, choice, this.context, this.model);
    if (target.point && (await hasPageChanged(page, this.context.scope))) {
      this.reasons.push('the page changed before the point in its screenshot was used');
      return null;
    }
    return this.tryCandidate({
      method: method === 'text' ? 'text-model' : 'vision-model',
      target,
      element: element ?? { role: 'place', name: what ?? '' },
      extraLocators: target.point ? stableLocatorsAtPoint(otherLocators, target.point, page) : otherLocators,
      approval,
    });
  }

  /** Asks a person to point at the element, or to decide how to continue. */
  private async healByHuman(): Promise<ActionResult | null> {
    const { canAskHuman, position, requestAnswer, scope } = this.context;
    for (let remaining = canAskHuman ? MAX_QUESTIONS : 0; remaining > 0; remaining -= 1) {
      this.questionCount += 1;
      const answer = await requestAnswer(
        missingElementQuestion(this.previousLocators, this.reasons.join('; '), this.questionCount, position),
      );
      scope.signal.throwIfAborted();
      if (answer.choice === 'fail' || answer.choice === 'decline') throw this.endedByPerson(answer);
      if (answer.choice === 'continue') return skippedResult(stepSeconds(this.step), scope);
      const { target } = answer;
      const result = target ? await this.tryChosenTarget(target) : await this.retryUnchanged();
      if (result) return result;
    }
    return null;
  }

  /** Acts on the element that a person pointed at. Needs no further approval. */
  private async tryChosenTarget(target: Target): Promise<ActionResult | null> {
    const element = await describeStepElement(target, this.context.scope);
    const { role = 'place', name = '', otherLocators = [] } = element ?? {};
    return this.tryCandidate({
      method: 'human',
      target,
      element: { role, name },
      extraLocators: [...toLocatorChain(target), ...otherLocators],
      approval: null,
    });
  }

  /** Repeats the step unchanged after a person fixed the page. */
  private async retryUnchanged(): Promise<ActionResult | null> {
    const result = await this.attempt(this.action, 'as written');
    return result && { ...result, tier: tierOfMethod.human };
  }

  private endedByPerson({ answeredBy }: Pick<RunAnswer, 'answeredBy'>): PilothouseError {
    this.reasons.push(`${answeredBy} failed the step`);
    const { code, message, details } = this.healingFailed();
    return new PilothouseError(code, message, { details: { ...details, endedBy: answeredBy }, cause: this.failure });
  }

  /** Acts on a candidate; null: the action failed. */
  private async tryCandidate(candidate: Candidate): Promise<ActionResult | null> {
    const { target, element, approval } = candidate;
    const [first] = toLocatorChain(target);
    const label = describeElement({ ...element, fallbackName: first ? describeLocator(first) : '' });
    if (approval && !(await this.isAllowed(approval, label))) return null;
    if (approval && !(await this.isStillNamed(target, element, label))) return null;
    const action = { ...this.action, target } as Action;
    const turn = await startHealedTurn(this.step, this.context);
    const result = await this.attempt(action, label, true);
    if (!result) return null;
    turn?.complete(action, candidate.method);
    const healing = healingDetails(candidate, label, this.context);
    return { ...result, tier: healing.tier, healing };
  }

  /** True if a target still has the name that was approved. For indexes, the surface checks this. */
  private async isStillNamed(target: Target, { name }: Pick<ElementView, 'name'>, label: string): Promise<boolean> {
    if (toLocatorChain(target).some(isEphemeralLocator)) return true;
    const current = await describeStepElement(target, this.context.scope);
    if (current?.name === name) return true;
    this.reasons.push(`${label} is ${current ? `${JSON.stringify(current.name)} now` : 'gone'}`);
    return false;
  }

  /**
   * Performs the action; null: it failed.
   * @param label description of the target
   * @param checksName true if the element was judged by its name
   */
  private async attempt(
    action: Action,
    label: string,
    checksName = false,
  ): Promise<Pick<ActionResult, 'outcome' | 'deadline'> | null> {
    try {
      return await runAction(action, stepSeconds(this.step) * 1000, { ...this.context.scope, checksName });
    } catch (thrown) {
      assertRecoverable(thrown, this.context.scope.signal);
      this.reasons.push(`${label}: ${toPilothouseError(thrown).message}`);
      return null;
    }
  }

  private async isAllowed(approval: ApprovalNeeded, label: string): Promise<boolean> {
    const { requestAnswer, position } = this.context;
    if (this.declined.has(label)) return false;
    this.questionCount += 1;
    const reason = `The step does not find its element (${this.previousLocators.map(describeLocator).join('; ')}). It may be ${label} now. Continuing would ${approval.description}`;
    const question = agentQuestion({ kind: 'confirm', request: approval }, reason, this.questionCount, position);
    const answer = await requestAnswer(question);
    if (answer.choice === 'continue' || answer.choice === 'retry') return true;
    if (answer.choice === 'fail') throw this.endedByPerson(answer);
    this.declined.add(label);
    this.reasons.push(`${answer.answeredBy} declined ${label}`);
    return false;
  }
}
