import {
  surfaceActionOf,
  isEphemeralLocator,
  toLocatorChain,
  PilothouseError,
  stepSeconds,
  toPilothouseError,
  type Action,
  type RunAnswer,
  type ElementView,
  type ErrorCode,
  type HealingMethod,
  type Locator,
  type Observation,
  type SurfaceStep,
  type Target,
  type Tier,
} from '@pilothouse/contract';
import {
  describeLocator,
  describeElement,
  stepTarget,
  requiredApproval,
  effectOfNamedAction,
  answersStep,
  isPositionalLocator,
  isIntendedEffect,
  hasSimilarName,
  isCompatibleRole,
  stableLocatorsAtPoint,
  stableLocators,
  listChanged,
  mostSimilarElement,
  canvasPointToIdentify,
  ellipsize,
  findTemplates,
  toTargetDescription,
  type ApprovalNeeded,
  type ModelDescription,
  type WantedElement,
} from '@pilothouse/core';
import { runAction, type ActionResult, type HealingDetails } from '../../actions/run-action.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeStablePage } from '../agent/page-observer.ts';
import { agentQuestion } from '../../context/human-questions.ts';
import { describeStepElement, type ElementDescription } from './candidates.ts';
import { ModelElementFinder, type ModelChoice } from './model-candidates.ts';
import type { HealingContext } from './healing-scope.ts';
import { TIER_HUMAN, missingElementQuestion, skippedResult } from './human-candidates.ts';

/** Milliseconds for a gateway request, for finding an element, and for the page to become stable. */
const ASK_MS = 5_000;
const HOLDS_MS = 2_000;
const STILL_MS = 100;

/** Maximum screens searched for a similar element, and the scroll distance as a fraction of a screen. */
const SCREENS = 8;
const FURTHER = 0.8;

/** Maximum questions to people about one step. */
const QUESTIONS = 10;

/** Escalation tier of each healing method. */
const tierOfMethod: Readonly<Record<HealingMethod, Tier>> = {
  'earlier-run': 'replay',
  similarity: 'replay',
  'text-model': 'text',
  'vision-model': 'vision',
  human: TIER_HUMAN,
};

/** Errors after which another healing method is tried. All others end the attempt. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'STEP_TIMED_OUT',
  'ACTION_UNSUPPORTED',
]);

/** Candidate for the lost element. */
interface Candidate {
  readonly by: HealingMethod;
  readonly target: Target;
  readonly element: Pick<ElementView, 'role' | 'name'>;
  /** Additional stable locators. */
  readonly lasting: readonly Locator[];
  /** Approval that the action needs; null: none. */
  readonly guarded: ApprovalNeeded | null;
}

/**
 * Heals a step whose locators find nothing. Tries in order: locators of earlier runs, similarity, a model with the element list, a model with
 * a screenshot, and a person if the workflow asks people.
 * @throws PilothouseError `failed` with the reasons; errors that end an attempt
 */
export const healStep = (step: SurfaceStep, failed: PilothouseError, parts: HealingContext): Promise<ActionResult> =>
  new Healing(step, failed, parts).run();

class Healing {
  private readonly step: SurfaceStep;
  private readonly action: Action;
  private readonly failed: PilothouseError;
  private readonly parts: HealingContext;
  private readonly old: readonly Locator[];
  /** Failures of the methods so far. */
  private readonly reasons: string[] = [];
  private recorded: readonly Locator[] = [];
  private readonly model: ModelElementFinder;
  /** Answer of a person to an earlier attempt. */
  private readonly left: RunAnswer | null;
  private asked: number;
  /** Effects that a person declined. They are not asked about again. */
  private readonly declined = new Set<string>();

  constructor(step: SurfaceStep, failed: PilothouseError, parts: HealingContext) {
    this.step = step;
    this.action = surfaceActionOf(step);
    this.failed = failed;
    this.parts = parts;
    this.old = toLocatorChain(stepTarget(step)?.target ?? []);
    this.model = new ModelElementFinder(parts);
    const { answer } = parts.assignment;
    this.left = answer?.questionNumber !== undefined && answersStep(answer, parts.position) ? answer : null;
    // Renewals repeat the answer of an earlier attempt. A new question with the same number would be answered by it.
    this.asked = this.left?.questionNumber ?? 0;
  }

  async run(): Promise<ActionResult> {
    const { scope: parts } = this.parts;
    const ways = [
      () => this.byLeft(),
      () => this.byRecord(),
      () => this.byLikeness(),
      () => this.byModel('text'),
      () => this.byModel('picture'),
      () => this.byPerson(),
    ];
    for (const way of ways) {
      parts.signal.throwIfAborted();
      parts.assertCanAct();
      const healed = await way();
      if (healed) return healed;
    }
    throw this.unhealed();
  }

  private unhealed(): PilothouseError {
    const why = this.reasons.join('; ');
    return new PilothouseError(this.failed.code, `${this.failed.message}; it was not healed: ${why}`, {
      details: { ...this.failed.details, heal: why },
      cause: this.failed,
    });
  }

  /** Tries the element that a person pointed at in an earlier attempt. */
  private async byLeft(): Promise<ActionResult | null> {
    const { choice, target } = this.left ?? {};
    // Indexes and points belong to the old page and are no longer valid.
    return choice === 'retry' && target && !toLocatorChain(target).some(isEphemeralLocator)
      ? this.tryPointed(target)
      : null;
  }

  /** Tries locators of earlier runs if they find a plausible element. */
  private async byRecord(): Promise<ActionResult | null> {
    this.recorded = await this.known();
    const wanted = this.wanted();
    for (const locator of this.recorded) {
      const element = await this.thereAs(locator, wanted);
      if (!element) continue;
      const kind = effectOfNamedAction(this.action, element);
      const guarded = kind === null ? null : { kind, what: `use ${describeElement(element)}` };
      const candidate = {
        by: 'earlier-run' as const,
        target: locator,
        element,
        lasting: [locator, ...element.otherLocators],
      };
      const healed = await this.tryOn({ ...candidate, guarded: this.unlessMeant(guarded, wanted) });
      if (healed) return healed;
    }
    const count = this.recorded.length;
    this.reasons.push(count === 0 ? 'no former run saw the element' : `what former runs saw (${count}) is not there`);
    return null;
  }

  private async known(): Promise<Locator[]> {
    const { link, position: place, render, scope: parts } = this.parts;
    const { path: at } = place;
    const context = { signal: parts.signal, deadline: parts.clock.monotonic() + ASK_MS };
    try {
      const { locators } = await link.request('locators.request', { path: at }, context);
      return locators.flatMap((locator) => render(locator) ?? []);
    } catch (thrown) {
      parts.signal.throwIfAborted();
      parts.log.warn({ error: String(thrown) }, 'what former runs saw is not known');
      return [];
    }
  }

  private wanted(): WantedElement {
    return toTargetDescription([...this.old, ...this.recorded]);
  }

  /** The element of a locator, if it exists and may be the target. */
  private async thereAs(locator: Locator, wanted: WantedElement): Promise<ElementDescription | null> {
    const { scope: parts } = this.parts;
    const { surface, clock } = parts;
    const isThere = await readSurface(clock.monotonic() + HOLDS_MS, parts, (context) =>
      surface.holds({ visible: locator }, context),
    ).catch(() => false);
    parts.signal.throwIfAborted();
    const element = isThere ? await describeStepElement(locator, parts) : null;
    if (!element || (element.role !== '' && !isCompatibleRole(element.role, wanted))) return null;
    // A positional locator may find any other element.
    return isPositionalLocator(locator) && !hasSimilarName(element.name, wanted) ? null : element;
  }

  /** Searches a similar element by role, name and adjacent text, screen by screen. */
  private async byLikeness(): Promise<ActionResult | null> {
    const wanted = this.wanted();
    if (wanted.names.length > 0) {
      for await (const seen of this.screens()) {
        const like = mostSimilarElement(wanted, this.action.action, seen);
        const element = like && (await describeStepElement({ elementIndex: like.index }, this.parts.scope));
        // A name that several elements share is ambiguous, even if only one of them is in view.
        if (!like || !element || element.otherLocators.every(isPositionalLocator)) continue;
        const candidate = { by: 'similarity' as const, target: { elementIndex: like.index }, element: like };
        const guarded = this.unlessMeant(this.guardOn({ elementIndex: like.index }, seen), wanted);
        const healed = await this.tryOn({ ...candidate, lasting: element.otherLocators, guarded });
        if (healed) return healed;
      }
    }
    this.reasons.push('nothing on the page is like it');
    return null;
  }

  /** Observes the current view, then the page from top to bottom. */
  private async *screens(): AsyncGenerator<Observation> {
    const { scope: parts } = this.parts;
    let seen = await observeStablePage('view', STILL_MS, parts);
    yield seen;
    if (seen.scroll.above > 0) {
      seen = await this.scroll({ action: 'scroll', to: 'top' });
      yield seen;
    }
    for (let n = 1; n < SCREENS && seen.scroll.below > 0; n += 1) {
      seen = await this.scroll({ action: 'scroll', by: { x: 0, y: Math.round(seen.viewport.height * FURTHER) } });
      yield seen;
    }
  }

  private async scroll(action: Action): Promise<Observation> {
    const { scope: parts } = this.parts;
    await runAction(action, ASK_MS, parts).catch((thrown: unknown) => this.passed(thrown));
    return observeStablePage('view', STILL_MS, parts);
  }

  /** Asks a model to choose the element from the list or from a screenshot. */
  private async byModel(by: 'text' | 'picture'): Promise<ActionResult | null> {
    if (this.action.action === 'extract') {
      if (by === 'text') this.reasons.push('what is read is not guessed by a model');
      return null;
    }
    const lost = { old: this.old, recorded: this.recorded };
    const chosen = await this.model.choose(by, lost, (action) => this.scroll(action));
    if (typeof chosen === 'string') {
      this.reasons.push(chosen);
      return null;
    }
    const { target, element, what, page: seen } = chosen;
    const found = (await describeStepElement(target, this.parts.scope))?.otherLocators ?? [];
    const guarded = await this.guardOfChosen(chosen);
    if (target.point && (await this.isAnother(seen))) {
      this.reasons.push('the page changed before the place in its picture was used');
      return null;
    }
    return this.tryOn({
      by: by === 'text' ? 'text-model' : 'vision-model',
      target,
      element: element ?? { role: 'place', name: what ?? '' },
      lasting: target.point ? stableLocatorsAtPoint(found, target.point, seen) : found,
      guarded,
    });
  }

  /** True if the page changed, so that a point may be another target. */
  private async isAnother(seen: Observation): Promise<boolean> {
    const now = await observeStablePage('view', STILL_MS, this.parts.scope);
    return now.url !== seen.url || listChanged(seen, now);
  }

  /** Approval for the action on the choice of a model. A nameless target is identified by another model. */
  private async guardOfChosen({ target, what, page: seen }: ModelChoice): Promise<ApprovalNeeded | null> {
    const said = what === null ? {} : { what };
    const found = this.guardOn(target, seen, said);
    const spot = found
      ? null
      : canvasPointToIdentify({ ...this.action, target } as Action, seen, { autoApprove: new Set<never>() });
    if (!spot) return found;
    const drawn = await this.model.identifyCanvasTarget(spot);
    if (!drawn) return { kind: 'canvas', what: 'use what is drawn, and no model says what it is' };
    return this.guardOn(target, seen, { ...said, drawn });
  }

  /** Approval for the action on a target. */
  private guardOn(target: Locator, seen: Observation, said: ModelDescription = {}): ApprovalNeeded | null {
    const origin = URL.parse(seen.url)?.origin ?? 'null';
    const home = origin === 'null' ? null : origin;
    const { hosts, assignment } = this.parts;
    const trusted = new Set(home ? [home] : []);
    const limits = { autoApprove: new Set<never>(), hosts, home, trusted, secrets: assignment.secrets };
    return requiredApproval({ ...this.action, target } as Action, seen, limits, said);
  }

  /** Asks a person to point at the element, or to decide how to continue. */
  private async byPerson(): Promise<ActionResult | null> {
    const { canAskHuman: asksPeople, position: place, requestAnswer: ask, scope: parts } = this.parts;
    for (let left = asksPeople ? QUESTIONS : 0; left > 0; left -= 1) {
      this.asked += 1;
      const answer = await ask(missingElementQuestion(this.old, this.reasons.join('; '), this.asked, place));
      parts.signal.throwIfAborted();
      if (answer.choice === 'fail' || answer.choice === 'decline') throw this.ended(answer);
      if (answer.choice === 'continue') return skippedResult(stepSeconds(this.step), parts);
      const { target } = answer;
      const done = target ? await this.tryPointed(target) : await this.asWritten();
      if (done) return done;
    }
    return null;
  }

  /** Acts on the element that a person pointed at. Needs no further approval. */
  private async tryPointed(target: Target): Promise<ActionResult | null> {
    const element = await describeStepElement(target, this.parts.scope);
    const { role = 'place', name = '', otherLocators: others = [] } = element ?? {};
    return this.tryOn({
      by: 'human',
      target,
      element: { role, name },
      lasting: [...toLocatorChain(target), ...others],
      guarded: null,
    });
  }

  /** Repeats the step unchanged after a person fixed the page. */
  private async asWritten(): Promise<ActionResult | null> {
    const done = await this.attempt(this.action, 'as it is written');
    return done && { ...done, tier: tierOfMethod.human };
  }

  private ended({ answeredBy }: Pick<RunAnswer, 'answeredBy'>): PilothouseError {
    this.reasons.push(`${answeredBy} ended it`);
    const { code, message, details } = this.unhealed();
    return new PilothouseError(code, message, { details: { ...details, endedBy: answeredBy }, cause: this.failed });
  }

  /** Drops an approval for an effect that the author of the step intended. */
  private unlessMeant(guarded: ApprovalNeeded | null, wanted: WantedElement): ApprovalNeeded | null {
    return guarded && isIntendedEffect(guarded.kind, this.action, wanted) ? null : guarded;
  }

  /** Acts on a candidate; null: the action failed. */
  private async tryOn({ by, target, element, lasting, guarded }: Candidate): Promise<ActionResult | null> {
    const { position: place } = this.parts;
    const [first] = toLocatorChain(target);
    const words = describeElement({ ...element, fallbackName: first ? describeLocator(first) : '' });
    if (guarded && !(await this.isAllowed(guarded, words))) return null;
    if (guarded && !(await this.isStill(target, element, words))) return null;
    const done = await this.attempt({ ...this.action, target } as Action, words, true);
    if (!done) return null;
    const written = stepTarget(place.step)?.target ?? [];
    const known = findTemplates(written).map(({ source }) => ({ template: source, value: this.valueOf(source) }));
    const tier = tierOfMethod[by];
    const healing: HealingDetails = {
      tier,
      method: by,
      element: ellipsize(words, 500),
      previousLocators: toLocatorChain(written),
      locators: stableLocators(lasting, written, known),
    };
    return { ...done, tier, healing };
  }

  /** True if a target still has the name that was approved. For indexes, the surface checks this. */
  private async isStill(target: Target, { name }: Pick<ElementView, 'name'>, words: string): Promise<boolean> {
    if (toLocatorChain(target).some(isEphemeralLocator)) return true;
    const now = await describeStepElement(target, this.parts.scope);
    if (now?.name === name) return true;
    this.reasons.push(`${words} is ${now ? `${JSON.stringify(now.name)} now` : 'gone'}`);
    return false;
  }

  /**
   * Performs the action; null: it failed.
   * @param words description of the target
   * @param checksName true if the element was judged by its name
   */
  private async attempt(
    action: Action,
    words: string,
    checksName = false,
  ): Promise<Pick<ActionResult, 'outcome' | 'deadline'> | null> {
    try {
      return await runAction(action, this.stepMs, { ...this.parts.scope, checksName });
    } catch (thrown) {
      this.passed(thrown);
      this.reasons.push(`${words}: ${toPilothouseError(thrown).message}`);
      return null;
    }
  }

  /** Timeout of the step in milliseconds. */
  private get stepMs(): number {
    return stepSeconds(this.step) * 1000;
  }

  private valueOf(template: string): string | null {
    const rendered = this.parts.render({ text: template });
    return rendered?.text ?? null;
  }

  private async isAllowed(guarded: ApprovalNeeded, words: string): Promise<boolean> {
    const { requestAnswer: ask, position: place } = this.parts;
    if (this.declined.has(words)) return false;
    this.asked += 1;
    const reason = `A step does not find its element (${this.old.map(describeLocator).join('; ')}). It may be ${words} now; to go on would ${guarded.what}`;
    const question = agentQuestion({ kind: 'confirm', request: guarded }, reason, this.asked, place);
    const answer = await ask(question);
    if (answer.choice === 'continue' || answer.choice === 'retry') return true;
    if (answer.choice === 'fail') throw this.ended(answer);
    this.declined.add(words);
    this.reasons.push(`${answer.answeredBy} does not allow ${words}`);
    return false;
  }

  /** Records an error after which another method is tried. @throws any other error */
  private passed(thrown: unknown): void {
    this.parts.scope.signal.throwIfAborted();
    if (!passing.has(toPilothouseError(thrown).code)) throw thrown;
  }
}
