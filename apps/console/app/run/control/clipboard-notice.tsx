import { Button, Notice, TextArea } from '@pilothouse/ui-kit';
import { useEffect, useRef } from 'react';
import { countOf } from '../../shared/number-format.ts';
import type { CopyResult } from './use-clipboard.ts';

/** Result of copying text from the page. */
export function ClipboardNotice({ copied, onDismiss }: { copied: CopyResult; onDismiss: () => void }) {
  switch (copied.kind) {
    case 'done':
      return (
        <p role="status" className="text-xs text-muted">
          Copied {countOf(copied.characters, 'character')}.
        </p>
      );
    case 'nothing':
      return (
        <p role="status" className="text-xs text-muted">
          Nothing copied. Select text first (passwords can’t be copied).
        </p>
      );
    case 'failed':
      return <Notice tone="bad">{copied.error}</Notice>;
    case 'denied':
      return <ManualCopy text={copied.text} onDismiss={onDismiss} />;
  }
}

function ManualCopy({ text, onDismiss }: { text: string; onDismiss: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), [text]);
  return (
    <div className="grid w-full gap-2 rounded-md border border-warn/40 bg-surface p-3 text-sm">
      <p role="alert">Clipboard access needs HTTPS and your permission. Copy the text below.</p>
      <TextArea
        ref={field}
        readOnly
        rows={4}
        aria-label="Copied text"
        value={text}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDismiss();
        }}
      />
      <div>
        <Button onClick={onDismiss}>Close</Button>
      </div>
    </div>
  );
}
