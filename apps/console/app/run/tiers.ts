/** How a step was carried out, in a word: each rung costs more than the one before. */
export const rungNames = ['Replay', 'Text', 'Vision', 'Replan', 'Human'] as const;
