import { createContext } from 'react';
import type { Path } from '../../workflow-document/yaml-path.ts';
import type { StepDisplayStatus } from '../../shared/status-badge.tsx';
import type { StepSentences } from '../step-sentences.ts';

/** State that graph nodes share. Keys are JSON pointers. */
export interface GraphState {
  selected: string | null;
  /** Error messages by step. */
  problems: ReadonlyMap<string, readonly string[]>;
  /** Statuses of steps in the test run. */
  stepStatuses: ReadonlyMap<string, StepDisplayStatus>;
  /** Sentences of the steps, as on the run page. */
  sentences: StepSentences;
  onSelect: (key: string) => void;
  onAdd: (list: Path, index: number) => void;
}

export const GraphContext = createContext<GraphState>({
  selected: null,
  problems: new Map(),
  stepStatuses: new Map(),
  sentences: {},
  onSelect: () => undefined,
  onAdd: () => undefined,
});
