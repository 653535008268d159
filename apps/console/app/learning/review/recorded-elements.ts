import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { VisibleElement } from '../../run/element-picker/page-inspection.ts';

type Bounds = VisibleElement['bounds'];
type Viewport = TurnRecord['observation']['viewport'];

/** Bounds in thousandths of the viewport, cut off at its edges; null: outside of the viewport. */
export function boundsInViewport({ x, y, width, height }: Bounds, viewport: Viewport): Bounds | null {
  if (viewport.width === 0 || viewport.height === 0) return null;
  const [left, right] = [Math.max(0, x), Math.min(viewport.width, x + width)];
  const [top, bottom] = [Math.max(0, y), Math.min(viewport.height, y + height)];
  if (right < left || bottom < top) return null;
  return {
    x: (left / viewport.width) * 1000,
    y: (top / viewport.height) * 1000,
    width: ((right - left) / viewport.width) * 1000,
    height: ((bottom - top) / viewport.height) * 1000,
  };
}

/** Elements of a record for the element picker: those in the viewport. */
export const recordedElements = ({ observation }: Pick<TurnRecord, 'observation'>): VisibleElement[] =>
  observation.elements.flatMap(({ index, role, name, interactive, fallbackName, context, bounds }) => {
    const inView = boundsInViewport(bounds, observation.viewport);
    return inView
      ? [{ element: index, role, interactive, name: name || (fallbackName ?? context ?? ''), bounds: inView }]
      : [];
  });
