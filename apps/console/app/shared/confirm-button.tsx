import { Button, ConfirmDialog, type ConfirmDialogProps } from '@pilothouse/ui-kit';
import { useState, type ComponentProps, type ReactNode } from 'react';

export interface ConfirmButtonProps extends Omit<ComponentProps<typeof Button>, 'title' | 'type' | 'onClick'> {
  /** Texts of the dialog, and the confirmed action. */
  confirmation: Pick<ConfirmDialogProps, 'title' | 'verb' | 'onConfirm'> & { readonly text: ReactNode };
  tooltip?: string;
}

/** Button whose action needs a confirmation. */
export function ConfirmButton({
  confirmation: { title, verb, text, onConfirm },
  tooltip,
  ...button
}: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="danger" {...button} title={tooltip} onClick={() => setOpen(true)} />
      <ConfirmDialog
        open={open}
        title={title}
        verb={verb}
        onClose={() => setOpen(false)}
        onConfirm={() => {
          setOpen(false);
          onConfirm();
        }}
      >
        {text}
      </ConfirmDialog>
    </>
  );
}
