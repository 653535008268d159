import type { A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { createSurface08, renderSurface08, update08 } from './a2ui-0.8.ts';
import { encoding09 } from './a2ui-0.9.ts';
import { reduceCard } from './run-card-reducer.ts';
import type { RunCard } from './run-card.ts';
import { components, diffCards, fullUpdate } from './a2ui-components.ts';

const versions = {
  '0.9': encoding09('0.9'),
  '0.9.1': encoding09('0.9.1'),
  '0.8': { start: createSurface08, update: update08, show: renderSurface08 },
} as const;

/** Id of a run's surface. Answers name it. */
export const runSurfaceId = (run: string): string => `run-${run}`;

/**
 * Converts the events of a run into A2UI messages.
 * @param card state of the run before the first event
 */
export class A2uiStream {
  #card: RunCard;
  readonly #surface: string;
  readonly #version: A2uiVersion;

  constructor(run: string, version: A2uiVersion, card: RunCard) {
    this.#card = card;
    this.#surface = runSurfaceId(run);
    this.#version = version;
  }

  /** Everything that is needed to draw the run as it is now. */
  start(): A2uiMessage[] {
    const { start: begin, update, show } = versions[this.#version];
    const data = fullUpdate(this.#card).map((change) => update(this.#surface, change));
    return [...begin(this.#surface, components), ...data, ...show(this.#surface)];
  }

  /** Applies an event without sending messages. */
  skip(event: RunEvent): void {
    this.#card = reduceCard(this.#card, event);
  }

  /** Messages for an event; empty if it changes nothing visible. */
  update(event: RunEvent): A2uiMessage[] {
    const previousCard = this.#card;
    this.skip(event);
    const { update } = versions[this.#version];
    return diffCards(previousCard, this.#card).map((change) => update(this.#surface, change));
  }
}
