import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { classes } from './class-names.ts';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** `alertdialog`: asks before an action. It has no close button, and a click outside does not close it. */
  role?: 'dialog' | 'alertdialog';
  className?: string;
  children: ReactNode;
}

/** Class names of the backdrop. */
export const backdropClass = 'fixed inset-0 z-40 bg-[rgb(13_6_35/0.55)]';

/** Class names of the popup, without its position. */
export const popupClass = 'fixed z-50 rounded-lg border border-line bg-surface text-text shadow-2xl outline-none';

const isListOpen = ({ target }: KeyboardEvent) =>
  target instanceof Element && target.matches('[role=combobox][aria-expanded=true]');

/**
 * Modal dialog. The focus goes to the first control, stays inside, and returns to the opener. Escape closes the open list
 * of a combobox, otherwise the dialog. Do not use `autoFocus` inside, because then the focus does not return to the opener.
 */
export function Dialog({ open, onClose, title, role = 'dialog', className, children }: DialogProps) {
  const listEscape = useRef<Event>(undefined);
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={(isOpen, details) => {
        if (isOpen) return;
        // The combobox handles the same event.
        if (details.event === listEscape.current) details.cancel();
        else onClose();
      }}
      disablePointerDismissal={role === 'alertdialog'}
    >
      <BaseDialog.Portal>
        {/* A question also covers the dialog that it belongs to. */}
        <BaseDialog.Backdrop
          forceRender={role === 'alertdialog'}
          className={classes(backdropClass, role === 'alertdialog' && 'z-50!')}
        />
        <BaseDialog.Popup
          role={role}
          onKeyDownCapture={(event) => {
            if (event.key === 'Escape' && isListOpen(event)) listEscape.current = event.nativeEvent;
          }}
          className={classes(
            popupClass,
            'top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[min(32rem,calc(100vw-2rem))] -translate-1/2 overflow-y-auto p-4',
            className,
          )}
        >
          <BaseDialog.Title className="mb-3 pr-8 text-base font-semibold wrap-anywhere">{title}</BaseDialog.Title>
          {children}
          {/* Last in the document: the first control of the content gets the initial focus. */}
          {role === 'dialog' && (
            <BaseDialog.Close
              aria-label="Close"
              className={buttonClass({ variant: 'quiet', icon: true }, 'absolute! top-2 right-2')}
            >
              <span aria-hidden="true" className="text-lg leading-none">
                ×
              </span>
            </BaseDialog.Close>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
