import { useCallback, useState } from 'react';
import type { PageControl } from './use-control-session.ts';
import { writeClipboard } from '../../shared/use-copy-text.ts';

/** Result of copying from the page; null: none. */
export type CopyResult =
  | { readonly kind: 'done'; readonly characters: number }
  | { readonly kind: 'nothing' }
  /** The browser denied access to the clipboard: the viewer has to copy the text. */
  | { readonly kind: 'denied'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: string };

export interface PageCopy {
  copied: CopyResult | null;
  /** @param cut also removes the selection */
  copy: (cut: boolean) => void;
  dismiss: () => void;
}

/** Copies the selection of a controlled page to the clipboard of the viewer. */
export function usePageCopy({ copy }: Pick<PageControl, 'copy'>): PageCopy {
  const [copied, setCopied] = useState<CopyResult | null>(null);
  const copyOut = useCallback(
    async (cut: boolean) => {
      setCopied(null);
      const { answer, error } = await copy(cut);
      setCopied(answer ? await writeToClipboard(answer.text) : { kind: 'failed', error });
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
  return (await writeClipboard(text)) ? { kind: 'done', characters: [...text].length } : { kind: 'denied', text };
}
