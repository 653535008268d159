import { useSearchParams } from 'react-router';
import type { RunState, StepState } from '../run-state.ts';

/** Query parameter that names the selected step by its path. */
const STEP_PARAM = 'step';

/** The step in the URL. Undefined: the URL names no step, or the run has not reached it yet. */
export function useStepLink({ steps }: RunState): [step: number | undefined, select: (index: number) => void] {
  const [params, setParams] = useSearchParams();
  const path = params.get(STEP_PARAM);
  const step = path === null ? undefined : steps.find((candidate) => candidate.path === path);
  const select = (index: number) => {
    const selected = steps.find((candidate) => candidate.index === index);
    if (!selected) return;
    setParams(
      (current) => {
        current.set(STEP_PARAM, selected.path);
        return current;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  return [step?.index, select];
}

/** Relative URL of a run's step. */
export const stepHref = (run: string, { path }: Pick<StepState, 'path'>): string =>
  `/runs/${run}?${new URLSearchParams({ [STEP_PARAM]: path }).toString()}`;
