import type { PageInspection } from '@pilothouse/contract';
import { Input } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { elementAt, elementLabel, type VisibleElement } from './page-inspection.ts';
import { pointIn } from '../run/control/control-input.ts';

/** A visible element, or a point without a known element. */
export type PickRequest = { elementIndex: number } | { point: { x: number; y: number } };

export interface ElementOverlayProps {
  highlighted: VisibleElement | null;
  onHighlight: (element: VisibleElement | null) => void;
  onPick: (request: PickRequest) => void;
}

/** Overlay on a screencast. Highlights the element under the pointer and picks on click. The page receives no events. */
export const ElementOverlay = ({
  inspection,
  highlighted,
  onHighlight,
  onPick,
}: ElementOverlayProps & { inspection: PageInspection }) => (
  <div
    className="absolute inset-0 cursor-crosshair overflow-hidden rounded"
    onPointerMove={(event) =>
      onHighlight(elementAt(inspection.elements, pointIn(event.currentTarget.getBoundingClientRect(), event)))
    }
    onPointerLeave={() => onHighlight(null)}
    onClick={(event) => {
      const point = pointIn(event.currentTarget.getBoundingClientRect(), event);
      const matches = elementAt(inspection.elements, point);
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
  inspection,
  highlighted,
  onHighlight,
  onPick,
}: ElementOverlayProps & { inspection: PageInspection }) {
  const [query, setQuery] = useState('');
  const matches = inspection.elements.filter((one) =>
    elementLabel(one).toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <div className="grid min-w-0 content-start gap-2">
      <Input
        type="search"
        aria-label="Search in what is in view"
        placeholder="button, Pay…"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <ul aria-label="In view" className="max-h-64 overflow-y-auto lg:max-h-[55vh]">
        {matches.map((one) => (
          <li key={one.element}>
            <button
              type="button"
              onClick={() => onPick({ elementIndex: one.element })}
              onFocus={() => onHighlight(one)}
              onPointerEnter={() => onHighlight(one)}
              className={`flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left text-sm ${
                highlighted?.element === one.element ? 'bg-raised' : 'hover:bg-raised'
              }`}
            >
              <span className="shrink-0 font-mono text-xs text-muted">{one.role}</span>
              <span className="truncate">{one.name}</span>
            </button>
          </li>
        ))}
        {matches.length === 0 && <li className="px-2 py-1 text-sm text-muted">Nothing in view is called so.</li>}
      </ul>
    </div>
  );
}
