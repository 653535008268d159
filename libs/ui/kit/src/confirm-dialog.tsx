import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  open: boolean;
  /** A question that names the thing: `Revoke key nightly?` */
  title: string;
  /** Label of the button that confirms: `Revoke key`. */
  verb: string;
  /** Label of the button that closes the dialog. */
  back?: string;
  onConfirm: () => void;
  onClose: () => void;
  /** What happens, in one or two sentences. */
  children: ReactNode;
}

/** Asks before an action that cannot be undone. The button that changes nothing has the focus first. */
export const ConfirmDialog = ({
  open,
  title,
  verb,
  back = 'Back',
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) => (
  <Dialog open={open} onClose={onClose} title={title} role="alertdialog">
    <p className="text-sm text-muted wrap-anywhere">{children}</p>
    <div className="mt-4 flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>{back}</Button>
      <Button look="danger" onClick={onConfirm}>
        {verb}
      </Button>
    </div>
  </Dialog>
);
