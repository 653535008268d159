import type { Target } from '@pilothouse/contract/actions/locator.schema';
import type { PageInspection } from '@pilothouse/contract/control/control.schema';
import { Button } from '@pilothouse/ui-kit';
import { Crosshair, Hand } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { elementLabel, type VisibleElement } from './page-inspection.ts';
import { ElementOverlay, ElementList, type ElementOverlayProps, type PickRequest } from './element-overlay.tsx';
import { Screencast } from '../control/screencast.tsx';
import { RemoteInputLayer } from '../control/remote-input-layer.tsx';
import type { PageControl } from '../control/use-control-session.ts';

/** Milliseconds between two inspections of the page. */
const INSPECT_INTERVAL_MS = 2_000;

export interface ElementPickerState {
  inspection: PageInspection | null;
  overlay: ElementOverlayProps;
  /** Label of the highlighted element, else the title of the page. */
  label: string;
  /** True if a click picks an element; false if it goes to the page. */
  isPicking: boolean;
  setIsPicking: (isPicking: boolean) => void;
  problem: string | null;
}

/**
 * Inspects the page while the viewer has control.
 * @param onPick receives the target of the picked element
 * @param onPickPoint receives the pick if no locator is known; omitted: such elements cannot be picked
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
        'point' in request ? { point: request.point } : { element: request.elementIndex },
      );
      if (answer?.target) return onPick(answer.target);
      if (answer && onPickPoint) return onPickPoint(request);
      setPickProblem(error ?? 'No stable locator for this element. Pick its container or a neighbor.');
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

/** Switches between picking elements and using the page. */
export const PickModeSwitch = ({ picking: { isPicking, setIsPicking } }: { picking: ElementPickerState }) => (
  <span className="flex gap-2">
    <Button aria-pressed={isPicking} variant={isPicking ? 'primary' : 'plain'} onClick={() => setIsPicking(true)}>
      <Crosshair aria-hidden="true" /> Pick
    </Button>
    <Button aria-pressed={!isPicking} variant={isPicking ? 'plain' : 'primary'} onClick={() => setIsPicking(false)}>
      <Hand aria-hidden="true" /> Interact
    </Button>
  </span>
);

/** Screencast with the overlay, and the list of visible elements. */
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
          {control.isOperating && isPicking && inspection && (
            <ElementOverlay elements={inspection.elements} {...overlay} />
          )}
          {control.isOperating && !isPicking && <RemoteInputLayer control={control} />}
        </Screencast>
      </div>
      {control.isOperating && inspection && <ElementList elements={inspection.elements} {...overlay} />}
    </div>
  );
};
