import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { describeElement } from '../observation/observation-text.ts';
import { hasSameOrigin } from '../origin/uri-origin.ts';
import { requiredApproval } from './approval/approval-policy.ts';
import type { PlannedAction } from './planned-action.ts';
import { elementByIndex } from './page-queries.ts';
import { approvalPolicyOf } from './approval/approval.ts';
import { withNote, type AgentState, type OverlayCheck, type TurnInProgress } from './agent-state.ts';

/*
 * Overlays: banners, dialogs, newsletters. A rule closes an overlay that is safe to close, without a model, and the turn continues. The
 * model decides about all others.
 */

/** Names that only close. Names that accept or refuse something, or that may close the page itself, do not match. */
const CLOSER_NAMES =
  /^(?:[×✕✖✗⨯x]|[×✕✖✗⨯]?\s*(?:close|dismiss|hide|schlie(?:ß|ss)en|fermer|cerrar|chiudi|sluiten)(?:\s+(?:this|the|dialog|modal|pop-?up|banner|window|message|notification|notice|overlay|ad|offer|newsletter))*|not now|maybe later|continue without accepting)[.!]?$/iu;
/** Class names and ids that only close. */
const CLOSER_IDENTIFIERS =
  /^[.#]?(?:[\w-]*[_-])?(?:close|dismiss)(?:[_-]?(?:button|btn|icon|dialog|modal|popup|banner))?$/i;

/** An overlay that comes back more often is left to the model. */
const MAX_CLOSED_PER_TURN = 3;

const CLICKABLE_ROLES: ReadonlySet<string> = new Set(['button', 'clickable', 'link']);

/** True for an element that only closes its overlay: no navigation, no submit, no other origin. */
function isCloser(element: ElementView, page: Observation, state: AgentState): boolean {
  const { interactive, role, name, fallbackName = '', tags, linkUrl, frame } = element;
  if (!interactive || !CLICKABLE_ROLES.has(role) || element.state.disabled || !tags.includes('closer')) return false;
  if (linkUrl !== undefined && !(role === 'link' && isSamePage(linkUrl, page.url))) return false;
  if (frame !== undefined && !hasSameOrigin(frame, page.url)) return false;
  const isNamedCloser = name.trim() === '' ? CLOSER_IDENTIFIERS.test(fallbackName) : CLOSER_NAMES.test(name.trim());
  const click = { action: 'click', target: { elementIndex: element.index } } as const;
  return isNamedCloser && requiredApproval(click, page, approvalPolicyOf(state)) === null;
}

const isSamePage = (url: string, otherUrl: string) => url.replace(/#.*$/, '') === otherUrl.replace(/#.*$/, '');

const targetIndex = (planned: PlannedAction | undefined): number | undefined =>
  planned?.kind === 'act' && 'target' in planned.action && planned.action.target
    ? toLocatorChain(planned.action.target)[0]?.elementIndex
    : undefined;

/** True if the target of an action is still in the element list, with the same role and name. */
export function isTargetUnchanged(
  planned: PlannedAction,
  previousPage: Observation,
  currentPage: Observation,
): boolean {
  const index = targetIndex(planned);
  if (index === undefined) return true;
  const [elementBefore, current] = [previousPage, currentPage].map((page) => elementByIndex(index, page));
  return (
    previousPage.document === currentPage.document &&
    elementBefore !== undefined &&
    current?.role === elementBefore.role &&
    current.name === elementBefore.name
  );
}

/**
 * Inserts a click that closes an overlay before the next action. An overlay is assumed if the target of that action has left the
 * element list and a new element only closes. Null: no overlay is known, or it cannot be closed safely.
 */
export function dismissOverlayFirst(
  state: AgentState,
  turn: TurnInProgress,
  { observation: previousPage, closedIndexes: closed }: Omit<OverlayCheck, 'interrupted'>,
): { state: AgentState; turn: TurnInProgress } | null {
  const { current } = state.page;
  const index = targetIndex(turn.actions[0]);
  if (
    !current ||
    index === undefined ||
    previousPage.document !== current.document ||
    closed.length >= MAX_CLOSED_PER_TURN
  )
    return null;
  if (!elementByIndex(index, previousPage) || elementByIndex(index, current)) return null;
  const closer = current.elements.find(
    (element) =>
      !elementByIndex(element.index, previousPage) &&
      !closed.includes(element.index) &&
      isCloser(element, current, state),
  );
  if (!closer) return null;
  const click: PlannedAction = { kind: 'act', action: { action: 'click', target: { elementIndex: closer.index } } };
  const note = `An overlay covers the page. Closing it with ${describeElement(closer)}`;
  return {
    state: withNote(state, 'page_changed', note),
    turn: {
      ...turn,
      actions: [click, ...turn.actions],
      overlay: { observation: previousPage, interrupted: [], closedIndexes: [...closed, closer.index] },
    },
  };
}
