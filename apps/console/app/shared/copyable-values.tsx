import { Button, Input } from '@pilothouse/ui-kit';
import { Check, Copy } from 'lucide-react';
import { useRef } from 'react';
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

/** A value that is shown once, with a copy button. */
export function ReadOnlyValue({ label, value }: { label: string; value: string }) {
  const ref = useRef<HTMLInputElement>(null);
  return (
    <div role="status" className="rounded-md border border-good/40 bg-surface p-3">
      <p className="mb-1 text-sm text-good">{label}</p>
      <div className="flex gap-2">
        <Input ref={ref} readOnly value={value} aria-label={label} className="font-mono" />
        <Button
          onClick={() => {
            ref.current?.select();
            void navigator.clipboard?.writeText(value);
          }}
        >
          <Copy aria-hidden="true" /> Copy
        </Button>
      </div>
    </div>
  );
}
