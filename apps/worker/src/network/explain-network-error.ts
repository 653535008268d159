import { PilothouseError, toPilothouseError, type ErrorView, type EgressBlock } from '@pilothouse/contract';
import { describeBlock, type ConnectFailure } from '@pilothouse/core';

/** What did not get out of the worker while something was done. */
export interface NetworkFailures {
  readonly refused: readonly EgressBlock[];
  readonly failed: readonly ConnectFailure[];
}

/** An error, with what was refused meanwhile: a page that did not open because it was refused says so by its code. */
export function explainError(thrown: unknown, { refused: all, failed }: NetworkFailures): unknown {
  const error = toPilothouseError(thrown);
  const { code, retry, details } = error.view();
  const refused = all.filter(mayBeWhy(error.view()));
  if (refused.length > 0) {
    const refusals = refused.slice(0, 10);
    const words = [...new Set(refusals.map(describeBlock))].join('; ');
    if (unopened.has(code))
      return new PilothouseError('EGRESS_BLOCKED', words, { cause: thrown, details: { ...details, refusals } });
    if (retry !== 'new-worker' && stuck.has(code))
      return new PilothouseError(code, `${error.message} (${words})`, {
        cause: thrown,
        details: { ...details, refusals },
      });
  }
  const failure = failed.findLast(mayBeWhy(error.view()));
  if (!failure || !unopened.has(code)) return thrown;
  const words = `${failure.host}:${failure.port}: ${failure.reason}`;
  return new PilothouseError(code, `${error.message} (${words})`, { cause: thrown, ...(details && { details }) });
}

/**
 * Whether what happened to a connection may be why a step failed. A page that opened too slowly had its answer, or waited for its own host:
 * what others were asked for meanwhile is no reason.
 */
function mayBeWhy({ code, details }: ErrorView): (to: { readonly host: string }) => boolean {
  const url = details?.['url'];
  if (code !== 'NAVIGATION_FAILED' || typeof url !== 'string' || details?.['reason'] !== undefined) return () => true;
  const asked = URL.parse(url)?.hostname;
  return ({ host }) => host === asked;
}

/** Errors of what did not get through at all. */
const unopened: ReadonlySet<string> = new Set(['NAVIGATION_FAILED', 'REQUEST_FAILED']);

/** Errors of a step that a refused connection may be the reason of. */
const stuck: ReadonlySet<string> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_NOT_ACTIONABLE',
  'CONDITION_NOT_MET',
  'STEP_TIMED_OUT',
]);
