import type { PageInspection } from '@pilothouse/contract/control/control.schema';

export type VisibleElement = PageInspection['elements'][number];

/** Innermost element at a point, in thousandths of the viewport. */
export function elementAt(
  elements: readonly VisibleElement[],
  { x, y }: { x: number; y: number },
): VisibleElement | null {
  const around = elements.filter(
    ({ bounds }) => bounds.x <= x && x <= bounds.x + bounds.width && bounds.y <= y && y <= bounds.y + bounds.height,
  );
  const area = ({ bounds }: VisibleElement) => bounds.width * bounds.height;
  return around.reduce<VisibleElement | null>(
    (best, element) => (best && area(best) <= area(element) ? best : element),
    null,
  );
}

export const elementLabel = ({ role, name }: VisibleElement): string => (name === '' ? role : `${role} “${name}”`);
