import { Button, Notice, TextArea } from '@pilothouse/ui-kit';
import { useEffect, useRef } from 'react';
import type { CopyResult } from '../../shared/use-clipboard.ts';

/** Result of copying text from the page. */
export function ClipboardNotice({ copied, onDismiss }: { copied: CopyResult; onDismiss: () => void }) {
  switch (copied.kind) {
    case 'done':
      return (
        <p role="status" className="text-xs text-muted">
          {copied.characters === 1 ? 'One character is' : `${copied.characters} characters are`} on your clipboard.
        </p>
      );
    case 'nothing':
      return (
        <p role="status" className="text-xs text-muted">
          Nothing was copied: select a text first, and not a password.
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
      <p role="alert">
        Your browser keeps its clipboard from this page: it gives it to pages over HTTPS, and where you allow it. Copy
        the text from here.
      </p>
      <TextArea
        ref={field}
        readOnly
        rows={4}
        aria-label="What was copied"
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
