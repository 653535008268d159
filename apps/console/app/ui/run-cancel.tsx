import { Button } from '@pilothouse/ui-kit';
import { X } from 'lucide-react';
import { useFetcher } from 'react-router';
import type { Tried } from '../lib/api.server.ts';
import { shortId } from '../lib/format.ts';
import type { RunRow } from '../lib/run-rows.ts';
import type { Changed } from '../lib/runs.server.ts';

/** Cancels one run of a list, as the table of runs does with those that are selected. */
export function RunCancel({ run: { id, name } }: { run: Pick<RunRow, 'id' | 'name'> }) {
  const fetcher = useFetcher<Tried<Changed>>();
  const { done, failure } = fetcher.data ?? {};
  const refusal = failure?.message ?? done?.refused[0]?.message;
  // One that is at work ends a moment after it was asked to: until then the row says so.
  const isAsked = fetcher.state !== 'idle' || done?.done === 1;
  return (
    <fetcher.Form method="post" action="/runs" className="flex items-center gap-2 pr-2">
      <input type="hidden" name="run" value={id} />
      <span role="status" className="text-xs text-bad">
        {refusal}
      </span>
      <Button
        type="submit"
        name="what"
        value="cancel"
        look="danger"
        icon
        disabled={isAsked}
        aria-label={`${isAsked ? 'Cancelling' : 'Cancel'} ${name} ${shortId(id)}`}
        title={isAsked ? 'Cancelling…' : 'Cancel'}
      >
        <X aria-hidden="true" />
      </Button>
    </fetcher.Form>
  );
}
