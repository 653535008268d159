import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { describeElement } from '../observation/observation-text.ts';
import { matchesSite, uriOriginOf } from '../origin/uri-origin.ts';
import { credentialPlaceholder, secretNamesIn, unknownCredentialNames } from '../workflow/secret-placeholders.ts';
import type { PlannedAction } from './planned-action.ts';
import type { AgentState } from './agent-state.ts';
import { recordFailure, replanByRule } from './escalation.ts';
import { elementByIndex, isTextEntry } from './page-queries.ts';

/* Rejects a turn that certainly cannot be done, before its first action. The model gets the reason. */

interface Obstacle {
  readonly reason: string;
  /** Set if no page of the run allows the action: what to do instead. Null: another observation or turn may help. */
  readonly alternative: string | null;
}

/** State after the rejection of a turn; null: no obstacle is known. */
export function rejectInfeasible(state: AgentState, plannedActions: readonly PlannedAction[]): AgentState | null {
  const actions = plannedActions.flatMap((action) => (action.kind === 'act' ? [action.action] : []));
  for (const [index, action] of actions.entries()) {
    const obstacle =
      limitObstacle(action, state) ??
      missingElementObstacle(action, state) ??
      (index === 0 ? elementStateObstacle(action, state) : null);
    if (!obstacle) continue;
    const reason = `${obstacle.reason}. No action of this turn was executed.`;
    return obstacle.alternative === null
      ? recordFailure(state, 'problem', reason)
      : replanByRule(state, reason, obstacle.alternative);
  }
  return null;
}

/** Limits of the run: hosts that it may reach, files and secrets that the goal names. */
function limitObstacle(action: Action, state: AgentState): Obstacle | null {
  if (action.action === 'navigate') return hostObstacle(action.url, state);
  if (action.action === 'upload' || action.action === 'putFile') return fileObstacle(action.file, state);
  return isTextEntry(action) ? secretObstacle(action.text, state) : null;
}

function hostObstacle(address: string, { goal, page: { current } }: AgentState): Obstacle | null {
  const url = URL.parse(address, current && uriOriginOf(current.url).kind === 'site' ? current.url : undefined);
  const uriOrigin = uriOriginOf(url?.href ?? '');
  // Other origins need an approval. Only sites have rules that no approval lifts.
  if (uriOrigin.kind !== 'site') return null;
  // A rule with networks can be checked only after a name lookup.
  const isBlocked = goal.limits.hosts.some((rules) =>
    rules.every((rule) => rule.networks.length === 0 && !matchesSite(rule, uriOrigin)),
  );
  if (!isBlocked) return null;
  return {
    reason: `${uriOrigin.name} is outside the allowed sites`,
    alternative: `use allowed sites instead of ${uriOrigin.name}`,
  };
}

function fileObstacle(file: string, { goal, history: { notes } }: AgentState): Obstacle | null {
  const trustedTexts = [goal.text, ...notes.filter(({ kind }) => kind === 'answer').map(({ note }) => note)];
  if (trustedTexts.some((text) => text.includes(file))) return null;
  return {
    reason: `The goal does not mention the file ${JSON.stringify(file.slice(0, 60))}: it cannot be uploaded`,
    alternative: 'upload only files that the goal names, by that name',
  };
}

function secretObstacle(text: string, { goal }: AgentState): Obstacle | null {
  const { secrets } = goal.limits;
  const allowedNames = secretNamesIn(goal.text, secrets);
  const forbiddenName = [...secretNamesIn(text, secrets), ...unknownCredentialNames(text)].find(
    (name) => !allowedNames.includes(name),
  );
  if (forbiddenName === undefined) return null;
  return {
    reason: `The goal does not mention ${credentialPlaceholder(forbiddenName)}: it cannot be typed`,
    alternative: 'type only secrets that the goal names',
  };
}

function missingElementObstacle(action: Action, { page: { current } }: AgentState): Obstacle | null {
  if (!current) return null;
  const missingIndex = elementIndexes(action).find((index) => !elementByIndex(index, current));
  if (missingIndex === undefined) return null;
  return { reason: `Element ${missingIndex} is not in the current list`, alternative: null };
}

/** Actions that need an enabled element. */
const enabledActions: ReadonlySet<Action['action']> = new Set([
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

/** Disabled and read-only elements. Only for the first action: it may enable the elements of later ones. */
function elementStateObstacle(action: Action, { page: { current } }: AgentState): Obstacle | null {
  const [index] = elementIndexes(action);
  const element = current && !current.loading && index !== undefined ? elementByIndex(index, current) : undefined;
  if (!element || !enabledActions.has(action.action)) return null;
  const state = changesText(action) && element.state.readonly ? 'readonly' : element.state.disabled ? 'disabled' : null;
  return (
    state && {
      reason: `[${element.index}] ${describeElement(element)} is ${state}${enableAdvice(element)}`,
      alternative: null,
    }
  );
}

const changesText = ({ action }: Action) => action === 'fill' || action === 'type' || action === 'clear';

const enableAdvice = ({ state }: ElementView) =>
  state.disabled ? ': complete what enables it, or wait until the page has finished' : '';

/** Indexes of the elements that an action names. */
const elementIndexes = (action: Action): number[] =>
  (['target', 'to'] as const).flatMap((field) => {
    const target = (action as Partial<Record<typeof field, unknown>>)[field];
    if (typeof target !== 'object' || target === null) return [];
    return toLocatorChain(target as Parameters<typeof toLocatorChain>[0]).flatMap(
      ({ elementIndex }) => elementIndex ?? [],
    );
  });
