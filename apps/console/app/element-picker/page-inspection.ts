import type { PageInspection } from '@pilothouse/contract';

export type Sighted = PageInspection['elements'][number];

/** The innermost element at a place, in thousandths of what is shown. */
export function sightedAt(elements: readonly Sighted[], { x, y }: { x: number; y: number }): Sighted | null {
  const around = elements.filter(
    ({ bounds }) => bounds.x <= x && x <= bounds.x + bounds.width && bounds.y <= y && y <= bounds.y + bounds.height,
  );
  const area = ({ bounds }: Sighted) => bounds.width * bounds.height;
  return around.reduce<Sighted | null>((best, one) => (best && area(best) <= area(one) ? best : one), null);
}

/** What an element is called. */
export const wordsOf = ({ role, name }: Sighted): string => (name === '' ? role : `${role} “${name}”`);
