import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline, remainingMs, poll } from '@pilothouse/core/time/deadlines';
import { sendInput } from '../browser.input.ts';
import { press } from '../targeting/hit-target.ts';
import { checkElement } from '../targeting/locate-element.ts';
import type { LocatedTarget, Aim } from '../targeting/located-target.ts';
import { fromHandle, type ElementRef } from '../pages/element-ref.ts';
import type { ActionContext } from '../action-context.ts';
import { optionAt, readOptions, textsAround, type ListboxOption } from '../injected/form-controls.ts';

/**
 * Wait for an option to appear before its text is typed, and for a clicked option to become selected. Milliseconds.
 */
const OPTION_APPEAR_MS = 1000;
const SELECTION_TIMEOUT_MS = 1000;

/** Number of elements around the control of a list that may show the choice. */
const CONTROL_LEVELS = 4;

type By = ActionOf<'selectOption'>['by'];

/** An option of a native or ARIA list. */
interface NamedOption {
  readonly label: string;
  readonly value: string;
  readonly isDisabled?: boolean;
}

const tidyText = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns the options with a label. Enabled ones take precedence. */
function withLabel<Option extends NamedOption>(options: readonly Option[], label: string): Option[] {
  const matches = options.filter((option) => tidyText(option.label) === tidyText(label));
  const enabled = matches.filter(({ isDisabled }) => !isDisabled);
  return enabled.length > 0 ? enabled : matches;
}

/** Returns the index of the option that is meant, or -1. A label takes precedence over a value. */
export function optionIndex(options: readonly NamedOption[], option: string, kind: By): number {
  if (kind === 'index') return /^\d+$/.test(option) && Number(option) < options.length ? Number(option) : -1;
  const [labelled] = kind === 'value' ? [] : withLabel(options, option);
  if (labelled) return options.indexOf(labelled);
  return kind === 'label' ? -1 : options.findIndex(({ value }) => value === option);
}

/** True if several options with different values have the label that is meant. */
export const sameLabel = (options: readonly NamedOption[], option: string, kind: By): boolean =>
  (kind === undefined || kind === 'label') && new Set(withLabel(options, option).map(({ value }) => value)).size > 1;

/** @param option label of several options */
export function optionAmbiguousError(locator: string, option: string, options: readonly NamedOption[]) {
  const matches = withLabel(options, option);
  const listed = matches
    .slice(0, 10)
    .map(
      (match) => `index ${options.indexOf(match)}${match.value === '' ? '' : `, value ${JSON.stringify(match.value)}`}`,
    );
  return new PilothouseError(
    'TARGET_AMBIGUOUS',
    `${locator} has ${matches.length} options ${JSON.stringify(option)} (${listed.join('; ')}); select one with \`by: value\` or \`by: index\``,
    { details: { locator, count: matches.length } },
  );
}

export interface ListWidget {
  readonly is: 'listbox' | 'combobox';
  readonly multiple: boolean;
  readonly writable: boolean;
}

/**
 * Selects options of an ARIA listbox or combobox by clicks, as a person does. A combobox is opened first. In an
 * editable one, the option is typed if it does not appear by itself.
 * @returns false if the combobox does not show the choice
 */
export async function chooseInListbox(
  ctx: ActionContext,
  match: LocatedTarget,
  { is, multiple, writable }: ListWidget,
  expectedOptions: readonly string[],
  kind: By,
  isOpen: () => Promise<boolean>,
): Promise<boolean> {
  const list = new OpenList(ctx, match);
  let isShown = true;
  for (const ref of expectedOptions) {
    if (is === 'combobox' && !(await isOpen())) await list.open();
    let index = await list.find(ref, kind, writable ? OPTION_APPEAR_MS : remainingMs(ctx) * 0.7);
    if (index === null && writable && kind !== 'index') {
      await sendInput(ctx, 'Typing', () => ctx.page.keyboard.insertText(ref));
      index = await list.find(ref, kind, remainingMs(ctx) * 0.7);
    }
    if (index === null) throw await list.createNotFoundError(ref);
    const label = await list.choose(index, ref, kind, is === 'listbox');
    isShown &&= is === 'listbox' || (await list.showsChoice(label));
  }
  if (is === 'listbox' && multiple) await list.deselectOthers(expectedOptions, kind);
  return isShown;
}

/** The options of one open list. */
class OpenList {
  readonly #ctx: ActionContext;
  readonly #match: LocatedTarget;

  constructor(ctx: ActionContext, match: LocatedTarget) {
    this.#ctx = ctx;
    this.#match = match;
  }

  /** Opens the list by a click. */
  async open(): Promise<void> {
    await this.#press((aim) => this.#waitUntilReady(async () => this.#match.ref, aim, 'The list'));
  }

  /** Returns the index of an enabled option as soon as it exists. */
  async find(option: string, kind: By, ms: number): Promise<number | null> {
    let isAmbiguous = false;
    const match = await poll(
      async () => {
        const options = await this.#readOptions();
        const index = optionIndex(options, option, kind);
        // Options without a value are different options.
        const distinct = options.map((item, position) =>
          item.value === '' ? { ...item, value: `${position}` } : item,
        );
        isAmbiguous = sameLabel(distinct, option, kind);
        return index < 0 || options[index]?.isDisabled || isAmbiguous ? undefined : index;
      },
      limitDeadline(this.#ctx, ms),
    );
    if (isAmbiguous) throw optionAmbiguousError(this.#match.located.locator, option, await this.#readOptions());
    return match ?? null;
  }

  /** Clicks an option unless it is selected already. In a listbox it has to be selected afterwards. @returns its label */
  async choose(index: number, option: string, kind: By, verifies: boolean): Promise<string> {
    const [currentOption] = (await this.#readOptions()).slice(index, index + 1);
    const label = currentOption?.label ?? option;
    if (currentOption?.selected && verifies) return label;
    await this.#click(index);
    if (!verifies) return label;
    const isSelected = async () => {
      const options = await this.#readOptions();
      return options[optionIndex(options, option, kind)]?.selected === true ? true : undefined;
    };
    if (await poll(isSelected, limitDeadline(this.#ctx, SELECTION_TIMEOUT_MS))) return label;
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `${this.#match.located.locator}: "${option}" was clicked, but is not selected`,
    );
  }

  /** True as soon as the control or the elements around it show a label, or if the page replaced the control. */
  async showsChoice(label: string): Promise<boolean> {
    const isShown = async () => {
      const texts = await this.#match.ref.evaluateAll(textsAround, CONTROL_LEVELS).catch(() => null);
      this.#ctx.signal.throwIfAborted();
      return texts === null || texts.value.includes(label) ? true : undefined;
    };
    return (await poll(isShown, limitDeadline(this.#ctx, SELECTION_TIMEOUT_MS))) === true;
  }

  /** Deselects all other options. */
  async deselectOthers(expectedOptions: readonly string[], kind: By): Promise<void> {
    const options = await this.#readOptions();
    const selectedIndexes = new Set(expectedOptions.map((ref) => optionIndex(options, ref, kind)));
    for (const [index, { selected }] of options.entries())
      if (selected && !selectedIndexes.has(index)) await this.#click(index);
  }

  async createNotFoundError(option: string): Promise<PilothouseError> {
    const options = await this.#readOptions();
    const labels = options.map(({ label }) => label);
    const off = options[optionIndex(options, option, undefined)]?.isDisabled;
    const { locator } = this.#match.located;
    if (off) return new PilothouseError('TARGET_NOT_ACTIONABLE', `The option "${option}" of ${locator} is disabled`);
    const listedLabels = labels.slice(0, 30).map((label) => JSON.stringify(label));
    return new PilothouseError(
      'TARGET_NOT_FOUND',
      `${locator} has no option ${JSON.stringify(option)}; there is ${listedLabels.join(', ') || 'none'}`,
      { details: { missing: [option], options: labels.slice(0, 100) } },
    );
  }

  #readOptions(): Promise<ListboxOption[]> {
    return raceDeadline(this.#match.ref.evaluateAll(readOptions, undefined), this.#ctx, 'The list of options');
  }

  async #click(index: number): Promise<void> {
    const option = async () => {
      const match = await this.#match.ref.related(optionAt, index);
      return match && fromHandle(match);
    };
    await this.#press((aim) => this.#waitUntilReady(option, aim, 'An option'));
  }

  async #press(find: (aim: Aim) => Promise<LocatedTarget>): Promise<void> {
    const { mouse } = this.#ctx.page;
    await press(this.#ctx, find, { subject: 'The click', clicks: 1, send: ({ x, y }) => mouse.click(x, y) });
  }

  /**
   * Returns a part of the widget as soon as it accepts input.
   * @param subject begins the error message, for example `An option`
   */
  async #waitUntilReady(
    locatePart: () => Promise<ElementRef | null>,
    aim: Aim,
    subject: string,
  ): Promise<LocatedTarget> {
    const { frame, located } = this.#match;
    let reason = '';
    const readDeadline = {
      signal: this.#ctx.signal,
      deadline: this.#ctx.deadline - Math.min(300, remainingMs(this.#ctx) * 0.2),
    };
    const ready = await poll(async () => {
      const ref = await locatePart();
      if (!ref) return undefined;
      const { match, problem } = await checkElement(this.#ctx, ref, frame, 'input', located, aim);
      reason = problem ? `: ${problem.reason}` : '';
      return match;
    }, readDeadline);
    if (!ready)
      throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${subject} of ${located.locator} cannot be clicked${reason}`);
    return ready;
  }
}
