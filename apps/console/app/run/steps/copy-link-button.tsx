import { Button } from '@pilothouse/ui-kit';
import { Check, Link as LinkIcon } from 'lucide-react';
import { useCopyText } from '../../shared/use-copy-text.ts';

/** Copies the absolute URL of a step. Without access to the clipboard the URL is shown as a field. */
export function CopyLinkButton({ href }: { href: string }) {
  const url = typeof window === 'undefined' ? href : new URL(href, window.location.href).href;
  const { state, copy } = useCopyText(url);
  return (
    <>
      <Button variant="quiet" onClick={copy}>
        {state === 'copied' ? <Check aria-hidden="true" /> : <LinkIcon aria-hidden="true" />}
        {state === 'copied' ? 'Link copied' : 'Copy link'}
      </Button>
      {state === 'failed' && (
        <input
          readOnly
          aria-label="Link to this step"
          value={url}
          onFocus={({ target }) => target.select()}
          className="w-64 max-w-full rounded border border-line bg-raised px-1.5 py-1 font-mono"
        />
      )}
      <span role="status" className="sr-only">
        {state === 'copied' ? 'Link copied' : ''}
      </span>
    </>
  );
}
