import { toLocatorChain, type ElementView, type Observation } from '@pilothouse/contract';
import { describeElement } from '../observation/observation-text.ts';
import { requiredApproval } from './approval/approval-policy.ts';
import { withNote } from './escalation.ts';
import type { PlannedAction } from './agent-protocol.ts';
import { elementByIndex, webOrigin } from './page-queries.ts';
import { approvalPolicyOf } from './approval/approval.ts';
import type { OverlayCheck, AgentState } from './agent-goal.ts';

/*
 * What comes to lie over a page: a banner, a dialog, a newsletter. Where it can be closed for sure it is, by rule and without a model, and the
 * turn goes on; else the model is shown it.
 */

/** What only closes: words that agree to something or refuse it, or may mean the page itself, are not among them. */
const closes =
  /^(?:[×✕✖✗⨯x]|[×✕✖✗⨯]?\s*(?:close|dismiss|hide|schlie(?:ß|ss)en|fermer|cerrar|chiudi|sluiten)(?:\s+(?:this|the|dialog|modal|pop-?up|banner|window|message|notification|notice|overlay|ad|offer|newsletter))*|not now|maybe later|continue without accepting)[.!]?$/iu;
/** The same of a class or an id. */
const closesAs = /^[.#]?(?:[\w-]*[_-])?(?:close|dismiss)(?:[_-]?(?:button|btn|icon|dialog|modal|popup|banner))?$/i;

/** Most things that are closed by rule within a turn: what comes again and again is for the model to see. */
const MOST_CLOSED = 3;

const pressed: ReadonlySet<string> = new Set(['button', 'clickable', 'link']);

/** Whether something only closes what it lies in: it leads nowhere, sends nothing, and is the page's own. */
function isCloser(one: ElementView, seen: Observation, state: AgentState): boolean {
  const { interactive, role, name, fallbackName: hint, tags: marks, linkUrl: leads, frame } = one;
  if (!interactive || !pressed.has(role) || one.state.disabled || !marks.includes('closer')) return false;
  if (leads !== undefined && !(role === 'link' && isSamePage(leads, seen.url))) return false;
  if (frame !== undefined && webOrigin(frame) !== webOrigin(seen.url)) return false;
  const says = name.trim() === '' ? closesAs.test(hint ?? '') : closes.test(name.trim());
  return (
    says &&
    requiredApproval({ action: 'click', target: { elementIndex: one.index } }, seen, approvalPolicyOf(state)) === null
  );
}

const isSamePage = (one: string, other: string) => one.replace(/#.*$/, '') === other.replace(/#.*$/, '');

/** The element that a move names by its number. */
const indexOf = (move: PlannedAction | undefined): number | undefined =>
  move?.kind === 'act' && 'target' in move.action && move.action.target
    ? toLocatorChain(move.action.target)[0]?.elementIndex
    : undefined;

/** Whether what the next move is about is in the list as it was. */
export function isTargetUnchanged(move: PlannedAction | undefined, before: Observation, seen: Observation): boolean {
  const index = indexOf(move);
  if (index === undefined) return true;
  const [was, is] = [before, seen].map((page) => elementByIndex(index, page));
  return before.document === seen.document && was !== undefined && is?.role === was.role && is.name === was.name;
}

/**
 * The turn, with what came to lie over the page closed first: what the next move is about was in the list and is not any more, and something
 * is that only closes. Null: nothing is known to be in the way, or not how to close it.
 */
export function dismissOverlayFirst(
  state: AgentState,
  moves: readonly PlannedAction[],
  { before, closed }: Omit<OverlayCheck, 'left'>,
): AgentState | null {
  const { seen } = state;
  const index = indexOf(moves[0]);
  if (!seen || index === undefined || before.document !== seen.document || closed.length >= MOST_CLOSED) return null;
  if (!elementByIndex(index, before) || elementByIndex(index, seen)) return null;
  const closer = seen.elements.find(
    (one) => !elementByIndex(one.index, before) && !closed.includes(one.index) && isCloser(one, seen, state),
  );
  if (!closer) return null;
  const told = `Something lies over the page: it is closed first, by ${describeElement(closer)}`;
  return {
    ...withNote(state, 'page_changed', told),
    phase: { kind: 'choose' },
    queue: [{ kind: 'act', action: { action: 'click', target: { elementIndex: closer.index } } }, ...moves],
    over: { before, left: [], closed: [...closed, closer.index] },
  };
}
