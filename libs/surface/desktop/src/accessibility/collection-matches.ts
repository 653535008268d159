import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import { ROLE_COUNT } from './roles.ts';
import { stateSetOf, type StateName } from './states.ts';

/** `ATSPI_Collection_MATCH_ALL` and `MATCH_ANY`. */
const MATCH_ALL = 1;
const MATCH_ANY = 2;

/** `ATSPI_Collection_SORT_ORDER_CANONICAL`: the order of the tree. */
const TREE_ORDER = 1;

/** Signature of `GetMatches`: match rule, order, maximum count, and whether to look below matches. */
const SIGNATURE = '(aiia{ss}iaiiasib)uib';

/** Descendants to find. */
export interface MatchRule {
  readonly state: StateName;
  /** Role numbers, any of which matches. Default: every role. */
  readonly roles?: readonly number[];
  readonly maxCount: number;
}

/** Set of role numbers: one bit for each role of AT-SPI, in words of 32 bits. */
function roleSetOf(roles: readonly number[]): number[] {
  const words = Array.from({ length: Math.ceil(ROLE_COUNT / 32) }, () => 0);
  for (const role of roles) words[role >> 5] = (words[role >> 5] ?? 0) | (1 << (role & 31));
  return words;
}

/**
 * Finds descendants with one call (`Collection.GetMatches`), in the order of the tree.
 * @throws Error of the application, which may not have the interface, or after the timeout
 */
export async function collectionMatches(
  bus: AccessibilityBus,
  root: AccessibleRef,
  { state, roles = [], maxCount }: MatchRule,
  timeoutMs: number,
): Promise<AccessibleRef[]> {
  const roleMatch = roles.length === 0 ? MATCH_ALL : MATCH_ANY;
  const rule = [stateSetOf(state), MATCH_ALL, {}, MATCH_ALL, roleSetOf(roles), roleMatch, [], MATCH_ALL, false];
  const body = [rule, TREE_ORDER, maxCount, true];
  const found = await bus.call<[string, string][]>(
    root,
    'org.a11y.atspi.Collection',
    'GetMatches',
    timeoutMs,
    SIGNATURE,
    body,
  );
  return found.map(([name, path]) => ({ bus: name, path }));
}
