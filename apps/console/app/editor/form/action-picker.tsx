import { Dialog, Input } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { actionsOn, type Forms } from './action-forms.ts';
import { Help } from './basic-fields.tsx';

export interface ActionPickerProps {
  open: boolean;
  forms: Forms;
  /** Surface of the workflow. */
  surface: string;
  onPick: (action: string) => void;
  onClose: () => void;
}

/** Dialog with all actions, searchable by name and description. */
export const ActionPicker = ({ open, onClose, ...rest }: ActionPickerProps) => (
  <Dialog open={open} onClose={onClose} title="Add step">
    <Actions {...rest} />
  </Dialog>
);

function Actions({ forms, surface, onPick }: Pick<ActionPickerProps, 'forms' | 'surface' | 'onPick'>) {
  const [query, setQuery] = useState('');
  const needle = query.trim().toLowerCase();
  const matches = actionsOn(forms, surface)
    .filter(([name, { help }]) => `${name} ${help}`.toLowerCase().includes(needle))
    .sort(([a], [b]) => Number(b.toLowerCase().startsWith(needle)) - Number(a.toLowerCase().startsWith(needle)));
  return (
    <div className="grid gap-2">
      <Input
        type="search"
        aria-label="Search actions"
        placeholder="click, table, page…"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        onKeyDown={(event) => {
          const [first] = matches;
          if (event.key !== 'Enter' || !first) return;
          event.preventDefault();
          onPick(first[0]);
        }}
      />
      <ul aria-label="Actions" className="max-h-[50vh] overflow-y-auto">
        {matches.map(([name, { help }]) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => onPick(name)}
              className="grid w-full gap-0.5 rounded-md px-2 py-1.5 text-left hover:bg-raised"
            >
              <span className="font-mono text-sm font-medium">{name}</span>
              <span className="text-xs text-muted">
                <Help text={help} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
