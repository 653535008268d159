import type { checkActionability as checkInPage } from './actionability.page.ts';
import { source } from './actionability.source.ts';
import { scriptFunction } from './evaluate-functions.ts';

/** Checks all matches of a locator in one call. For a single match, it finds out whether and where it accepts input. */
export const checkActionability = scriptFunction<typeof checkInPage>(source);
