import { classes } from '@pilothouse/ui-kit';
import { Handle, Position, type NodeProps } from '@xyflow/react';
import { CircleAlert, Plus } from 'lucide-react';
import { useContext } from 'react';
import { type ListBox, type StepBox, sizes } from './graph-layout.ts';
import { StepIcon } from '../../shared/status-badge.tsx';
import { graphTextOf } from '../step-sentences.ts';
import { GraphContext } from './graph-context.ts';

/** A step, or a block with its steps. */
export function StepNode({ data }: NodeProps) {
  const { step } = data as unknown as StepBox;
  const { selected, problems, stepStatuses, sentences, onSelect } = useContext(GraphContext);
  const { key, action, lists } = step;
  const { name, detail } = graphTextOf(step, sentences);
  const stepProblems = problems.get(key);
  const status = stepStatuses.get(key);
  const isBlock = lists.length > 0;
  return (
    <div
      className={classes(
        'h-full rounded-lg border text-left',
        isBlock ? 'bg-raised/60' : 'bg-surface',
        stepProblems ? 'border-bad' : selected === key ? 'border-primary' : 'border-line',
        selected === key && 'ring-2 ring-accent/60',
        status === 'running' && 'run-haze',
      )}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <button
        type="button"
        data-step={key}
        aria-pressed={selected === key}
        tabIndex={selected === key || (selected === null && key === '/steps/0') ? 0 : -1}
        onClick={() => onSelect(key)}
        className="flex w-full items-center gap-2 rounded-lg px-3 text-left"
        style={{ height: isBlock ? sizes.head : sizes.step - 2 }}
      >
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="truncate text-sm font-medium" title={name}>
              {name}
            </span>
            {name !== action && <span className="shrink-0 text-xs text-muted">{action}</span>}
          </span>
          {detail && <span className="block truncate text-xs text-muted">{detail}</span>}
        </span>
        {stepProblems && (
          <span title={stepProblems.join('\n')} className="shrink-0 text-bad">
            <CircleAlert aria-hidden="true" className="size-4" />
            <span className="sr-only">{stepProblems.join('; ')}</span>
          </span>
        )}
        {status && <StepIcon status={status} />}
      </button>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

/** Button at the end of a list. The step form offers the same for the keyboard. */
export function AddNode({ data }: NodeProps) {
  const { list } = data as unknown as ListBox;
  const { onAdd } = useContext(GraphContext);
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={list.path.length === 1 ? 'Add step at the end' : `Add step to ${list.field}`}
      onClick={() => onAdd(list.path, list.steps.length)}
      className="flex h-full w-full items-center justify-center rounded-md border border-dashed border-edge text-muted hover:bg-raised hover:text-text"
    >
      <Plus aria-hidden="true" className="size-4" />
    </button>
  );
}

/** Field name of a list. */
export const LabelNode = ({ data }: NodeProps) => (
  <span className="font-mono text-xs text-muted">{(data as unknown as ListBox).list.field}</span>
);
