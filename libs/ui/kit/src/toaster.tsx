import { Toast } from '@base-ui/react/toast';
import { useEffect, useRef } from 'react';
import type { Tone } from './badge.tsx';
import { buttonClass } from './button.tsx';
import { classes } from './class-names.ts';

export interface ToastMessage {
  text: string;
  tone: Tone;
}

/** Milliseconds until a toast closes. */
const TIMEOUT_MS = 6_000;

const tones: Record<Tone, string> = {
  plain: 'border-line',
  good: 'border-good/50',
  bad: 'border-bad/50',
  warn: 'border-warn/50',
  live: 'border-live/50',
};

/** Shows each message once, as a toast. Screen readers announce it; F6 moves the focus to it. @param messages all messages so far */
export default function Toaster({ messages }: { messages: readonly ToastMessage[] }) {
  return (
    <Toast.Provider timeout={TIMEOUT_MS} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 grid w-[min(22rem,calc(100vw-2rem))] gap-2 max-md:bottom-20">
          <ToastList messages={messages} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList({ messages }: { messages: readonly ToastMessage[] }) {
  const { toasts, add } = Toast.useToastManager<{ tone: Tone }>();
  const addedCount = useRef(0);
  useEffect(() => {
    for (const { text, tone } of messages.slice(addedCount.current))
      add({ title: text, data: { tone }, priority: tone === 'bad' ? 'high' : 'low' });
    addedCount.current = messages.length;
  }, [messages, add]);
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      swipeDirection="right"
      className={classes(
        'flex items-center gap-2 rounded-md border bg-surface px-3 py-2 text-sm text-text shadow-lg data-limited:hidden',
        tones[toast.data?.tone ?? 'plain'],
      )}
    >
      <Toast.Content className="min-w-0 flex-1 wrap-anywhere">
        <Toast.Title className="text-sm" />
      </Toast.Content>
      <Toast.Close aria-label="Close" className={buttonClass({ variant: 'quiet', icon: true })}>
        <span aria-hidden="true" className="text-lg leading-none">
          ×
        </span>
      </Toast.Close>
    </Toast.Root>
  ));
}
