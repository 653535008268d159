import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { Button, Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { Crosshair, Trash2 } from 'lucide-react';
import { draftKindOf, draftKinds, isDraftKind, type DraftAction, targetText } from './correction-draft.ts';

export interface CorrectionActionFieldsProps {
  number: number;
  draft: DraftAction;
  record: TurnRecord;
  /** True if a click on the screenshot sets the target of this action. */
  isPicking: boolean;
  onPick: () => void;
  onChange: (changes: Partial<DraftAction>) => void;
  /** undefined: the only action. */
  onRemove: (() => void) | undefined;
}

/** Fields of one corrected action. */
export function CorrectionActionFields({
  number,
  draft,
  record,
  isPicking,
  onPick,
  onChange,
  onRemove,
}: CorrectionActionFieldsProps) {
  const { target: targetUse, field } = draftKindOf(draft.kind);
  return (
    <fieldset className={`grid min-w-0 gap-2 rounded-md border p-2 ${isPicking ? 'border-primary' : 'border-line'}`}>
      <legend className="px-1 text-sm font-medium">Action {number}</legend>
      <div className="flex gap-2">
        <Select
          aria-label={`Kind of action ${number}`}
          value={draft.kind}
          onChange={({ target }) => isDraftKind(target.value) && onChange({ kind: target.value })}
        >
          {Object.entries(draftKinds).map(([kind, { label }]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </Select>
        {onRemove && (
          <Button variant="quiet" icon aria-label={`Remove action ${number}`} onClick={onRemove}>
            <Trash2 aria-hidden="true" />
          </Button>
        )}
      </div>
      {targetUse !== 'none' && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <Button variant={isPicking ? 'primary' : 'plain'} aria-pressed={isPicking} onClick={onPick}>
            <Crosshair aria-hidden="true" /> {isPicking ? 'Picking' : 'Pick target'}
          </Button>
          <span role="status" className="min-w-0 wrap-anywhere">
            {draft.target ? (
              targetText(draft.target, record)
            ) : (
              <span className="text-muted">
                {targetUse === 'optional'
                  ? 'No target: the focused element'
                  : 'Select it on the screenshot or in the list.'}
              </span>
            )}
          </span>
        </div>
      )}
      {field && (
        <Field label={field.label}>
          {(attributes) =>
            draft.kind === 'json' ? (
              <TextArea
                {...attributes}
                rows={6}
                spellCheck={false}
                className="font-mono text-xs"
                value={draft.text}
                onChange={({ target }) => onChange({ text: target.value })}
              />
            ) : (
              <Input {...attributes} value={draft.text} onChange={({ target }) => onChange({ text: target.value })} />
            )
          }
        </Field>
      )}
    </fieldset>
  );
}
