import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { Button, Dialog, Notice } from '@pilothouse/ui-kit';
import { Crosshair } from 'lucide-react';
import { useState } from 'react';
import { ElementPicker, PickModeSwitch, useElementPicker } from '../element-picker/element-picker.tsx';
import type { PageControl } from '../control/use-control-session.ts';

export interface PickTargetDialogProps {
  run: string;
  control: PageControl;
  busy: boolean;
  onPick: (target: Target) => void;
}

/** Picks the target of a step in the browser of its run. */
export default function PickTargetDialog({ control, busy, onPick, ...rest }: PickTargetDialogProps) {
  const [open, setOpen] = useState(false);
  const start = () => {
    control.takeControl();
    setOpen(true);
  };
  const pick = (target: Target) => {
    setOpen(false);
    onPick(target);
  };
  const end = () => {
    setOpen(false);
    if (control.isMine) control.release();
  };
  return (
    <>
      <Button variant="primary" disabled={busy} onClick={start}>
        <Crosshair aria-hidden="true" /> Pick element
      </Button>
      <Dialog
        open={open}
        onClose={end}
        title="Pick the element for this step"
        className="w-[min(76rem,calc(100vw-2rem))]!"
      >
        {open && <TargetPicker control={control} {...rest} onPick={pick} />}
      </Dialog>
    </>
  );
}

/** An element without a known locator is picked by its position, for this attempt only. */
function TargetPicker({ run, control, onPick }: Omit<PickTargetDialogProps, 'busy'>) {
  const picking = useElementPicker(control, onPick, onPick);
  const problem = picking.problem ?? control.problem;
  return (
    <div className="grid gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 text-sm">
        <p role="status" className="truncate text-muted">
          {control.isOperating ? picking.label : 'Taking control…'}
        </p>
        {control.isOperating && <PickModeSwitch picking={picking} />}
      </div>
      {problem && <Notice tone="warn">{problem}</Notice>}
      <ElementPicker run={run} control={control} picking={picking} />
    </div>
  );
}
