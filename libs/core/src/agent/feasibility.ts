import { toLocatorChain, type Action, type ElementView } from '@pilothouse/contract';
import { describeElement } from '../observation/observation-text.ts';
import { matchesHostRule } from './approval/approval-policy.ts';
import { recordFailure, replanByRule } from './escalation.ts';
import type { PlannedAction } from './agent-protocol.ts';
import { elementByIndex, webOrigin, isTextEntry } from './page-queries.ts';
import { credentialPlaceholder, secretNamesIn, unknownCredentialNames } from '../secret/secret-placeholders.ts';
import type { AgentState } from './agent-goal.ts';

/* Whether a turn can be done, as far as that is certain before anything of it is: else nothing of it is, and the model is told why. */

/** Why a turn cannot be done. */
interface Hindrance {
  readonly why: string;
  /** What is so for the whole run, and for no page otherwise: how to go on instead. Null: another look, or another turn, may do. */
  readonly instead: string | null;
}

/** The state in which the model is told what of a turn cannot be done; null: nothing is known against it. */
export function rejectInfeasible(state: AgentState, moves: readonly PlannedAction[]): AgentState | null {
  const deeds = moves.flatMap((move) => (move.kind === 'act' ? [move.action] : []));
  for (const [index, action] of deeds.entries()) {
    const found =
      outOfBounds(action, state) ?? outOfList(action, state) ?? (index === 0 ? notReady(action, state) : null);
    if (!found) continue;
    const why = `${found.why}. Nothing of the turn was done`;
    return found.instead === null ? recordFailure(state, 'problem', why) : replanByRule(state, why, found.instead);
  }
  return null;
}

/** What no page of the run allows: a host that it does not reach, a file or a secret that nobody gave it. */
function outOfBounds(action: Action, { goal, seen, notes }: AgentState): Hindrance | null {
  if (action.action === 'navigate') {
    const to = URL.parse(action.url, seen && webOrigin(seen.url) !== null ? seen.url : undefined);
    // Rules by networks are known to hold only where the name was looked up.
    const closed = goal.limits.hosts.some((rules) =>
      rules.every((rule) => rule.networks.length === 0 && to !== null && !matchesHostRule(rule, to)),
    );
    if (!to || webOrigin(to.href) === null || !closed) return null;
    return { why: `${to.host} is no site that the run may reach`, instead: `without ${to.host}, on sites of the run` };
  }
  if (action.action === 'upload') {
    const said = [goal.text, ...notes.filter(({ kind }) => kind === 'answer').map(({ note }) => note)];
    if (said.some((text) => text.includes(action.file))) return null;
    return {
      why: `The goal names no file ${JSON.stringify(action.file.slice(0, 60))}: it cannot be uploaded`,
      instead: 'only files that the goal names can be uploaded, by the name that it says',
    };
  }
  if (isTextEntry(action)) {
    const { secrets } = goal.limits;
    const named = secretNamesIn(goal.text, secrets);
    const other = [...secretNamesIn(action.text, secrets), ...unknownCredentialNames(action.text)].find(
      (name) => !named.includes(name),
    );
    if (other === undefined) return null;
    return {
      why: `The goal does not name ${credentialPlaceholder(other)}: it cannot be typed`,
      instead: 'no secret can be typed but those that the goal names',
    };
  }
  return null;
}

/** What the list as it is now does not have. */
function outOfList(action: Action, { seen }: AgentState): Hindrance | null {
  if (!seen) return null;
  const missing = indicesOf(action).find((index) => !elementByIndex(index, seen));
  if (missing === undefined) return null;
  return { why: `There is no element ${missing} in the list as it is now`, instead: null };
}

/** Actions that what is disabled does not take. */
const using: ReadonlySet<Action['action']> = new Set([
  'click',
  'fill',
  'type',
  'clear',
  'check',
  'uncheck',
  'selectOption',
  'upload',
  'download',
  'drag',
]);

/** What is disabled, or not to be written in: what comes later in a turn may be waiting for what comes before. */
function notReady(action: Action, { seen }: AgentState): Hindrance | null {
  const [index] = indicesOf(action);
  const one = seen && !seen.loading && index !== undefined ? elementByIndex(index, seen) : undefined;
  if (!one || !using.has(action.action)) return null;
  const state = isWriting(action) && one.state.readonly ? 'readonly' : one.state.disabled ? 'disabled' : null;
  return state && { why: `[${one.index}] ${describeElement(one)} is ${state}${waiting(one)}`, instead: null };
}

const isWriting = ({ action }: Action) => action === 'fill' || action === 'type' || action === 'clear';

const waiting = ({ state }: ElementView) =>
  state.disabled ? ': do first what it waits for, or wait where the page is at work' : '';

/** Numbers of the elements that an action names. */
const indicesOf = (action: Action): number[] =>
  (['target', 'to'] as const).flatMap((field) => {
    const target = (action as Partial<Record<typeof field, unknown>>)[field];
    if (typeof target !== 'object' || target === null) return [];
    return toLocatorChain(target as Parameters<typeof toLocatorChain>[0]).flatMap(
      ({ elementIndex: element }) => element ?? [],
    );
  });
