import { createContext, lazy, Suspense, useCallback, useContext, useState, type ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import type { ToastMessage } from './toaster.tsx';

type ShowToast = (text: string, tone?: Tone) => void;

// Loaded on demand: most pages show no toast.
const Toaster = lazy(() => import('./toaster.tsx'));

const ToastContext = createContext<ShowToast>(() => undefined);

/** Provides `useToast` to its children. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly ToastMessage[]>([]);
  const show = useCallback<ShowToast>(
    (text, tone = 'good') => setMessages((current) => [...current, { text, tone }]),
    [],
  );
  return (
    <ToastContext value={show}>
      {children}
      {messages.length > 0 && (
        <Suspense>
          <Toaster messages={messages} />
        </Suspense>
      )}
    </ToastContext>
  );
}

/** Returns a function that shows a toast. Use it for the result of an action that the page does not show. */
export const useToast = (): ShowToast => useContext(ToastContext);
