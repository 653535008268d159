import { useCallback, useState } from 'react';
import type { PageControl } from '../run/control/use-control-session.ts';

/** What came of copying out of the page; null: nothing was tried, or it is out of date. */
export type CopyResult =
  | { readonly kind: 'done'; readonly characters: number }
  | { readonly kind: 'nothing' }
  /** The browser of the viewer did not take it: they have to. */
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: string };

export interface PageCopy {
  copied: CopyResult | null;
  /** @param cut takes it away from the page, too */
  copy: (cut: boolean) => void;
  dismiss: () => void;
}

/** Copies out of the page that the viewer drives to their own clipboard. */
export function usePageCopy({ copy }: Pick<PageControl, 'copy'>): PageCopy {
  const [copied, setCopied] = useState<CopyResult | null>(null);
  const copyOut = useCallback(
    async (cut: boolean) => {
      setCopied(null);
      const { answer, error } = await copy(cut);
      setCopied(answer ? await writeToClipboard(answer.copied) : { kind: 'failed', error });
    },
    [copy],
  );
  return {
    copied,
    copy: useCallback((cut: boolean) => void copyOut(cut), [copyOut]),
    dismiss: useCallback(() => setCopied(null), []),
  };
}

async function writeToClipboard(text: string | null): Promise<CopyResult> {
  if (text === null || text === '') return { kind: 'nothing' };
  try {
    await navigator.clipboard.writeText(text);
    return { kind: 'done', characters: [...text].length };
  } catch {
    // Not allowed, or, where the page came without TLS, not there at all.
    return { kind: 'refused', text };
  }
}
