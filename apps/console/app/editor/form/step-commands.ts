import type { KeyboardEvent } from 'react';
import type { Shift } from '../../workflow-document/edit-steps.ts';

/** Commands for a step, besides editing its fields. */
export type StepCommand = Shift | 'duplicate' | 'remove' | 'add';

const shifts: Readonly<Record<string, Shift>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

/** The command of a key press on a focused step. */
export function commandOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): StepCommand | undefined {
  if (altKey) return shifts[key];
  if (ctrlKey || metaKey) return key.toLowerCase() === 'd' ? 'duplicate' : undefined;
  if (key === 'Delete' || key === 'Backspace') return 'remove';
  return key.toLowerCase() === 'a' ? 'add' : undefined;
}
