import { Button } from '@pilothouse/ui-kit';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { shortId } from './number-format.ts';

/** Milliseconds that the button shows success. */
const FEEDBACK_MS = 2_000;

/** Short id with a button that copies the full id. */
export function ShortId({ id }: { id: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      setState('copied');
    } catch {
      // Without TLS there is no clipboard: the full id is shown instead.
      setState('failed');
    }
  };
  return (
    <span className="inline-flex items-center">
      <span className="font-mono text-xs text-muted" title={id}>
        {state === 'failed' ? id : shortId(id)}
      </span>
      <Button variant="quiet" icon aria-label="Copy the whole id" title="Copy the whole id" onClick={() => void copy()}>
        {state === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      </Button>
      <span role="status" className="sr-only">
        {state === 'copied' ? 'Copied' : ''}
      </span>
    </span>
  );
}
