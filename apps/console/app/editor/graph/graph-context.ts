import { createContext } from 'react';
import type { Path } from '../document/yaml-path.ts';
import type { StepDisplayStatus } from '../../shared/status-badge.tsx';

/** What the nodes of the graph need besides their step. Keys are paths as texts. */
export interface GraphState {
  selected: string | null;
  /** What is wrong with a step, a sentence each. */
  problems: ReadonlyMap<string, readonly string[]>;
  /** How steps look in the run that was tried. */
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
