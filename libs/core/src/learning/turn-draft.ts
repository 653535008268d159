import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain, type Locator } from '@pilothouse/contract/actions/locator.schema';
import { errorDefinition } from '@pilothouse/contract/errors/error-codes';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_THOUGHT } from '@pilothouse/contract/events/agent.events';
import type { TurnAction, TurnOutcome, TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { ModelAnswer, ModelCall, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Bounds, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { AgentNote } from '../agent/agent-state.ts';
import { isSameExceptFocus } from '../agent/page-queries.ts';
import { plannedActionTitle, turnExpectation, type PlannedAction } from '../agent/planned-action.ts';
import { ellipsize } from '../observation/observation-text.ts';

/** An executed action of a turn. */
export interface TurnDraftOutcome {
  readonly sequence: number;
  /** Null: the agent inserted the action, e.g. to close an overlay. */
  readonly planned: number | null;
  readonly action: Action;
  readonly error: Pick<ErrorView, 'code' | 'message'> | null;
  readonly durationMs: number;
  /** Null: unknown. */
  readonly urlAfter: string | null;
  readonly titleAfter: string | null;
  /** Page before the action, and the next observation; null: not observed. */
  readonly pageBefore: Observation | null;
  readonly pageAfter: Observation | null;
}

/** A turn until its record is built. Its texts may contain secrets. */
export interface TurnDraft extends Pick<
  TurnRecord,
  'turn' | 'order' | 'at' | 'goal' | 'input' | 'prompt' | 'tier' | 'source' | 'operator'
> {
  readonly page: Observation;
  /** Null: no model was called, or its answer is unusable. */
  readonly answer: Pick<ModelAnswer, 'text' | 'calls' | 'provider' | 'model' | 'dialect'> | null;
  readonly thought: string;
  readonly planned: readonly PlannedAction[];
  /** Unusable parts of the answer. */
  readonly problems: readonly string[];
  readonly outcomes: readonly TurnDraftOutcome[];
  /** Notes of the agent during the turn. */
  readonly notes: readonly Pick<AgentNote, 'kind' | 'note'>[];
}

/** Fields that are the same for all turns of a goal. */
export type TurnOrigin = Pick<
  TurnRecord,
  'run' | 'attempt' | 'step' | 'path' | 'id' | 'branch' | 'branchPath' | 'surface'
>;

/** The record of a turn, without its screenshot. Secrets are not masked. */
export function turnRecordOf(draft: TurnDraft, origin: TurnOrigin): TurnRecord {
  const { page, answer, planned, thought, outcomes, operator } = draft;
  const expects = turnExpectation(planned);
  return {
    version: 1,
    ...origin,
    turn: draft.turn,
    order: draft.order,
    at: draft.at,
    goal: draft.goal,
    input: draft.input,
    prompt: draft.prompt,
    tier: draft.tier,
    source: draft.source,
    model: answer && `${answer.provider}/${answer.model}`,
    ...(answer?.dialect && { dialect: answer.dialect }),
    ...(operator !== undefined && { operator }),
    observation: observationOf(page),
    screenshot: null,
    thought: ellipsize(thought, MAX_THOUGHT),
    ...(expects && { expects }),
    answer: answer && { text: answer.text, calls: answer.calls.map(withoutSignature) },
    actions: actionsOf(draft),
    outcomes: outcomes.map(outcomeOf),
    verification: verificationOf(draft),
  };
}

/** True if a goal whose last turn has this record ended unverified. */
export const isUnverified = ({ verification }: Pick<TurnRecord, 'verification'>): boolean =>
  verification.result !== 'verified';

/** The text of a request, without its images. */
export const requestText = ({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): TurnRecord['input'] => ({
  system,
  text: messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : []))).join('\n\n'),
});

const withoutSignature = ({ name, args }: ModelCall): Omit<ModelCall, 'signature'> => ({ name, args });

function observationOf({ url, title, viewport, elements, text }: Observation): TurnRecord['observation'] {
  return {
    url,
    title,
    viewport: { width: viewport.width, height: viewport.height },
    elements: elements.map(({ locators: _locators, ...element }) => element),
    text: text?.text ?? '',
  };
}

function actionsOf({ planned, outcomes, answer, page }: TurnDraft): TurnAction[] {
  // Calls match actions only if each call became one action.
  const calls = answer?.calls.length === planned.length ? answer.calls : [];
  const actions = planned.map((plannedAction, index): TurnAction => {
    const call = calls[index];
    return {
      sequence: outcomes.find((outcome) => outcome.planned === index)?.sequence ?? null,
      title: plannedActionTitle(plannedAction, page),
      call: call ? withoutSignature(call) : null,
      ...plannedFields(plannedAction, page),
    };
  });
  const inserted = outcomes
    .filter((outcome) => outcome.planned === null)
    .map(({ sequence, action }): TurnAction => ({
      sequence,
      title: plannedActionTitle({ kind: 'act', action }, page),
      call: null,
      ...plannedFields({ kind: 'act', action }, page),
    }));
  return [...actions, ...inserted];
}

function plannedFields(
  planned: PlannedAction,
  page: Observation,
): Pick<TurnAction, 'kind' | 'action' | 'args' | 'target'> {
  if (planned.kind === 'act')
    return { kind: 'act', action: planned.action, target: targetBounds(planned.action, page) };
  const { kind, ...args } = planned;
  return {
    kind,
    action: null,
    target: null,
    ...(Object.keys(args).length > 0 && { args: args as Record<string, Json> }),
  };
}

/** Bounds of an action's target in the viewport; null: no target, or not in the element list. */
export function targetBounds(action: Action, page: Observation): Bounds | null {
  const locators = 'target' in action && action.target ? toLocatorChain(action.target) : [];
  for (const locator of locators) {
    const bounds = locatorBounds(locator, page);
    if (bounds) return bounds;
  }
  return null;
}

function locatorBounds({ point, focus, elementIndex, role, name, label }: Locator, page: Observation): Bounds | null {
  const { viewport, elements, focused } = page;
  if (point)
    return {
      x: Math.round((point.x / 1000) * viewport.width),
      y: Math.round((point.y / 1000) * viewport.height),
      width: 0,
      height: 0,
    };
  const index = focus ? focused : elementIndex;
  if (index !== undefined) return elements.find((element) => element.index === index)?.bounds ?? null;
  const matches = elements.filter(
    (element) =>
      (role !== undefined && element.role === role && element.name === name) ||
      (label !== undefined && element.interactive && element.name === label),
  );
  return matches.length === 1 ? (matches[0]?.bounds ?? null) : null;
}

function outcomeOf(outcome: TurnDraftOutcome): TurnOutcome {
  const { sequence, error, durationMs, urlAfter, titleAfter, pageBefore, pageAfter } = outcome;
  return {
    sequence,
    error: error && { code: error.code, message: error.message, retry: errorDefinition(error.code).retry },
    durationMs,
    urlAfter,
    titleAfter,
    hasChanged:
      pageBefore && pageAfter ? pageBefore.url !== pageAfter.url || !isSameExceptFocus(pageBefore, pageAfter) : null,
  };
}

function verificationOf({ outcomes, notes, problems, planned }: TurnDraft): TurnRecord['verification'] {
  const failed = outcomes.find(({ error }) => error !== null);
  if (failed) return { result: 'failed', note: failed.error?.message ?? '' };
  if (problems.length > 0 && planned.length === 0) return { result: 'failed', note: problems.join('; ') };
  const check = notes.findLast(({ kind }) => kind === 'verified' || kind === 'unverified' || kind === 'problem');
  if (!check) return { result: 'none', note: '' };
  return { result: check.kind === 'verified' ? 'verified' : 'unverified', note: check.note };
}
