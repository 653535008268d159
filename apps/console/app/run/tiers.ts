import type { Tier } from '@pilothouse/contract/model/tier-names';

/** Labels of tiers. */
export const tierNames: Record<Tier, string> = {
  replay: 'Replay',
  text: 'Text',
  vision: 'Vision',
  replan: 'Replan',
  human: 'Human',
};
