import { PilothouseError, type ActionOf } from '@pilothouse/contract';
import { limitDeadline, raceDeadline, remainingMs, poll } from '@pilothouse/core';
import { sendInput } from '../browser.input.ts';
import { press } from '../targeting/hit-target.ts';
import type { Aim } from '../targeting/input-purpose.ts';
import { checkElement, type LocatedTarget } from '../targeting/locate-element.ts';
import { fromHandle, type ElementRef } from '../targeting/element-ref.ts';
import type { ActionContext } from '../action-context.ts';
import { optionAt, readOptions, type ListboxOption } from '../injected/form-controls.ts';

/** How long a list may take to show what was typed for, before it is typed; and an option, that it is chosen. Milliseconds. */
const OPENING = 1000;
const CHOOSING = 1000;

type By = ActionOf<'selectOption'>['by'];

/** Which of the options is meant: -1 for none. A label goes before a value. */
export function optionIndex(options: readonly { label: string; value: string }[], wanted: string, by: By): number {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  if (by === 'index') return /^\d+$/.test(wanted) && Number(wanted) < options.length ? Number(wanted) : -1;
  const byLabel = by === 'value' ? -1 : options.findIndex(({ label }) => tidy(label) === tidy(wanted));
  return byLabel >= 0 || by === 'label' ? byLabel : options.findIndex(({ value }) => value === wanted);
}

export interface ListWidget {
  readonly is: 'listbox' | 'combobox';
  readonly multiple: boolean;
  readonly writable: boolean;
}

/**
 * Chooses in a listbox or combobox of ARIA by clicks, as a person does: a combobox is opened first; in one that can be written into,
 * what is wanted is typed when it does not show by itself.
 */
export async function chooseInListbox(
  hand: ActionContext,
  found: LocatedTarget,
  { is, multiple, writable }: ListWidget,
  wanted: readonly string[],
  by: By,
  isOpen: () => Promise<boolean>,
): Promise<void> {
  const list = new OpenList(hand, found);
  for (const one of wanted) {
    if (is === 'combobox' && !(await isOpen())) await list.open();
    let index = await list.find(one, by, writable ? OPENING : remainingMs(hand) * 0.7);
    if (index === null && writable && by !== 'index') {
      await sendInput(hand, 'Typing', () => hand.page.keyboard.insertText(one));
      index = await list.find(one, by, remainingMs(hand) * 0.7);
    }
    if (index === null) throw await list.nothing(one);
    await list.choose(index, one, by, is === 'listbox');
  }
  if (is === 'listbox' && multiple) await list.leave(wanted, by);
}

/** The options of one list, while it is open. */
class OpenList {
  readonly #hand: ActionContext;
  readonly #found: LocatedTarget;

  constructor(hand: ActionContext, found: LocatedTarget) {
    this.#hand = hand;
    this.#found = found;
  }

  /** Opens the list by a click. */
  async open(): Promise<void> {
    await this.#press((aim) => this.#ready(async () => this.#found.one, aim, 'The list'));
  }

  /** The index of an option that can be chosen, once it is there. */
  async find(wanted: string, by: By, ms: number): Promise<number | null> {
    const found = await poll(
      async () => {
        const options = await this.#read();
        const index = optionIndex(options, wanted, by);
        return index < 0 || options[index]?.off ? undefined : index;
      },
      limitDeadline(this.#hand, ms),
    );
    return found ?? null;
  }

  /** Clicks an option, unless it is chosen already; a listbox has to say so afterwards. */
  async choose(index: number, wanted: string, by: By, tells: boolean): Promise<void> {
    const [before] = (await this.#read()).slice(index, index + 1);
    if (before?.selected && tells) return;
    await this.#click(index);
    if (!tells) return;
    const isSelected = async () => {
      const options = await this.#read();
      return options[optionIndex(options, wanted, by)]?.selected === true ? true : undefined;
    };
    if (await poll(isSelected, limitDeadline(this.#hand, CHOOSING))) return;
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `${this.#found.located.locator}: "${wanted}" was clicked, but is not selected`,
    );
  }

  /** Gives up what is chosen besides. */
  async leave(wanted: readonly string[], by: By): Promise<void> {
    const options = await this.#read();
    const kept = new Set(wanted.map((one) => optionIndex(options, one, by)));
    for (const [index, { selected }] of options.entries()) if (selected && !kept.has(index)) await this.#click(index);
  }

  async nothing(wanted: string): Promise<PilothouseError> {
    const options = await this.#read();
    const labels = options.map(({ label }) => label);
    const off = options[optionIndex(options, wanted, undefined)]?.off;
    const { locator } = this.#found.located;
    if (off) return new PilothouseError('TARGET_NOT_ACTIONABLE', `The option "${wanted}" of ${locator} is disabled`);
    const there = labels.slice(0, 30).map((label) => JSON.stringify(label));
    return new PilothouseError(
      'TARGET_NOT_FOUND',
      `${locator} has no option ${JSON.stringify(wanted)}; there is ${there.join(', ') || 'none'}`,
      { details: { missing: [wanted], options: labels.slice(0, 100) } },
    );
  }

  #read(): Promise<ListboxOption[]> {
    return raceDeadline(this.#found.one.evaluateAll(readOptions, undefined), this.#hand, 'The list of options');
  }

  async #click(index: number): Promise<void> {
    const option = async () => {
      const found = await this.#found.one.other(optionAt, index);
      return found && fromHandle(found);
    };
    await this.#press((aim) => this.#ready(option, aim, 'An option'));
  }

  async #press(find: (aim: Aim) => Promise<LocatedTarget>): Promise<void> {
    const { mouse } = this.#hand.page;
    await press(this.#hand, find, { what: 'The click', send: ({ x, y }) => mouse.click(x, y) });
  }

  /** A part of the widget once it takes input. @param what begins the sentence when it does not, for example `An option` */
  async #ready(part: () => Promise<ElementRef | null>, aim: Aim, what: string): Promise<LocatedTarget> {
    const { frame, located } = this.#found;
    let why = '';
    const until = {
      signal: this.#hand.signal,
      deadline: this.#hand.deadline - Math.min(300, remainingMs(this.#hand) * 0.2),
    };
    const ready = await poll(async () => {
      const one = await part();
      if (!one) return undefined;
      const { found, problem } = await checkElement(this.#hand, one, frame, 'input', located, aim);
      why = problem ? `: ${problem.why}` : '';
      return found;
    }, until);
    if (!ready)
      throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${what} of ${located.locator} cannot be clicked${why}`);
    return ready;
  }
}
