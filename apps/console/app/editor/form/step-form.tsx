import { Button } from '@pilothouse/ui-kit';
import { ArrowDown, ArrowUp, Copy, IndentDecrease, IndentIncrease, Plus, Trash2, type LucideIcon } from 'lucide-react';
import { useMemo } from 'react';
import { fieldsIn, type Forms } from './action-forms.ts';
import type { OutlineStep } from '../../workflow-document/workflow-outline.ts';
import type { Path } from '../../workflow-document/yaml-path.ts';
import type { Problem } from '../../workflows/workflow-yaml.server.ts';
import { type StepFields, Help } from './basic-fields.tsx';
import type { StepCommand } from './step-commands.ts';
import { FieldList } from './step-field.tsx';

const commands: readonly { command: StepCommand; label: string; keys: string; Icon: LucideIcon }[] = [
  { command: 'add', label: 'Add step after', keys: 'A', Icon: Plus },
  { command: 'up', label: 'Move up', keys: 'Alt+↑', Icon: ArrowUp },
  { command: 'down', label: 'Move down', keys: 'Alt+↓', Icon: ArrowDown },
  { command: 'in', label: 'Indent (into the block above)', keys: 'Alt+→', Icon: IndentIncrease },
  { command: 'out', label: 'Outdent (out of the block)', keys: 'Alt+←', Icon: IndentDecrease },
  { command: 'duplicate', label: 'Duplicate', keys: 'Ctrl+D', Icon: Copy },
  { command: 'remove', label: 'Delete', keys: 'Del', Icon: Trash2 },
];

export interface StepFormProps {
  step: OutlineStep;
  forms: Forms;
  problems: readonly Problem[];
  onSet: (field: Path, value: unknown) => void;
  onCommand: (command: StepCommand) => void;
  onAddInside: (list: Path, index: number) => void;
  onPick: StepFields['onPick'];
}

/** Form of a step, derived from the schema of its action. */
export function StepForm({ step, forms, problems, onSet, onCommand, onAddInside, onPick }: StepFormProps) {
  const action = forms.actions[step.action];
  const errors = useMemo(
    () =>
      new Map(
        problems
          .filter(({ pointer }) => pointer.startsWith(`${step.key}/`))
          .map(({ pointer, detail }) => [pointer.slice(step.key.length), detail.replace(`${pointer}: `, '')]),
      ),
    [problems, step.key],
  );
  return (
    <div className="grid gap-3">
      <div role="toolbar" aria-label="Step actions" className="flex flex-wrap gap-0.5">
        {commands.map(({ command, label, keys, Icon }) => (
          <Button
            key={command}
            variant="quiet"
            icon
            aria-label={label}
            title={`${label} (${keys})`}
            onClick={() => onCommand(command)}
          >
            <Icon aria-hidden="true" />
          </Button>
        ))}
      </div>
      <div>
        <h3 className="font-mono text-sm font-semibold">{step.action || 'No action selected'}</h3>
        {action && (
          <p className="text-xs text-muted">
            <Help text={action.help} />
          </p>
        )}
      </div>
      {step.lists.map(({ field, path, steps }) => (
        <Button key={field} className="justify-self-start" onClick={() => onAddInside(path, steps.length)}>
          <Plus aria-hidden="true" /> Add step to {field}
        </Button>
      ))}
      <FieldList
        key={step.key}
        forms={forms}
        fields={fieldsIn(forms, action?.fields).filter(
          ({ name, control }) => control.kind !== 'steps' || !(name in step.value || name === 'steps'),
        )}
        value={step.value}
        path={[]}
        skip={['action', ...step.lists.map(({ field }) => field)]}
        errors={errors}
        onSet={onSet}
        onPick={onPick}
      />
    </div>
  );
}
