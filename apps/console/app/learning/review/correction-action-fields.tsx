import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { Button, Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { Crosshair, Trash2 } from 'lucide-react';
import {
  draftKindOf,
  draftKinds,
  isDraftKind,
  type DraftAction,
  type DraftField,
  type DraftProblem,
  targetText,
} from './correction-draft.ts';

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
  /** Problem of this action. */
  problem: DraftProblem | undefined;
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
  problem,
}: CorrectionActionFieldsProps) {
  const { target: targetUse, field } = draftKindOf(draft.kind);
  const errorOf = (name: DraftField) => (problem?.field === name ? problem.message : undefined);
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
      {(errorOf('target') ?? (field ? undefined : errorOf('text'))) && (
        <p className="text-xs text-bad">{problem?.message}</p>
      )}
      {field && (
        <Field label={field.label} error={errorOf('text')}>
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
      {draft.kind === 'done' && <EvidenceFields draft={draft} onChange={onChange} errorOf={errorOf} />}
    </fieldset>
  );
}

/** Evidence of a claim. The API checks it against the recorded page. */
const EvidenceFields = ({
  draft: { anchor = '', indicators = '' },
  onChange,
  errorOf,
}: Pick<CorrectionActionFieldsProps, 'draft' | 'onChange'> & {
  errorOf: (name: DraftField) => string | undefined;
}) => (
  <>
    <Field
      label="Title or URL (optional)"
      hint="Part of the title or URL of the page. Blank: its title."
      error={errorOf('anchor')}
    >
      {(attributes) => (
        <Input {...attributes} value={anchor} onChange={({ target }) => onChange({ anchor: target.value })} />
      )}
    </Field>
    <Field
      label="Indicators"
      hint="Texts of the page that show that the goal is met, one per line. Blank: the values of the answer."
      error={errorOf('indicators')}
    >
      {(attributes) => (
        <TextArea
          {...attributes}
          rows={2}
          value={indicators}
          onChange={({ target }) => onChange({ indicators: target.value })}
        />
      )}
    </Field>
  </>
);
