import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { stateSetOf } from '../accessibility/states.ts';
import type { Rectangle } from '../x/rectangle.ts';

/** Placeholder bus name of parsed elements. No program owns this name, so D-Bus calls to these elements fail. */
const PARSER_BUS = 'org.pilothouse.ScreenParser';

/**
 * Converts elements of a screenshot to nodes on the screen. Elements that accept input become buttons. Equal elements
 * count once.
 * @param screenshotBounds its place on the screen
 */
export function parsedNodes(
  elements: readonly ParsedElement[],
  screenshotBounds: Rectangle,
  screenshotId: number,
): AccessibleNode[] {
  const nodes = new Map<string, AccessibleNode>();
  for (const { kind, name, interactive, bounds } of elements) {
    const role = interactive ? atspiRoles.button : kind === 'text' ? atspiRoles.label : atspiRoles.image;
    const extents = {
      x: screenshotBounds.x + Math.round(bounds.x * screenshotBounds.width),
      y: screenshotBounds.y + Math.round(bounds.y * screenshotBounds.height),
      width: Math.round(bounds.width * screenshotBounds.width),
      height: Math.round(bounds.height * screenshotBounds.height),
    };
    // Equal role, name and bounds give the same path, so the element keeps its number in the next parse.
    const path = `/${JSON.stringify([role, name, extents])}`;
    nodes.set(path, { bus: PARSER_BUS, path, role, name, states: stateSetOf('enabled'), extents, screenshotId });
  }
  return [...nodes.values()];
}
