import { useEffect, useRef, type ReactNode } from 'react';
import { classes } from './class-names.ts';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** `alertdialog`: asks before an action. */
  role?: 'dialog' | 'alertdialog';
  className?: string;
  children: ReactNode;
}

/** Modal dialog. The browser traps the focus, and Escape closes it. */
export function Dialog({ open, onClose, title, role, className, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      role={role}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
      aria-label={typeof title === 'string' ? title : undefined}
      className={classes(
        'm-auto w-[min(32rem,calc(100vw-2rem))] rounded-lg border border-line bg-surface p-0 text-text shadow-2xl',
        // May be rendered inside a table cell.
        'text-left whitespace-normal',
        className,
      )}
    >
      {open && (
        <div className="p-4">
          <h2 className="mb-3 text-base font-semibold">{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}
