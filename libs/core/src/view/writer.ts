import type { A2uiMessage, A2uiVersion, RunEvent } from '@pilothouse/contract';
import { begin08, show08, update08 } from './a2ui-0.8.ts';
import { begin09, show09, update09 } from './a2ui-0.9.ts';
import { afterEvent } from './fold.ts';
import type { RunCard } from './run-view.ts';
import { components, updatesBetween, wholeCard } from './surface.ts';

const versions = {
  '0.9': { begin: begin09, update: update09, show: show09 },
  '0.8': { begin: begin08, update: update08, show: show08 },
} as const;

/** The surface of a run; an answer names it, so that it comes to the right run. */
export const surfaceOf = (run: string): string => `run-${run}`;

/**
 * Tells a run to who draws it: what it looks like, and what each event changes.
 * @param card the run as it is before the first event that is told
 */
export class RunWriter {
  #card: RunCard;
  readonly #surface: string;
  readonly #version: A2uiVersion;

  constructor(run: string, version: A2uiVersion, card: RunCard) {
    this.#card = card;
    this.#surface = surfaceOf(run);
    this.#version = version;
  }

  /** Everything that is needed to draw the run as it is now. */
  begin(): A2uiMessage[] {
    const { begin, update, show } = versions[this.#version];
    const data = wholeCard(this.#card).map((change) => update(this.#surface, change));
    return [...begin(this.#surface, components), ...data, ...show(this.#surface)];
  }

  /** Takes an event as told already. */
  skip(event: RunEvent): void {
    this.#card = afterEvent(this.#card, event);
  }

  /** What an event changes; none: it says nothing to a person. */
  tell(event: RunEvent): A2uiMessage[] {
    const before = this.#card;
    this.skip(event);
    const { update } = versions[this.#version];
    return updatesBetween(before, this.#card).map((change) => update(this.#surface, change));
  }
}
