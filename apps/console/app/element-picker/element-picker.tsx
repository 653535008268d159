import type { PageInspection, Target } from '@pilothouse/contract';
import { Button } from '@pilothouse/ui-kit';
import { Crosshair, Hand } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { elementLabel, type VisibleElement } from './page-inspection.ts';
import { ElementOverlay, ElementList, type ElementOverlayProps, type PickRequest } from './element-overlay.tsx';
import { Screencast } from '../run/control/screencast.tsx';
import { RemoteInputLayer } from '../run/control/remote-input-layer.tsx';
import type { PageControl } from '../run/control/use-control-session.ts';

/** Milliseconds between two looks at a page, which may change by itself. */
const INSPECT_INTERVAL_MS = 2_000;

/** What is in view of a run that the viewer drives, to pick from. */
export interface ElementPickerState {
  inspection: PageInspection | null;
  overlay: ElementOverlayProps;
  /** What is under the pointer, else where the page is. */
  label: string;
  /** Whether a click picks; else it is done to the page. */
  isPicking: boolean;
  setIsPicking: (isPicking: boolean) => void;
  problem: string | null;
}

/**
 * Looks at the page as long as the viewer drives it.
 * @param onPick with the ways to find what was picked
 * @param onPlace with what was picked where no way is known; left out: another one has to be picked
 */
export function useElementPicker(
  { isOperating, inspect }: Pick<PageControl, 'isOperating' | 'inspect'>,
  onPick: (target: Target) => void,
  onPickPoint?: (request: PickRequest) => void,
): ElementPickerState {
  const [inspection, setInspection] = useState<PageInspection | null>(null);
  const [highlighted, setHighlighted] = useState<VisibleElement | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [pickProblem, setPickProblem] = useState<string | null>(null);
  const [isPicking, setIsPicking] = useState(true);

  useEffect(() => {
    if (!isOperating) return setInspection(null);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const refresh = async () => {
      const { answer, error } = await inspect({});
      if (isOver) return;
      if (answer) setInspection(answer);
      setProblem(error);
      timer = setTimeout(() => void refresh(), INSPECT_INTERVAL_MS);
    };
    void refresh();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isOperating, inspect]);

  const pick = useCallback(
    async (request: PickRequest) => {
      setPickProblem(null);
      const { answer, error } = await inspect(
        'point' in request ? { at: request.point } : { element: request.elementIndex },
      );
      if (answer?.target) return onPick(answer.target);
      if (answer && onPickPoint) return onPickPoint(request);
      setPickProblem(error ?? 'No way is known to find this again: pick what is around it, or something beside it.');
    },
    [inspect, onPick, onPickPoint],
  );
  return {
    inspection,
    overlay: { highlighted, onHighlight: setHighlighted, onPick: (request) => void pick(request) },
    label: highlighted ? elementLabel(highlighted) : (inspection?.title ?? ''),
    isPicking,
    setIsPicking,
    problem: pickProblem ?? problem,
  };
}

/** Whether a click picks, or is done to the page. */
export const PickModeSwitch = ({ picking: { isPicking, setIsPicking } }: { picking: ElementPickerState }) => (
  <span className="flex gap-2">
    <Button aria-pressed={isPicking} look={isPicking ? 'primary' : 'plain'} onClick={() => setIsPicking(true)}>
      <Crosshair aria-hidden="true" /> Pick
    </Button>
    <Button aria-pressed={!isPicking} look={isPicking ? 'plain' : 'primary'} onClick={() => setIsPicking(false)}>
      <Hand aria-hidden="true" /> Use the page
    </Button>
  </span>
);

/** The page as it is now, and what is in view as a list. */
export const ElementPicker = ({
  run,
  control,
  picking,
}: {
  run: string;
  control: PageControl;
  picking: ElementPickerState;
}) => {
  const { inspection, isPicking, overlay } = picking;
  return (
    <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div>
        <Screencast run={run}>
          {control.isOperating && isPicking && inspection && <ElementOverlay inspection={inspection} {...overlay} />}
          {control.isOperating && !isPicking && <RemoteInputLayer control={control} />}
        </Screencast>
      </div>
      {control.isOperating && inspection && <ElementList inspection={inspection} {...overlay} />}
    </div>
  );
};
