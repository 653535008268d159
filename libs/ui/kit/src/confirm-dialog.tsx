import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  open: boolean;
  /** Question that names the object: `Revoke key nightly?` */
  title: string;
  /** Label of the confirm button: `Revoke key`. */
  verb: string;
  /** Label of the button that closes the dialog. */
  back?: string;
  onConfirm: () => void;
  onClose: () => void;
  /** Consequences in one or two sentences. */
  children: ReactNode;
}

/** Asks before an action that cannot be undone. The cancel button has the initial focus. */
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
      <Button variant="danger" onClick={onConfirm}>
        {verb}
      </Button>
    </div>
  </Dialog>
);
