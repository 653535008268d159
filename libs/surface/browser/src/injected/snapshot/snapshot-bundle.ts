import { listenerProbe } from './event-listeners.script.ts';
import { elementSnapshot } from './snapshot.script.ts';
import { elementFacts } from './element-facts.script.ts';
import { inputDestinations } from './input-destinations.script.ts';
import { plain } from '../native-properties.ts';
import { accessibleNames } from './accessible-names.script.ts';
import { ariaRoles } from './aria-roles.script.ts';
import { visibility } from './visibility.script.ts';
import { domTree } from './dom-tree.script.ts';
import { domWalk } from './dom-walk.script.ts';

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
  const documents = (of: Window): Document[] => {
    try {
      const inner = Array.from({ length: of.frames.length }, (_, index) => of.frames[index] as Window);
      return [of.document, ...inner.flatMap(documents)];
    } catch {
      // Another origin: its own snapshot script is asked.
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
const leads = (${inputDestinations.toString()})(tree, names);
const sight = (${visibility.toString()})(tree);
const listens = (element) => !tree.plain(element).dispatchEvent(new Event(${JSON.stringify(token)}, { composed: true, cancelable: true }));
const walk = (${domWalk.toString()})(tree, roles, sight, (element) => tree.hasListener(element, listens));
return { ...(${elementSnapshot.toString()})(tree, roles, names, facts, leads, sight, walk), waitForIdle: ${waitForIdle.toString()} };
})()`;

/** Returns a script that installs the listener probe. It has to be evaluated with the console API. */
export const listenerProbeSource = (token: string): string =>
  `(() => { ${prelude} (${listenerProbe.toString()})(${JSON.stringify(token)}, getEventListeners); })()`;
