import { bridge } from './bridge.ts';
import { eye } from './eye.ts';
import { facts } from './facts.ts';
import { leads } from './leads.ts';
import { plain } from '../../page/plain.ts';
import { names } from './names.ts';
import { rests } from './rests.ts';
import { roles } from './roles.ts';
import { sight } from './sight.ts';
import { tree } from './tree.ts';
import { walking } from './walk.ts';

/* What bundlers put around functions to keep their names. */
const prelude = 'const __name = (it) => it;';

/** Text that makes the eye, an expression. @param token kind of event to which the bridge answers */
export const eyeSource = (token: string): string => `(() => { ${prelude}
const tree = (${tree.toString()})(${plain.toString()});
const roles = (${roles.toString()})(tree);
const names = (${names.toString()})(tree, roles);
const facts = (${facts.toString()})(tree, names);
const leads = (${leads.toString()})(tree, names);
const sight = (${sight.toString()})(tree);
const listens = (element) => !tree.plain(element).dispatchEvent(new Event(${JSON.stringify(token)}, { composed: true, cancelable: true }));
const walk = (${walking.toString()})(tree, roles, sight, (element) => tree.listens(element, listens));
return { ...(${eye.toString()})(tree, roles, names, facts, leads, sight, walk), rests: ${rests.toString()} };
})()`;

/** Text that lays the bridge, for an evaluation with the functions of the console. */
export const bridgeSource = (token: string): string =>
  `(() => { ${prelude} (${bridge.toString()})(${JSON.stringify(token)}, getEventListeners); })()`;
