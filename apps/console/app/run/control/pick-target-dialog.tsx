import type { Target } from '@pilothouse/contract';
import { Button, Dialog, Notice } from '@pilothouse/ui-kit';
import { Crosshair } from 'lucide-react';
import { useState } from 'react';
import { PickFilm, PickSwitch, usePicking } from '../../element-picker/element-picker.tsx';
import type { WheelHandle } from './use-control-session.ts';

export interface RunPointProps {
  run: string;
  wheel: WheelHandle;
  busy: boolean;
  onPoint: (target: Target) => void;
}

/** Points at what a step means, in the browser of its run. */
export function RunPoint({ wheel, busy, onPoint, ...rest }: RunPointProps) {
  const [open, setOpen] = useState(false);
  const begin = () => {
    wheel.take();
    setOpen(true);
  };
  const point = (target: Target) => {
    setOpen(false);
    onPoint(target);
  };
  const end = () => {
    setOpen(false);
    if (wheel.isMine) wheel.giveBack();
  };
  return (
    <>
      <Button look="primary" disabled={busy} onClick={begin}>
        <Crosshair aria-hidden="true" /> Point at it
      </Button>
      <Dialog
        open={open}
        onClose={end}
        title="Point at what the step means"
        className="w-[min(76rem,calc(100vw-2rem))]!"
      >
        {open && <Pointing wheel={wheel} {...rest} onPoint={point} />}
      </Dialog>
    </>
  );
}

/** Where no way is known to find what was pointed at, the place will do: for this once. */
function Pointing({ run, wheel, onPoint }: Omit<RunPointProps, 'busy'>) {
  const picking = usePicking(wheel, onPoint, onPoint);
  const problem = picking.problem ?? wheel.problem;
  return (
    <div className="grid gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 text-sm">
        <p role="status" className="truncate text-muted">
          {wheel.drives ? picking.words : 'It comes into your hands…'}
        </p>
        {wheel.drives && <PickSwitch picking={picking} />}
      </div>
      {problem && <Notice tone="warn">{problem}</Notice>}
      <PickFilm run={run} wheel={wheel} picking={picking} />
    </div>
  );
}
