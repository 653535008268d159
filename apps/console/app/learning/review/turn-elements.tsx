import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { Input } from '@pilothouse/ui-kit';
import { useState } from 'react';
import type { VisibleElement } from '../../run/element-picker/page-inspection.ts';
import { recordedElements } from './recorded-elements.ts';

/** Elements that the agent saw. The pointer and the focus highlight them on the screenshot. */
export function TurnElements({
  record,
  onHighlight,
}: {
  record: TurnRecord;
  onHighlight: (element: VisibleElement | null) => void;
}) {
  const [query, setQuery] = useState('');
  const visible = new Map(recordedElements(record).map((element) => [element.element, element]));
  const text = query.trim().toLowerCase();
  const matches = record.observation.elements.filter(({ index, role, name, value = '' }) =>
    `[${index}] ${role} ${name} ${value}`.toLowerCase().includes(text),
  );
  return (
    <div className="grid gap-2">
      <Input
        type="search"
        aria-label="Search the element list"
        placeholder="button, Pay…"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <ul
        aria-label="Element list"
        tabIndex={0}
        className="max-h-72 overflow-y-auto text-sm"
        onPointerLeave={() => onHighlight(null)}
      >
        {matches.map(({ index, role, name, fallbackName, context, value }) => (
          <li
            key={index}
            className="flex items-baseline gap-2 rounded px-1 py-0.5 hover:bg-raised"
            onPointerEnter={() => onHighlight(visible.get(index) ?? null)}
          >
            <span className="shrink-0 font-mono text-xs text-muted">
              [{index}] {role}
            </span>
            <span className="min-w-0 wrap-anywhere">
              {name || (fallbackName ?? context)}
              {value !== undefined && <span className="text-muted"> = {value}</span>}
            </span>
          </li>
        ))}
        {matches.length === 0 && <li className="px-1 text-muted">No element matches.</li>}
      </ul>
    </div>
  );
}
