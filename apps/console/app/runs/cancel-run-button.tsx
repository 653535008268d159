import { X } from 'lucide-react';
import { useFetcher } from 'react-router';
import type { ApiResult } from '../api/api-client.server.ts';
import { shortId } from '../shared/number-format.ts';
import type { RunRow } from './run-row.ts';
import type { BulkResult } from './run-page.server.ts';
import { ConfirmButton, type ConfirmButtonProps } from '../shared/confirm-button.tsx';

/** Confirmation before a run is cancelled. */
export const cancelRunConfirmation = (name: string, onConfirm: () => void): ConfirmButtonProps['confirmation'] => ({
  title: `Cancel run ${name}?`,
  text: 'A running run stops before its next action. Its artifacts are kept.',
  verb: 'Cancel run',
  onConfirm,
});

/** Cancels one run of a list. */
export function CancelRunButton({ run: { id, name } }: { run: Pick<RunRow, 'id' | 'name'> }) {
  const fetcher = useFetcher<ApiResult<BulkResult>>();
  const { result, failure } = fetcher.data ?? {};
  const problem = failure?.message ?? result?.failed[0]?.message;
  // A running run finishes its current action first. Until then, the row shows the request.
  const isCancelling = fetcher.state !== 'idle' || result?.succeeded === 1;
  return (
    <div className="flex items-center gap-2 pr-2">
      <span role="status" className="text-xs text-bad">
        {problem}
      </span>
      <ConfirmButton
        icon
        disabled={isCancelling}
        aria-label={`${isCancelling ? 'Cancelling' : 'Cancel'} ${name} ${shortId(id)}`}
        tooltip={isCancelling ? 'Cancelling…' : 'Cancel run'}
        confirmation={cancelRunConfirmation(
          `${name} ${shortId(id)}`,
          () => void fetcher.submit({ intent: 'cancel', run: id }, { method: 'post', action: '/runs' }),
        )}
      >
        <X aria-hidden="true" />
      </ConfirmButton>
    </div>
  );
}
