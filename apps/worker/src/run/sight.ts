import {
  isPointing,
  MAX_SIGHTED,
  sightedName,
  toPilothouseError,
  type ElementView,
  type Observation,
  type PageLook,
  type Target,
} from '@pilothouse/contract';
import { MOST_WAYS } from '@pilothouse/core';
import type { Sight } from '@pilothouse/infra-link';
import { look, type ActParts } from './act.ts';

/** Milliseconds that a look may take. */
const LOOK_MS = 5_000;

/** What is in view of a page that somebody drives, and the ways to find what they point at; what went wrong instead. Never throws. */
export async function sightOf(
  { element, at }: Omit<PageLook, 'id'>,
  act: Pick<ActParts, 'surface' | 'halt' | 'clock' | 'log'>,
): Promise<Sight['seen']> {
  const deadline = act.clock.monotonic() + LOOK_MS;
  const pointed = { ...(element !== undefined && { element }), ...(at && { at }) };
  try {
    return await look(deadline, act, async (context) => {
      // Numbers are those of the look before: another one may give them anew.
      const touched = isPointing(pointed) ? await act.surface.identify(pointed, context) : null;
      const seen = await act.surface.observe({}, context);
      return {
        url: seen.url,
        title: seen.title,
        elements: elementsOf(seen),
        target: targetOf(touched?.locators ?? []),
      };
    });
  } catch (thrown) {
    return { error: toPilothouseError(thrown).view() };
  }
}

const elementsOf = ({ elements, viewport }: Observation) =>
  elements.slice(0, MAX_SIGHTED).map(({ index, role, name, hint, interactive, bounds }) => ({
    element: index,
    role,
    name: sightedName(name === '' ? (hint ?? '') : name),
    interactive,
    bounds: placeOf(bounds, viewport),
  }));

const placeOf = ({ x, y, width, height }: ElementView['bounds'], view: Observation['viewport']) => ({
  x: (x / view.width) * 1000,
  y: (y / view.height) * 1000,
  width: (width / view.width) * 1000,
  height: (height / view.height) * 1000,
});

const targetOf = (ways: readonly Exclude<Target, unknown[]>[]): Target | null => {
  const [only] = ways;
  if (!only) return null;
  return ways.length === 1 ? only : ways.slice(0, MOST_WAYS);
};
