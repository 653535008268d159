import type { Tier } from '@pilothouse/contract';

/** Labels of tiers. */
export const tierNames: Record<Tier, string> = {
  replay: 'Replay',
  text: 'Text',
  vision: 'Vision',
  replan: 'Replan',
  human: 'Human',
};
