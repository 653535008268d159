/// <reference lib="dom" />
import { accessibleNames } from './accessible-names.ts';
import { ariaRoles } from './aria-roles.ts';
import { clickPoints } from './click-points.ts';
import { domTree } from './dom-tree.ts';
import { domWalk } from './dom-walk.ts';
import { elementFacts } from './element-facts.ts';
import { elementRegistry } from './element-registry.ts';
import { elementSnapshot } from './element-snapshot.ts';
import { elementStatus } from './element-status.ts';
import { fieldTexts } from './field-texts.ts';
import { inputDestinations } from './input-destinations.ts';
import { loadingState } from './loading-state.ts';
import { plain } from './native-properties.ts';
import { visibility as visibilityOf } from './visibility.ts';
import { waitForIdle } from './wait-for-idle.ts';
import { windowFacts } from './window-facts.ts';

/**
 * Creates the snapshot functions. They run in an isolated world of the page: they see its elements, but no objects of
 * its scripts. Elements of frames have other classes, so nothing here uses `instanceof`.
 * @param token type of the event that the listener probe answers
 */
export function createSnapshotFunctions(token: string) {
  const tree = domTree();
  const roles = ariaRoles;
  const names = accessibleNames(tree, roles);
  const facts = elementFacts(tree, names);
  const destinations = inputDestinations(tree, names);
  const visibility = visibilityOf(tree);
  const registry = elementRegistry();
  const isCancelled = (element: Element) =>
    !plain(element).dispatchEvent(new Event(token, { composed: true, cancelable: true }));
  const walk = domWalk(tree, roles, visibility, (element) => tree.hasListener(element, isCancelled));
  return {
    ...elementSnapshot({
      tree,
      roles,
      names,
      facts,
      destinations,
      walk,
      registry,
      clickPoints: clickPoints(tree, facts, visibility),
      loadingState: loadingState(visibility),
    }),
    ...elementStatus(roles, names, facts, registry),
    ...fieldTexts(registry, facts),
    windowFacts,
    waitForIdle,
  };
}

export type SnapshotFunctions = ReturnType<typeof createSnapshotFunctions>;
