import { listenerProbe } from './event-listeners.script.ts';
import { elementSnapshot } from './snapshot.script.ts';
import { elementFacts } from './element-facts.script.ts';
import { leads } from './input-destinations.script.ts';
import { plain } from '../native-properties.ts';
import { accessibleNames } from './accessible-names.script.ts';
import { ariaRoles } from './aria-roles.script.ts';
import { visibility } from './visibility.script.ts';
import { domTree } from './dom-tree.script.ts';
import { domWalk } from './dom-walk.script.ts';

/// <reference lib="dom" />

/**
 * Waits until the document, and the frames in it that it reaches, have nothing to do that would soon change what they show. Runs in
 * the page, in the eye's world. A busy page is long in answering: it does so once it is idle.
 * @param ms after which it is given up
 */
export const waitForIdle = async (ms: number): Promise<boolean> => {
  /*
   * An idle page gets 50 ms at a time, less when a frame is wanted or a timer is due before. A timer that was due just then, and may have
   * set itself anew, has taken some of it, unless it did nothing.
   */
  const IDLE_MS = 49.85;
  const began = performance.now();
  const idleMs = () => new Promise<number>((tell) => requestIdleCallback((idle) => tell(idle.timeRemaining())));
  const documents = (of: Window): Document[] => {
    try {
      const inner = Array.from({ length: of.frames.length }, (_, index) => of.frames[index] as Window);
      return [of.document, ...inner.flatMap(documents)];
    } catch {
      /* Of another origin: its own eye is asked. */
      return [];
    }
  };
  const isDone = () =>
    documents(window).every(
      (one) =>
        one.readyState === 'complete' &&
        one.fonts.status === 'loaded' &&
        !one.getAnimations().some(({ playState }) => playState === 'running'),
    );
  do {
    /* Asked from the answer to the one before, it is of the time after that. */
    if (!isDone() || performance.now() - began > ms) return false;
  } while ((await idleMs()) < IDLE_MS);
  return isDone();
};

/* What bundlers put around functions to keep their names. */
const prelude = 'const __name = (it) => it;';

/** Text that makes the eye, an expression. @param token kind of event to which the bridge answers */
export const snapshotSource = (token: string): string => `(() => { ${prelude}
const tree = (${domTree.toString()})(${plain.toString()});
const roles = (${ariaRoles.toString()})(tree);
const names = (${accessibleNames.toString()})(tree, roles);
const facts = (${elementFacts.toString()})(tree, names);
const leads = (${leads.toString()})(tree, names);
const sight = (${visibility.toString()})(tree);
const listens = (element) => !tree.plain(element).dispatchEvent(new Event(${JSON.stringify(token)}, { composed: true, cancelable: true }));
const walk = (${domWalk.toString()})(tree, roles, sight, (element) => tree.listens(element, listens));
return { ...(${elementSnapshot.toString()})(tree, roles, names, facts, leads, sight, walk), rests: ${waitForIdle.toString()} };
})()`;

/** Text that lays the bridge, for an evaluation with the functions of the console. */
export const listenerProbeSource = (token: string): string =>
  `(() => { ${prelude} (${listenerProbe.toString()})(${JSON.stringify(token)}, getEventListeners); })()`;
