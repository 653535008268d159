import {
  actionOf,
  locatorsOf,
  PilothouseError,
  stepSeconds,
  toPilothouseError,
  type Action,
  type ElementView,
  type ErrorCode,
  type Healer,
  type Locator,
  type Observation,
  type SurfaceStep,
} from '@pilothouse/contract';
import {
  describeLocator,
  elementInWords,
  elementOfStep,
  guardOf,
  guardOfName,
  isByPlace,
  isMeant,
  isNamed,
  isOfRole,
  lastingLocators,
  mostLike,
  shortened,
  templatesIn,
  wantedOf,
  type Guarded,
  type WantedElement,
} from '@pilothouse/core';
import { act, look, type Acted, type Healed } from '../act.ts';
import { see } from '../goal/goal.look.ts';
import { questionOfAgent } from '../goal/goal.question.ts';
import { describe, type Described } from './heal.describe.ts';
import { HealModel } from './heal.model.ts';
import type { HealParts } from './heal.parts.ts';

/** Milliseconds for asking the gateway, for seeing whether an element is there, and for a page to stand still. */
const ASK_MS = 5_000;
const HOLDS_MS = 2_000;
const STILL_MS = 100;

/** Screens of a page that are looked through for a likeness, and how much of one the next one is further down. */
const SCREENS = 8;
const FURTHER = 0.8;

/** How an action may fail that another way may still save; everything else is for the run. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_READY',
  'STEP_TIMED_OUT',
  'ACTION_UNSUPPORTED',
]);

/** An element that may be the one, and how it is named in an action. */
interface Candidate {
  readonly by: Healer;
  readonly target: Locator;
  readonly element: Pick<ElementView, 'role' | 'name'>;
  /** Ways to find it again, besides. */
  readonly lasting: readonly Locator[];
  /** What of it is not done without a person. */
  readonly guarded: Guarded | null;
}

/**
 * Carries out a step whose locators find nothing on the element that it means now: by what former runs saw, by its likeness, at last by a
 * model.
 * @throws PilothouseError `failed`, with why it was not healed; what ends an attempt
 */
export const heal = (step: SurfaceStep, failed: PilothouseError, parts: HealParts): Promise<Acted> =>
  new Healing(step, failed, parts).run();

class Healing {
  private readonly step: SurfaceStep;
  private readonly action: Action;
  private readonly failed: PilothouseError;
  private readonly parts: HealParts;
  private readonly old: readonly Locator[];
  /** Why nothing healed it so far. */
  private readonly reasons: string[] = [];
  private recorded: readonly Locator[] = [];
  private asked: number;

  constructor(step: SurfaceStep, failed: PilothouseError, parts: HealParts) {
    this.step = step;
    this.action = actionOf(step);
    this.failed = failed;
    this.parts = parts;
    this.old = locatorsOf(elementOfStep(step)?.target ?? []);
    const { answer } = parts.assignment;
    // Renewals say the answer of a former attempt again: a question with its number would be answered by it.
    this.asked = answer?.step === parts.place.number ? (answer.ask ?? 0) : 0;
  }

  async run(): Promise<Acted> {
    const { act: parts } = this.parts;
    for (const way of [() => this.byRecord(), () => this.byLikeness(), () => this.byModel()]) {
      parts.halt.throwIfAborted();
      parts.mayAct();
      const healed = await way();
      if (healed) return healed;
    }
    const why = this.reasons.join('; ');
    throw new PilothouseError(this.failed.code, `${this.failed.message}; it was not healed: ${why}`, {
      details: { ...this.failed.details, heal: why },
      cause: this.failed,
    });
  }

  /** By ways that former runs knew, where what they find may be what is wanted. */
  private async byRecord(): Promise<Acted | null> {
    this.recorded = await this.known();
    const wanted = this.wanted();
    for (const locator of this.recorded) {
      const element = await this.thereAs(locator, wanted);
      if (!element) continue;
      const kind = guardOfName(this.action, element);
      const guarded = kind === null ? null : { kind, what: `use ${elementInWords(element)}` };
      const candidate = { by: 'recorded' as const, target: locator, element, lasting: [locator, ...element.others] };
      const healed = await this.tryOn({ ...candidate, guarded: this.unlessMeant(guarded, wanted) });
      if (healed) return healed;
    }
    const count = this.recorded.length;
    this.reasons.push(count === 0 ? 'no former run saw the element' : `what former runs saw (${count}) is not there`);
    return null;
  }

  private async known(): Promise<Locator[]> {
    const { link, place, render, act: parts } = this.parts;
    const { at } = place;
    const context = { signal: parts.halt, deadline: parts.clock.monotonic() + ASK_MS };
    try {
      const { locators } = await link.ask('element.request', { at }, context);
      return locators.flatMap((locator) => render(locator) ?? []);
    } catch (thrown) {
      parts.halt.throwIfAborted();
      parts.log.warn({ error: String(thrown) }, 'what former runs saw is not known');
      return [];
    }
  }

  private wanted(): WantedElement {
    return wantedOf([...this.old, ...this.recorded]);
  }

  /** What a locator finds, if it is there and may be what is wanted. */
  private async thereAs(locator: Locator, wanted: WantedElement): Promise<Described | null> {
    const { act: parts } = this.parts;
    const { surface, clock } = parts;
    const isThere = await look(clock.monotonic() + HOLDS_MS, parts, (context) =>
      surface.holds({ visible: locator }, context),
    ).catch(() => false);
    parts.halt.throwIfAborted();
    const element = isThere ? await describe(locator, parts) : null;
    if (!element || (element.role !== '' && !isOfRole(element.role, wanted))) return null;
    // By its place alone any other may be found.
    return isByPlace(locator) && !isNamed(element.name, wanted) ? null : element;
  }

  /** By role, name and what stands beside it, screen by screen. */
  private async byLikeness(): Promise<Acted | null> {
    const wanted = this.wanted();
    if (wanted.names.length > 0) {
      for await (const seen of this.screens()) {
        const like = mostLike(wanted, this.action.action, seen);
        const element = like && (await describe({ element: like.index }, this.parts.act));
        // A name that several have tells nothing: only one of them is in view.
        if (!like || !element || element.others.every(isByPlace)) continue;
        const candidate = { by: 'likeness' as const, target: { element: like.index }, element: like };
        const guarded = this.unlessMeant(this.guardOn(like, seen), wanted);
        const healed = await this.tryOn({ ...candidate, lasting: element.others, guarded });
        if (healed) return healed;
      }
    }
    this.reasons.push('nothing on the page is like it');
    return null;
  }

  /** What is in view, and then the page from its top to its end. */
  private async *screens(): AsyncGenerator<Observation> {
    const { act: parts } = this.parts;
    let seen = await see('view', STILL_MS, parts);
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
    const { act: parts } = this.parts;
    await act(action, ASK_MS, parts).catch((thrown: unknown) => this.passed(thrown));
    return see('view', STILL_MS, parts);
  }

  /** By a model that is shown the page, and may only say which element it is. */
  private async byModel(): Promise<Acted | null> {
    const { act: parts } = this.parts;
    if (this.action.action === 'extract') {
      this.reasons.push('what is read is not guessed by a model');
      return null;
    }
    const model = new HealModel({ old: this.old, recorded: this.recorded }, this.parts);
    const chosen = await model.choose((action) => this.scroll(action));
    if (typeof chosen === 'string') {
      this.reasons.push(chosen);
      return null;
    }
    const { element: like, seen } = chosen;
    const target = { element: like.index };
    const others = (await describe(target, parts))?.others ?? [];
    return this.tryOn({ by: 'model', target, element: like, lasting: others, guarded: this.guardOn(like, seen) });
  }

  /** What of the action on this element is not done without a person. */
  private guardOn({ index }: ElementView, seen: Observation): Guarded | null {
    const origin = URL.parse(seen.url)?.origin ?? 'null';
    const home = origin === 'null' ? null : origin;
    const limits = { allow: new Set<never>(), hosts: this.parts.hosts, home, trusted: new Set(home ? [home] : []) };
    return guardOf({ ...this.action, target: { element: index } } as Action, seen, limits);
  }

  /** What the author of the step named by such a name they meant to be done. */
  private unlessMeant(guarded: Guarded | null, wanted: WantedElement): Guarded | null {
    return guarded && isMeant(guarded.kind, this.action, wanted) ? null : guarded;
  }

  /** The action on another element; null where that does not work either. */
  private async tryOn({ by, target, element, lasting, guarded }: Candidate): Promise<Acted | null> {
    const { act: parts, place } = this.parts;
    const words = elementInWords({ ...element, hint: describeLocator(target) });
    if (guarded && !(await this.isAllowed(guarded, words))) return null;
    const { outcome, deadline } = await act(
      { ...this.action, target } as Action,
      stepSeconds(this.step) * 1000,
      parts,
    ).catch((thrown: unknown) => {
      this.passed(thrown);
      this.reasons.push(`${words}: ${toPilothouseError(thrown).message}`);
      return { outcome: null, deadline: 0 };
    });
    if (!outcome) return null;
    const written = elementOfStep(place.step)?.target ?? [];
    const known = templatesIn(written).map(({ source }) => ({ template: source, value: this.valueOf(source) }));
    const rung = by === 'model' ? 1 : 0;
    const healed: Healed = {
      rung,
      by,
      element: shortened(words, 500),
      old: locatorsOf(written),
      locators: lastingLocators(lasting, written, known),
    };
    return { outcome, deadline, rung, healed };
  }

  private valueOf(template: string): string | null {
    const rendered = this.parts.render({ text: template });
    return rendered?.text ?? null;
  }

  private async isAllowed(guarded: Guarded, words: string): Promise<boolean> {
    const { ask, place } = this.parts;
    this.asked += 1;
    const reason = `A step does not find its element (${this.old.map(describeLocator).join('; ')}). It may be ${words} now; to go on would ${guarded.what}`;
    const question = questionOfAgent({ kind: 'confirm', guarded }, reason, this.asked, place);
    const { choice, by } = await ask(question);
    if (choice === 'continue' || choice === 'repeat') return true;
    this.reasons.push(`${by} does not allow ${words}`);
    return false;
  }

  /** @throws what is no reason to look further */
  private passed(thrown: unknown): void {
    this.parts.act.halt.throwIfAborted();
    if (!passing.has(toPilothouseError(thrown).code)) throw thrown;
  }
}
