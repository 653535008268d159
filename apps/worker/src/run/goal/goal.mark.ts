import { randomInt } from 'node:crypto';

/** What stands around the words of pages in prompts, and no page can guess. Digits, because a model takes three of them for one word. */
export const newPromptBoundary = (): string => String(randomInt(10 ** 12)).padStart(12, '0');
