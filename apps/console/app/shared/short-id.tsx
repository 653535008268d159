import { Button } from '@pilothouse/ui-kit';
import { Check, Copy } from 'lucide-react';
import { shortId } from './number-format.ts';
import { useCopyText } from './use-copy-text.ts';

/** Short id with a button that copies the full id. Without access to the clipboard the full id is shown. */
export function ShortId({ id }: { id: string }) {
  const { state, copy } = useCopyText(id);
  return (
    <span className="inline-flex items-center">
      <span className="font-mono text-xs text-muted" title={id}>
        {state === 'failed' ? id : shortId(id)}
      </span>
      <Button variant="quiet" icon aria-label="Copy full id" title="Copy full id" onClick={copy}>
        {state === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      </Button>
      <span role="status" className="sr-only">
        {state === 'copied' ? 'Copied' : ''}
      </span>
    </span>
  );
}
