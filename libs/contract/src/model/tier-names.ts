/** Tiers of step execution, cheapest first. */
export const tiers = ['replay', 'text', 'vision', 'replan', 'human'] as const;
export type Tier = (typeof tiers)[number];
