import { MAX_AGENT_NOTE_CHARACTERS, MAX_AGENT_NOTES } from '@pilothouse/contract/project/agent-note-limits';
import type { AgentNote } from '@pilothouse/contract/project/agent-notes.schema';
import { Button, Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { noteCountField, noteField } from './agent-note-form.ts';

export interface AgentNoteFieldsProps {
  notes: readonly AgentNote[];
  disabled: boolean;
  /** Error message of a field. */
  errorOf: (field: string) => string | undefined;
}

interface Row {
  readonly id: number;
  readonly kind: 'app' | 'site';
  readonly note: Partial<AgentNote>;
}

/** Notes for agents about applications and sites, one group of fields each. */
export function AgentNoteFields({ notes, disabled, errorOf }: AgentNoteFieldsProps) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    notes.map((note, id) => ({ id, kind: note.site === undefined ? 'app' : 'site', note })),
  );
  const list = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, kind: 'app', note: {} }]);
    // The new group exists after React has rendered.
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child select')?.focus());
  };
  const remove = (removedRow: Row) => {
    setRows(rows.filter((row) => row !== removedRow));
    // The focused element was removed with its group.
    addButton.current?.focus();
  };
  const setKind = (changedRow: Row, kind: Row['kind']) =>
    setRows(rows.map((row) => (row === changedRow ? { ...row, kind } : row)));
  return (
    <div ref={list} className="grid gap-3">
      <input type="hidden" name={noteCountField} value={rows.length} />
      {rows.length > 0 && (
        <ul className="grid gap-4" aria-label="Notes for agents">
          {rows.map((row, index) => (
            <li
              key={row.id}
              className="grid items-start gap-3 border-b border-line pb-4 last:border-0 last:pb-0 md:grid-cols-[9rem_14rem_1fr_auto]"
            >
              <Field label="About">
                {(controlProps) => (
                  <Select
                    {...controlProps}
                    name={noteField(index, 'kind')}
                    value={row.kind}
                    onChange={({ target }) => setKind(row, target.value === 'site' ? 'site' : 'app')}
                    disabled={disabled}
                  >
                    <option value="app">Application</option>
                    <option value="site">Site</option>
                  </Select>
                )}
              </Field>
              <Field
                label={row.kind === 'site' ? 'Host' : 'Application ID'}
                error={errorOf(noteField(index, 'subject'))}
              >
                {(controlProps) => (
                  <Input
                    {...controlProps}
                    name={noteField(index, 'subject')}
                    defaultValue={row.note.app ?? row.note.site ?? ''}
                    placeholder={row.kind === 'site' ? '*.example.com' : 'mousepad'}
                    className="font-mono"
                    disabled={disabled}
                  />
                )}
              </Field>
              <Field label="Note" error={errorOf(noteField(index, 'text'))}>
                {(controlProps) => (
                  <TextArea
                    {...controlProps}
                    name={noteField(index, 'text')}
                    rows={2}
                    maxLength={MAX_AGENT_NOTE_CHARACTERS}
                    defaultValue={row.note.text ?? ''}
                    disabled={disabled}
                  />
                )}
              </Field>
              {!disabled && (
                <Button
                  variant="quiet"
                  icon
                  className="justify-self-end md:mt-6"
                  aria-label={`Remove note ${index + 1}`}
                  onClick={() => remove(row)}
                >
                  <Trash2 aria-hidden="true" />
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {!disabled && (
          <Button ref={addButton} onClick={add} disabled={rows.length >= MAX_AGENT_NOTES}>
            <Plus aria-hidden="true" /> Add note
          </Button>
        )}
        <p className="text-xs text-muted">
          An agent sees a note while the application or site is active. Notes of a workflow step come first.
        </p>
      </div>
    </div>
  );
}
