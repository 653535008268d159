import { useSearchParams } from 'react-router';
import type { RunState, StepState } from '../run-state.ts';

/** Query parameter that names the selected step by its path. */
const STEP_PARAM = 'step';

/** The step in the URL. Undefined: the URL names no step, or the run has not reached it yet. */
export function useStepLink({ steps }: RunState): [step: number | undefined, select: (index: number) => void] {
  const [params, setParams] = useSearchParams();
  const path = params.get(STEP_PARAM);
  const step = path === null ? undefined : steps.find((one) => one.path === path);
  const select = (index: number) => {
    const selected = steps.find((one) => one.index === index);
    if (!selected) return;
    setParams(
      (before) => {
        before.set(STEP_PARAM, selected.path);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  return [step?.index, select];
}

/** Relative URL of a step of a run. */
export const stepHref = (run: string, { path }: Pick<StepState, 'path'>): string =>
  `/runs/${run}?${new URLSearchParams({ [STEP_PARAM]: path }).toString()}`;
