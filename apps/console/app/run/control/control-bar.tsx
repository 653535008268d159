import { Button, Notice } from '@pilothouse/ui-kit';
import { Hand } from 'lucide-react';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { useSurfaceTraits } from '../../shared/surface-labels.ts';
import type { PageControl } from './use-control-session.ts';

export interface ControlBarProps {
  control: PageControl;
  status: RunStatus;
  canOperate: boolean;
  /** Notice about a dismissed dialog or a failed file chooser; null: none. */
  dialog: string | null;
}

/** Shows who has control, with the buttons to take and release it. */
export function ControlBar({ control, status, canOperate, dialog }: ControlBarProps) {
  const { viewName, viewPreposition } = useSurfaceTraits();
  const { operator, isMine, isOperating, remainingSeconds, problem, takeControl, release } = control;
  return (
    <div className="mb-2 grid gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 text-sm">
        <p role="status" className={operator === null ? 'text-muted' : ''}>
          {operator === null
            ? ''
            : !isMine
              ? `${operator} has control`
              : isOperating
                ? `You have control. Click and type ${viewPreposition} the ${viewName}.`
                : 'Pausing before the next step…'}
        </p>
        {canOperate && (status === 'running' || status === 'awaiting_user') && (
          <span className="flex items-center gap-2">
            {isMine && (
              <span className="text-xs text-muted tabular-nums">Released in {remainingSeconds} s without input</span>
            )}
            {isMine ? (
              <Button variant="primary" onClick={release}>
                Release control
              </Button>
            ) : (
              <Button onClick={takeControl}>
                <Hand aria-hidden="true" /> Take control
              </Button>
            )}
          </span>
        )}
      </div>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {isOperating && dialog !== null && <Notice tone="warn">{dialog}</Notice>}
      {isOperating && (
        <p className="text-xs text-muted">
          Shift+Esc moves the focus out. Your actions are recorded in the steps of the run.
        </p>
      )}
    </div>
  );
}
