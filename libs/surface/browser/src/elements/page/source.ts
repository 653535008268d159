import { listenerProbe } from './bridge.ts';
import { elementSnapshot } from './eye.ts';
import { elementFacts } from './facts.ts';
import { leads } from './leads.ts';
import { plain } from '../../page/plain.ts';
import { accessibleNames } from './names.ts';
import { waitForIdle } from './rests.ts';
import { ariaRoles } from './roles.ts';
import { visibility } from './sight.ts';
import { domTree } from './tree.ts';
import { domWalk } from './walk.ts';

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
