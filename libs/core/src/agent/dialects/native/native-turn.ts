import type { Action } from '@pilothouse/contract/actions/action-sets';
import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import type {
  ComputerTool,
  NativeAnswerKind,
  NativeCall,
  NativeRecord,
  NativeTurn,
} from '@pilothouse/contract/model/native-turn.schema';
import { ellipsize } from '../../../observation/observation-text.ts';
import type { ParsedAnswer, PlannedAction } from '../../planned-action.ts';
import type { AnswerContext } from '../../tools/action-arguments.ts';
import { parseToolCall } from '../../tools/tool-calls.ts';
import { DISABLED_BROWSER_MEMBERS, parseBrowserMember } from './anthropic-browser.dialect.ts';
import { parseComputerAction, parseComputerMember } from './anthropic-computer.dialect.ts';
import { parseGeminiComputerCall } from './gemini-computer.dialect.ts';
import { TurnRefused, actingPlan, type CallParser, type CallPlan, type Pointer } from './native-call.ts';
import { parseComputerCall } from './openai-computer.dialect.ts';

/*
 * A turn of a computer tool becomes actions. All calls are checked before the first action: one unusable call refuses the turn, nothing is
 * executed, and the model gets the reason.
 */

interface NativeDialect {
  readonly parse: CallParser;
  /** Family of the calls, as the provider names it; null: it names none. */
  readonly toolset: string | null;
  /** Members that the request disabled. */
  readonly disabled: readonly string[];
}

const dialects: Readonly<Record<ComputerTool, NativeDialect>> = {
  computer_toolset_20260801: {
    parse: parseComputerMember,
    toolset: 'computer',
    disabled: [],
  },
  computer_20251124: { parse: parseComputerAction, toolset: null, disabled: [] },
  browser_toolset_20260801: {
    parse: parseBrowserMember,
    toolset: 'browser',
    disabled: DISABLED_BROWSER_MEMBERS,
  },
  openai_computer: { parse: parseComputerCall, toolset: null, disabled: [] },
  gemini_computer_use: { parse: parseGeminiComputerCall, toolset: null, disabled: [] },
};

/** Interpretation of a call. @property isMember false: another function of the request */
interface TurnPlan extends CallPlan {
  readonly isMember: boolean;
}

/** Maximum actions of a turn. */
const MAX_NATIVE_ACTIONS = 30;

/** Maximum enlarged regions of a turn. Each is an image. */
const MAX_ZOOMS = 4;

const MAX_REASON_CHARS = 500;

/** Kinds of results that need a new screenshot. */
const DESCRIPTIONS: ReadonlySet<NativeAnswerKind> = new Set(['screenshot', 'zoom', 'page', 'text', 'find', 'tabs']);

/** Parses a turn. Never throws. A refused turn has no actions and names its reason as a problem. */
export function parseNativeTurn(turn: NativeTurn, text: string, context: AnswerContext): ParsedAnswer {
  const thought = text.trim();
  const idProblem = problemOfIds(turn.calls);
  // Without distinct ids no result can be returned: the conversation starts again.
  if (idProblem) return { thought, actions: [], problems: [refusalText(idProblem)] };
  try {
    const plans = planCalls(turn, context);
    const lastCall = lastExecutedCall(plans);
    const actions = plans.flatMap(({ actions }, call) =>
      call > lastCall ? [] : actions.map((planned) => ({ ...planned, call })),
    );
    if (actions.length > MAX_NATIVE_ACTIONS)
      throw new TurnRefused(`the turn has ${actions.length} actions; at most ${MAX_NATIVE_ACTIONS} are possible`);
    const native: NativeRecord = {
      turn,
      plans: plans.map(({ actions, answer, isMember, pointer, region }) => ({
        ...{ actions: actions.length, answer, isMember },
        pointer: pointer.position,
        ...(region && { region }),
      })),
      refusal: null,
    };
    return { thought, actions: withChecks(actions, turn.calls, native), problems: [], native };
  } catch (thrown) {
    if (!(thrown instanceof TurnRefused)) throw thrown;
    const refusal = ellipsize(thrown.message, MAX_REASON_CHARS);
    const pointer = context.pointer ?? null;
    const plans = turn.calls.map(() => ({ actions: 0, answer: 'steps' as const, isMember: true, pointer }));
    const native: NativeRecord = { turn, plans, refusal };
    return { thought, actions: [], problems: [refusalText(refusal)], native };
  }
}

export const refusalText = (reason: string) => `The turn was refused: ${reason}. Nothing was executed.`;

/** Reason why results cannot be matched to calls; null: they can. */
function problemOfIds(calls: readonly NativeCall[]): string | null {
  const ids = calls.map(({ id }) => id);
  if (ids.some((id) => id === null || id === '')) return 'a call has no id';
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  return repeated === undefined ? null : `two calls have the id ${ellipsize(repeated ?? '', 60)}`;
}

/** Parses the calls in order. */
function planCalls(turn: NativeTurn, context: AnswerContext): TurnPlan[] {
  const dialect = dialects[turn.tool];
  const plans: TurnPlan[] = [];
  let pointer: Pointer = { position: context.pointer ?? null, pressedAt: null };
  for (const call of turn.calls) {
    const plan = planCall(call, dialect, turn.tool, pointer, plans.some(movesFocus) ? withoutFocus(context) : context);
    if (call.checks.length > 0 && plan.actions.every(({ kind }) => kind !== 'act'))
      throw new TurnRefused(`${ellipsize(call.name, 60)} has a safety check but no action that a person can approve`);
    plans.push(plan);
    pointer = plan.pointer;
  }
  if (plans.filter(({ region }) => region).length > MAX_ZOOMS)
    throw new TurnRefused(`zoom: at most ${MAX_ZOOMS} regions in one turn`);
  if (pointer.pressedAt) throw new TurnRefused('left_mouse_down needs left_mouse_up in the same turn');
  return plans;
}

/** Actions that leave the focus where it is. */
const FOCUS_KEEPING_ACTIONS: ReadonlySet<Action['action']> = new Set(['hover', 'scroll', 'wait', 'waitFor']);

const movesFocus = ({ actions }: CallPlan): boolean =>
  actions.some((planned) => planned.kind === 'act' && !FOCUS_KEEPING_ACTIONS.has(planned.action.action));

/** The focus after an action of the turn is unknown: texts go to the caret. */
const withoutFocus = (context: AnswerContext): AnswerContext => ({ ...context, focused: null, hasUnlistedField: true });

/** Index of the first call that describes the screen, or of the last one. Later actions depend on the description. */
export function lastExecutedCall(plans: readonly Pick<CallPlan, 'answer'>[]): number {
  const index = plans.findIndex(({ answer }) => DESCRIPTIONS.has(answer));
  return index < 0 ? plans.length - 1 : index;
}

function planCall(
  call: NativeCall,
  { parse, toolset, disabled }: NativeDialect,
  tool: ComputerTool,
  pointer: Pointer,
  context: AnswerContext,
): TurnPlan {
  const { name, args } = call;
  if (call.toolset !== null && call.toolset !== toolset)
    throw new TurnRefused(
      `${ellipsize(name, 60)} belongs to the toolset ${ellipsize(call.toolset, 60)}, not to ${tool}`,
    );
  const isMember = toolset === null || call.toolset === toolset;
  if (isMember && disabled.includes(name)) throw new TurnRefused(`${name} is disabled`);
  const member = isMember ? parse(call, pointer, context) : null;
  const planned = member ? null : parseToolCall(name, args);
  if (planned) {
    const plan = actingPlan([planned], pointer);
    return planned.kind === 'act'
      ? { ...withSupportedActions(plan, context), isMember: false }
      : { ...plan, answer: 'note', isMember: false };
  }
  if (!member) throw new TurnRefused(`${ellipsize(name, 60)} is not a part of ${tool}`);
  return { ...withSupportedActions(member, context), isMember: true };
}

function withSupportedActions(plan: CallPlan, { surface }: AnswerContext): CallPlan {
  for (const planned of plan.actions)
    if (planned.kind === 'act' && !surfaceSupport[surface].actions.has(planned.action.action))
      throw new TurnRefused(`${planned.action.action} is not available on a ${surface}`);
  return plan;
}

/** Adds the checks of the provider to the actions of their calls, and a look at the screen if a call asks for one. */
function withChecks(
  actions: readonly (PlannedAction & { readonly call: number })[],
  calls: readonly NativeCall[],
  { plans }: NativeRecord,
): PlannedAction[] {
  const checked = actions.map((planned): PlannedAction => {
    const { call } = planned;
    if (planned.kind !== 'act') return planned;
    const checks = calls[call]?.checks ?? [];
    const reason = checks.map(({ message, code, id }) => message ?? code ?? id).join('; ');
    return { ...planned, ...(checks.length > 0 && { check: ellipsize(reason || 'no reason given', 1000) }) };
  });
  return plans.some(({ answer }) => DESCRIPTIONS.has(answer)) ? [...checked, { kind: 'see' }] : checked;
}
