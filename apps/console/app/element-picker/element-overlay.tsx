import type { PageInspection } from '@pilothouse/contract';
import { Input } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { sightedAt, wordsOf, type Sighted } from './page-inspection.ts';
import { placeIn } from '../run/control/control-input.ts';

/** An element in view, or a place where none is known. */
export type Pointed = { elementIndex: number } | { point: { x: number; y: number } };

export interface MarkProps {
  marked: Sighted | null;
  onMark: (element: Sighted | null) => void;
  onPick: (pointed: Pointed) => void;
}

/** Lies over the picture of a page: marks what is under the pointer, and takes what is clicked. The page notices nothing. */
export const PickLayer = ({ sight, marked, onMark, onPick }: MarkProps & { sight: PageInspection }) => (
  <div
    className="absolute inset-0 cursor-crosshair overflow-hidden rounded"
    onPointerMove={(event) =>
      onMark(sightedAt(sight.elements, placeIn(event.currentTarget.getBoundingClientRect(), event)))
    }
    onPointerLeave={() => onMark(null)}
    onClick={(event) => {
      const point = placeIn(event.currentTarget.getBoundingClientRect(), event);
      const found = sightedAt(sight.elements, point);
      onPick(found ? { elementIndex: found.element } : { point });
    }}
  >
    {marked && (
      <div
        className="pointer-events-none absolute border-2 border-primary bg-primary/15"
        style={{
          left: `${marked.bounds.x / 10}%`,
          top: `${marked.bounds.y / 10}%`,
          width: `${marked.bounds.width / 10}%`,
          height: `${marked.bounds.height / 10}%`,
        }}
      />
    )}
  </div>
);

/** The same by keyboard: what is in view, as a list that can be searched. */
export function PickList({ sight, marked, onMark, onPick }: MarkProps & { sight: PageInspection }) {
  const [sought, setSought] = useState('');
  const found = sight.elements.filter((one) => wordsOf(one).toLowerCase().includes(sought.trim().toLowerCase()));
  return (
    <div className="grid min-w-0 content-start gap-2">
      <Input
        type="search"
        aria-label="Search in what is in view"
        placeholder="button, Pay…"
        value={sought}
        onChange={({ target }) => setSought(target.value)}
      />
      <ul aria-label="In view" className="max-h-64 overflow-y-auto lg:max-h-[55vh]">
        {found.map((one) => (
          <li key={one.element}>
            <button
              type="button"
              onClick={() => onPick({ elementIndex: one.element })}
              onFocus={() => onMark(one)}
              onPointerEnter={() => onMark(one)}
              className={`flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left text-sm ${
                marked?.element === one.element ? 'bg-raised' : 'hover:bg-raised'
              }`}
            >
              <span className="shrink-0 font-mono text-xs text-muted">{one.role}</span>
              <span className="truncate">{one.name}</span>
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="px-2 py-1 text-sm text-muted">Nothing in view is called so.</li>}
      </ul>
    </div>
  );
}
