import type { PageInspection, Target } from '@pilothouse/contract';
import { Button } from '@pilothouse/ui-kit';
import { Crosshair, Hand } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { wordsOf, type Sighted } from './page-inspection.ts';
import { PickLayer, PickList, type MarkProps, type Pointed } from './element-overlay.tsx';
import { RunFilm } from '../run/control/screencast.tsx';
import { RunHands } from '../run/control/remote-input-layer.tsx';
import type { WheelHandle } from '../run/control/use-control-session.ts';

/** Milliseconds between two looks at a page, which may change by itself. */
const LOOK_MS = 2_000;

/** What is in view of a run that the viewer drives, to pick from. */
export interface Picking {
  sight: PageInspection | null;
  marking: MarkProps;
  /** What is under the pointer, else where the page is. */
  words: string;
  /** Whether a click picks; else it is done to the page. */
  picks: boolean;
  setPicks: (picks: boolean) => void;
  problem: string | null;
}

/**
 * Looks at the page as long as the viewer drives it.
 * @param onPick with the ways to find what was picked
 * @param onPlace with what was picked where no way is known; left out: another one has to be picked
 */
export function usePicking(
  { drives, look }: Pick<WheelHandle, 'drives' | 'look'>,
  onPick: (target: Target) => void,
  onPlace?: (pointed: Pointed) => void,
): Picking {
  const [sight, setSight] = useState<PageInspection | null>(null);
  const [marked, setMarked] = useState<Sighted | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [missed, setMissed] = useState<string | null>(null);
  const [picks, setPicks] = useState(true);

  useEffect(() => {
    if (!drives) return setSight(null);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const again = async () => {
      const { answer, why } = await look({});
      if (isOver) return;
      if (answer) setSight(answer);
      setProblem(why);
      timer = setTimeout(() => void again(), LOOK_MS);
    };
    void again();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [drives, look]);

  const pick = useCallback(
    async (pointed: Pointed) => {
      setMissed(null);
      const { answer, why } = await look(
        'point' in pointed ? { at: pointed.point } : { element: pointed.elementIndex },
      );
      if (answer?.target) return onPick(answer.target);
      if (answer && onPlace) return onPlace(pointed);
      setMissed(why ?? 'No way is known to find this again: pick what is around it, or something beside it.');
    },
    [look, onPick, onPlace],
  );
  return {
    sight,
    marking: { marked, onMark: setMarked, onPick: (pointed) => void pick(pointed) },
    words: marked ? wordsOf(marked) : (sight?.title ?? ''),
    picks,
    setPicks,
    problem: missed ?? problem,
  };
}

/** Whether a click picks, or is done to the page. */
export const PickSwitch = ({ picking: { picks, setPicks } }: { picking: Picking }) => (
  <span className="flex gap-2">
    <Button aria-pressed={picks} look={picks ? 'primary' : 'plain'} onClick={() => setPicks(true)}>
      <Crosshair aria-hidden="true" /> Pick
    </Button>
    <Button aria-pressed={!picks} look={picks ? 'plain' : 'primary'} onClick={() => setPicks(false)}>
      <Hand aria-hidden="true" /> Use the page
    </Button>
  </span>
);

/** The page as it is now, and what is in view as a list. */
export const PickFilm = ({ run, wheel, picking }: { run: string; wheel: WheelHandle; picking: Picking }) => {
  const { sight, picks, marking } = picking;
  return (
    <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div>
        <RunFilm run={run}>
          {wheel.drives && picks && sight && <PickLayer sight={sight} {...marking} />}
          {wheel.drives && !picks && <RunHands wheel={wheel} />}
        </RunFilm>
      </div>
      {wheel.drives && sight && <PickList sight={sight} {...marking} />}
    </div>
  );
};
