import { createContext } from 'react';
import type { Path } from '../../workflow-document/yaml-path.ts';
import type { StepDisplayStatus } from '../../shared/status-badge.tsx';

/** State that graph nodes share. Keys are JSON pointers. */
export interface GraphState {
  selected: string | null;
  /** Error messages by step. */
  problems: ReadonlyMap<string, readonly string[]>;
  /** Statuses of steps in the test run. */
  stepStatuses: ReadonlyMap<string, StepDisplayStatus>;
  onSelect: (key: string) => void;
  onAdd: (list: Path, index: number) => void;
}

export const GraphContext = createContext<GraphState>({
  selected: null,
  problems: new Map(),
  stepStatuses: new Map(),
  onSelect: () => undefined,
  onAdd: () => undefined,
});
