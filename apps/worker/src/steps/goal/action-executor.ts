import {
  PilothouseError,
  readOnlyActions,
  toPilothouseError,
  type Action,
  type Assignment,
  type ErrorCode,
  type GoalStep,
} from '@pilothouse/contract';
import {
  credentialPlaceholder,
  approvalPolicyOf,
  requiredDialogApproval,
  irreversibleEffect,
  rowsOf,
  secretNamesIn,
  type AgentDecision,
  type AgentState,
  type AgentInput,
  raceAbort,
} from '@pilothouse/core';
import { runAction, type ActionResult, type ActionScope } from '../../actions/run-action.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { PreActionScreenshot } from '../agent/page-pictures.ts';
import type { AgentEventEmitter } from './agent-events.ts';

/** Milliseconds for one action, and for asking where the surface is. */
const ACT_MS = 15_000;
const ANCHORS_MS = 2_000;

/** How an action may fail that is for the agent to hear of; everything else is for the run. */
const heard: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'TYPED_TEXT_DIFFERS',
  'CONDITION_NOT_MET',
  'NAVIGATION_FAILED',
  'EGRESS_BLOCKED',
  'SITE_LIMIT_TIMED_OUT',
  'STEP_TIMED_OUT',
  'UPLOAD_FAILED',
  'NOT_FOUND',
  'VALIDATION_FAILED',
  'TEMPLATE_INVALID',
  'ACTION_UNSUPPORTED',
  'APPROVAL_REQUIRED',
]);

/** What acting needs of the attempt. */
export interface HandParts {
  readonly act: ActionScope;
  readonly events: Pick<EventBuffer, 'flush' | 'maskError'>;
  readonly assignment: Pick<Assignment, 'secrets'>;
  /** Waits until a site with a limit has room for what the action opens. */
  polite(action: Action): Promise<void>;
  /** The action is over. @param url where the page is; null: it did not say */
  left(action: Action, url: string | null): void;
  /** What the way out says of an error. */
  explained(error: unknown): unknown;
}

/** Whether a picture of the page before the first action may be asked for: where the author says when it is met, nobody asks. */
export const needsPreActionScreenshot = ({ goal, sees, actions }: AgentState): boolean =>
  sees && actions === 0 && goal.texts.length === 0 && goal.condition === null;

/** Does what an agent decided, one action at a time. */
export class ActionExecutor {
  private readonly parts: HandParts;
  private readonly teller: AgentEventEmitter;
  private readonly before: PreActionScreenshot;
  /** Secrets that the goal names. */
  private readonly secrets: ReadonlySet<string>;

  constructor({ goal }: GoalStep, parts: HandParts, teller: AgentEventEmitter, before: PreActionScreenshot) {
    this.parts = parts;
    this.teller = teller;
    this.before = before;
    this.secrets = new Set(secretNamesIn(goal, parts.assignment.secrets));
  }

  /** @throws as `act`, but what the agent is to hear of; what ends an attempt */
  async execute({ action, n, title }: Extract<AgentDecision, { kind: 'act' }>, state: AgentState): Promise<AgentInput> {
    const { act: parts, events, polite, left, explained } = this.parts;
    const { seen, turn } = state;
    this.teller.emit('agent.action_started', title, { sequence: n, action, title, approval: state.allowed }, turn);
    await polite(action);
    const durable = events.flush();
    durable.catch(() => undefined);
    // What changes something is written down before it happens.
    if (!readOnlyActions.has(action.action)) {
      if (needsPreActionScreenshot(state)) await this.before.finish(seen);
      await raceAbort(durable, parts.signal);
    }
    const began = parts.clock.monotonic();
    let error: PilothouseError | null = null;
    let done: ActionResult | null = null;
    try {
      done = await runAction(action, ACT_MS + (action.action === 'wait' ? action.seconds * 1000 : 0), {
        ...parts,
        reveal: (text, origin) => this.reveal(text, origin, state),
        mayAccept: (question) =>
          state.allowed !== null ||
          isAllowed(action, state) ||
          requiredDialogApproval(question, approvalPolicyOf(state)) === null,
      });
    } catch (thrown) {
      parts.signal.throwIfAborted();
      error = toPilothouseError(explained(thrown));
      if (!heard.has(error.code)) throw thrown;
    }
    const page = await readSurface(parts.clock.monotonic() + ANCHORS_MS, parts, (context) =>
      parts.surface.anchors(context),
    ).catch(() => null);
    parts.signal.throwIfAborted();
    left(action, page?.url ?? null);
    const ms = Math.round(parts.clock.monotonic() - began);
    const view = error && events.maskError(error.view());
    const data = {
      sequence: n,
      durationMs: ms,
      error: view,
      page: page && { url: page.url, title: page.title },
      pageBefore: seen && {
        url: seen.url,
        title: seen.title,
        height: seen.scroll.above + seen.viewport.height + seen.scroll.below,
      },
      locators: done?.outcome.located?.alternatives ?? [],
      ...(action.action === 'drag' && { ends: done?.outcome.located?.ends ?? [] }),
      ...(seen && { rows: rowsOf(seen) }),
      effect: seen && irreversibleEffect(action, seen, said(action, state)),
    };
    this.teller.emit('agent.action_completed', view ? `${title}: ${view.message}` : `${title}: done`, data, turn);
    const { origin, question, text } = error?.details ?? {};
    return {
      kind: 'acted',
      error: view,
      where: page,
      ...(typeof origin === 'string' && { origin }),
      ...(typeof question === 'string' && { dialog: { question, text: typeof text === 'string' ? text : null } }),
    };
  }

  /** A secret for the origin that the browser says it is typed into, if the goal names it and it belongs there. */
  private async reveal(text: string, origin: string, state: AgentState): Promise<string> {
    const { act: parts, assignment } = this.parts;
    const named = secretNamesIn(text, assignment.secrets);
    const other = named.find((name) => !this.secrets.has(name));
    if (other !== undefined)
      throw new PilothouseError(
        'TEMPLATE_INVALID',
        `The goal does not name ${credentialPlaceholder(other)}: it cannot be typed`,
      );
    const { autoApprove, trusted } = approvalPolicyOf(state);
    if (named.length > 0 && !autoApprove.has('credentials') && !trusted.has(origin))
      throw new PilothouseError(
        'APPROVAL_REQUIRED',
        `A secret is not typed into a page of ${origin} without a person`,
        {
          details: { origin },
        },
      );
    return parts.reveal(text, origin);
  }
}

/** Whether a person allowed this very action before. */
const isAllowed = (action: Action, { queue: [move] }: AgentState) =>
  move?.kind === 'act' && move.action === action && move.allowed === true;

/** What models say of what the next action is about. */
const said = (action: Action, { queue: [move] }: AgentState) =>
  move?.kind === 'act' && move.action === action ? move : undefined;
