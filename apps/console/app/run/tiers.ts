import type { Tier } from '@pilothouse/contract';

/** How a step was carried out, in a word: each tier costs more than the one before. */
export const tierNames: Record<Tier, string> = {
  replay: 'Replay',
  text: 'Text',
  vision: 'Vision',
  replan: 'Replan',
  human: 'Human',
};
