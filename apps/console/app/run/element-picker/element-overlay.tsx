import { Input } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { elementAt, elementLabel, type VisibleElement } from './page-inspection.ts';
import { pointIn } from '../control/control-input.ts';

/** A visible element, or a point without a known element. */
export type PickRequest = { elementIndex: number } | { point: { x: number; y: number } };

export interface ElementOverlayProps {
  highlighted: VisibleElement | null;
  onHighlight: (element: VisibleElement | null) => void;
  onPick: (request: PickRequest) => void;
}

/** Overlay on a screenshot or the live view of the page. Highlights the element under the pointer and picks on click. The page receives no events. */
export const ElementOverlay = ({
  elements,
  highlighted,
  onHighlight,
  onPick,
}: ElementOverlayProps & { elements: readonly VisibleElement[] }) => (
  <div
    className="absolute inset-0 cursor-crosshair overflow-hidden rounded"
    onPointerMove={(event) =>
      onHighlight(elementAt(elements, pointIn(event.currentTarget.getBoundingClientRect(), event)))
    }
    onPointerLeave={() => onHighlight(null)}
    onClick={(event) => {
      const point = pointIn(event.currentTarget.getBoundingClientRect(), event);
      const matches = elementAt(elements, point);
      onPick(matches ? { elementIndex: matches.element } : { point });
    }}
  >
    {highlighted && (
      <div
        className="pointer-events-none absolute border-2 border-primary bg-primary/15"
        style={{
          left: `${highlighted.bounds.x / 10}%`,
          top: `${highlighted.bounds.y / 10}%`,
          width: `${highlighted.bounds.width / 10}%`,
          height: `${highlighted.bounds.height / 10}%`,
        }}
      />
    )}
  </div>
);

/** Searchable list of visible elements, the keyboard alternative to the overlay. */
export function ElementList({
  elements,
  highlighted,
  onHighlight,
  onPick,
}: ElementOverlayProps & { elements: readonly VisibleElement[] }) {
  const [query, setQuery] = useState('');
  const matches = elements.filter((element) =>
    elementLabel(element).toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <div className="grid min-w-0 content-start gap-2">
      <Input
        type="search"
        aria-label="Search visible elements"
        placeholder="button, Pay…"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <ul aria-label="Visible elements" className="max-h-64 overflow-y-auto lg:max-h-[55vh]">
        {matches.map((match) => (
          <li key={match.element}>
            <button
              type="button"
              onClick={() => onPick({ elementIndex: match.element })}
              onFocus={() => onHighlight(match)}
              onPointerEnter={() => onHighlight(match)}
              className={`flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left text-sm ${
                highlighted?.element === match.element ? 'bg-raised' : 'hover:bg-raised'
              }`}
            >
              <span className="shrink-0 font-mono text-xs text-muted">{match.role}</span>
              <span className="truncate">{match.name}</span>
            </button>
          </li>
        ))}
        {matches.length === 0 && <li className="px-2 py-1 text-sm text-muted">No visible element matches.</li>}
      </ul>
    </div>
  );
}
