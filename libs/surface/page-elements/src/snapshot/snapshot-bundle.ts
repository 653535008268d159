import { listenerProbe } from './event-listeners.script.ts';
import { elementSnapshot } from './snapshot.script.ts';
import { elementFacts } from './element-facts.script.ts';
import { inputDestinations } from './input-destinations.script.ts';
import { plain } from './native-properties.ts';
import { accessibleNames } from './accessible-names.script.ts';
import { ariaRoles } from './aria-roles.script.ts';
import { visibility } from './visibility.script.ts';
import { domTree } from './dom-tree.script.ts';
import { domWalk } from './dom-walk.script.ts';
import { elementRegistry } from './element-registry.script.ts';
import { clickPoints } from './click-points.script.ts';
import { loadingState } from './loading-state.script.ts';
import { elementStatus } from './element-status.script.ts';
import { fieldTexts } from './field-text.script.ts';
import { windowFacts } from './window-facts.script.ts';

/// <reference lib="dom" />

/**
 * Waits until the document and the frames it can reach have nothing to do that would soon change them. Runs in the
 * isolated world of the page. A busy page answers once it is idle.
 * @param ms maximum wait
 */
export const waitForIdle = async (ms: number): Promise<boolean> => {
  // An idle page gets 50 ms per idle callback, less if a frame or a timer is due. A timer that has just run, and may
  // have rescheduled itself, uses part of it unless it did nothing.
  const IDLE_MS = 49.85;
  const startedAt = performance.now();
  const idleMs = () => new Promise<number>((resolve) => requestIdleCallback((idle) => resolve(idle.timeRemaining())));
  const documents = (top: Window): Document[] => {
    try {
      const inner = Array.from({ length: top.frames.length }, (_, index) => top.frames[index] as Window);
      return [top.document, ...inner.flatMap(documents)];
    } catch {
      // Another origin has its own snapshot script.
      return [];
    }
  };
  const areDocumentsIdle = () =>
    documents(window).every(
      (one) =>
        one.readyState === 'complete' &&
        one.fonts.status === 'loaded' &&
        !one.getAnimations().some(({ playState }) => playState === 'running'),
    );
  do {
    // Each callback is requested after the previous one, so it covers the time after that.
    if (!areDocumentsIdle() || performance.now() - startedAt > ms) return false;
  } while ((await idleMs()) < IDLE_MS);
  return areDocumentsIdle();
};

// Defines the bundler's helper that keeps function names.
const prelude = 'const __name = (it) => it;';

/**
 * Returns an expression that creates the snapshot functions.
 * @param token type of the event that the listener probe answers
 */
export const snapshotSource = (token: string): string => `(() => { ${prelude}
const tree = (${domTree.toString()})(${plain.toString()});
const roles = (${ariaRoles.toString()})(tree);
const names = (${accessibleNames.toString()})(tree, roles);
const facts = (${elementFacts.toString()})(tree, names);
const destinations = (${inputDestinations.toString()})(tree, names);
const visibility = (${visibility.toString()})(tree);
const registry = (${elementRegistry.toString()})(tree);
const hasListener = (element) => !tree.plain(element).dispatchEvent(new Event(${JSON.stringify(token)}, { composed: true, cancelable: true }));
const walk = (${domWalk.toString()})(tree, roles, visibility, (element) => tree.hasListener(element, hasListener));
const clickPoints = (${clickPoints.toString()})(tree, facts, visibility);
const loadingState = (${loadingState.toString()})(tree, visibility);
return {
  ...(${elementSnapshot.toString()})({ tree, roles, names, facts, destinations, walk, registry, clickPoints, loadingState }),
  ...(${elementStatus.toString()})(tree, roles, names, facts, registry),
  ...(${fieldTexts.toString()})(registry, facts),
  windowFacts: ${windowFacts.toString()},
  waitForIdle: ${waitForIdle.toString()},
};
})()`;

/** Returns a script that installs the listener probe. It has to be evaluated with the console API. */
export const listenerProbeSource = (token: string): string =>
  `(() => { ${prelude} (${listenerProbe.toString()})(${JSON.stringify(token)}, getEventListeners); })()`;
