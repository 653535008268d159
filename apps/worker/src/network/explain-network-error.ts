import { PilothouseError, toPilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { describeBlock } from '@pilothouse/core/egress/egress-decision';
import type { ConnectFailure } from '@pilothouse/core/ports/egress.port';
import { canFailWithoutConnection, isNetworkError } from '../error-policy.ts';

/** Connections of one step that were blocked or failed. */
export interface NetworkFailures {
  readonly blocked: readonly EgressBlock[];
  readonly failures: readonly ConnectFailure[];
}

/** Adds blocked and failed connections to an error. A blocked page or request fails with EGRESS_BLOCKED. */
export function explainNetworkError(thrown: unknown, { blocked, failures }: NetworkFailures): unknown {
  const error = toPilothouseError(thrown);
  const { code, retry, details } = error.view();
  const relatedBlocks = blocked.filter(mayCause(error.view()));
  if (relatedBlocks.length > 0) {
    const refusals = relatedBlocks.slice(0, 10);
    const explanation = [...new Set(refusals.map(describeBlock))].join('; ');
    if (isNetworkError(code))
      return new PilothouseError('EGRESS_BLOCKED', explanation, { cause: thrown, details: { ...details, refusals } });
    if (retry !== 'new-worker' && canFailWithoutConnection(code))
      return new PilothouseError(code, `${error.message} (${explanation})`, {
        cause: thrown,
        details: { ...details, refusals },
      });
  }
  const failure = failures.findLast(mayCause(error.view()));
  if (!failure || !isNetworkError(code)) return thrown;
  const explanation = `${failure.host}:${failure.port}: ${failure.reason}`;
  return new PilothouseError(code, `${error.message} (${explanation})`, { cause: thrown, ...(details && { details }) });
}

/** Selects connections that may have caused an error. A slow page depends only on its own host. */
function mayCause({ code, details }: ErrorView): (connection: { readonly host: string }) => boolean {
  const url = details?.['url'];
  if (code !== 'NAVIGATION_FAILED' || typeof url !== 'string' || details?.['reason'] !== undefined) return () => true;
  const hostname = URL.parse(url)?.hostname;
  return ({ host }) => host === hostname;
}
