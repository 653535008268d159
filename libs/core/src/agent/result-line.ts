import type { Result } from '@pilothouse/contract/run/outcome';

/**
 * Result of an action in the history of an agent. A confirmed effect needs no words.
 * @param result missing: unknown, because the surface did not take part
 */
export function resultLine(title: string, result: Result | undefined, error: string | null): string {
  if (error !== null) return result ? `${title}: ${result.outcome}: ${error}` : `${title}: ${error}`;
  return title + effectNote(result);
}

function effectNote(result: Result | undefined): string {
  if (!result) return '';
  const { outcome, effect, effectReason: reason } = result;
  if (effect === 'none') return reason === undefined ? '' : `: ${outcome}, no effect (${reason})`;
  if (effect !== 'unverifiable') return '';
  // Frequent for actions that nothing reads back, and the next observation shows more.
  return reason === undefined
    ? `: ${outcome}, effect unverifiable`
    : `: ${outcome}, effect unverifiable (${reason}). Check it before relying on it.`;
}
