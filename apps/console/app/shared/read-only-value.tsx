import { Button, Input } from '@pilothouse/ui-kit';
import { Copy } from 'lucide-react';
import { useRef } from 'react';

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
