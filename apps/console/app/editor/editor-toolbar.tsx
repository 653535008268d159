import { Button } from '@pilothouse/ui-kit';
import { Plus, Redo2, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { redo, undo, type History } from '../workflow-document/undo-history.ts';

export interface EditorToolbarProps {
  history: History;
  onHistory: (change: (history: History) => History) => void;
  /** Adds a step at the end. undefined: the text cannot be parsed. */
  onAdd: (() => void) | undefined;
  /** Controls after the buttons. */
  children: ReactNode;
}

/** Undo, redo and actions on the whole workflow. */
export const EditorToolbar = ({ history, onHistory, onAdd, children }: EditorToolbarProps) => (
  <div className="flex flex-wrap items-center gap-2">
    <Button
      icon
      aria-label="Undo"
      title="Undo (Ctrl+Z)"
      disabled={history.past.length === 0}
      onClick={() => onHistory(undo)}
    >
      <Undo2 aria-hidden="true" />
    </Button>
    <Button
      icon
      aria-label="Redo"
      title="Redo (Ctrl+Shift+Z)"
      disabled={history.future.length === 0}
      onClick={() => onHistory(redo)}
    >
      <Redo2 aria-hidden="true" />
    </Button>
    <Button disabled={!onAdd} onClick={onAdd}>
      <Plus aria-hidden="true" /> Add step
    </Button>
    {children}
  </div>
);
