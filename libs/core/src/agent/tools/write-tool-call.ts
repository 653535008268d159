import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { PlannedAction } from '../planned-action.ts';
import { fieldsOfAction, unwritable, type AnswerToWrite, type WriteContext } from './written-answer.ts';
import { surfaceTraits } from '../../surface/surface-traits.ts';
import { ACT, usageOf, type ToolName } from './offered-actions.ts';

/* Writing of function calls: the inverse of `tool-calls.ts`. */

const DIALECT = 'Function calls';

/** Names of actions that models know by another name. */
const TOOL_NAMES: Readonly<Record<string, ToolName>> = {
  goBack: 'back',
  handleDialog: 'dialog',
  selectOption: 'select',
  fill: 'type',
};

type Args = Record<string, Json>;

/** An action by the name and with the arguments that models use. */
export interface ToolCall {
  readonly name: string;
  readonly args: Args;
}

/** Name and arguments of one planned action. @throws UnwritableAction */
export function toolCallOf(planned: PlannedAction, { surface }: Pick<WriteContext, 'surface'>): ToolCall {
  const { read, see, anchor: anchorParameter } = surfaceTraits[surface].tools;
  switch (planned.kind) {
    case 'act':
      return actionCallOf(planned.action);
    case 'read':
      return { name: read, args: {} };
    case 'see':
      return { name: see, args: {} };
    case 'analyse':
      return { name: 'analyze_visual', args: planned.question === null ? {} : { text: planned.question } };
    case 'store':
      return { name: 'store_data', args: { key: planned.key, text: planned.value } };
    case 'replan':
      return { name: 'needs_replan', args: { text: planned.reason } };
    case 'done': {
      const { answer, anchor, indicators } = planned.claim;
      return {
        name: 'done',
        args: {
          ...(answer !== null && { answer }),
          [anchorParameter]: anchor ?? '',
          indicators: [...indicators],
        },
      };
    }
    case 'fail':
      return { name: 'fail', args: { text: planned.reason } };
    case 'ask':
      return { name: 'ask', args: { text: planned.question } };
  }
}

/** Arguments that name a target. @throws UnwritableAction for locators that models do not know */
function targetArgs(action: Action, target: Target | undefined, names: readonly [string, string, string]): Args {
  const locator = target === undefined ? undefined : toLocatorChain(target)[0];
  if (!locator) return {};
  if (locator.elementIndex !== undefined) return { [names[0]]: locator.elementIndex };
  if (locator.point) return { [names[1]]: locator.point.x, [names[2]]: locator.point.y };
  return unwritable(DIALECT, `target of \`${action.action}\` besides an element of the list and a point`);
}

function actionCallOf(action: Action): ToolCall {
  const name = TOOL_NAMES[action.action] ?? action.action;
  const usage = usageOf(name);
  const isTypeWithTarget = action.action === 'type' && action.target !== undefined;
  if (!usage || isTypeWithTarget)
    return unwritable(DIALECT, `action \`${action.action}\`${isTypeWithTarget ? ' with a target' : ''}`);
  const fields = toolFields(action);
  const unsupportedField = Object.keys(fields).find((field) => !usage.fields.includes(field));
  if (unsupportedField !== undefined) return unwritable(DIALECT, `\`${unsupportedField}\` of \`${action.action}\``);
  return {
    name,
    args: {
      ...targetArgs(action, 'target' in action ? action.target : undefined, ['element', 'x', 'y']),
      ...(action.action === 'drag' ? targetArgs(action, action.to, ['to_element', 'to_x', 'to_y']) : {}),
      ...fields,
    },
  };
}

/** Fields besides the targets, by the names that models use. */
function toolFields(action: Action): Args {
  const fieldNames = fieldsOfAction(action).filter(
    (field) => field !== 'target' && !(action.action === 'drag' && field === 'to'),
  );
  const rest = Object.fromEntries(fieldNames.map((field) => [field, action[field as keyof Action] as Json]));
  switch (action.action) {
    case 'click': {
      const { count, ...others } = rest;
      return { ...others, ...(count !== undefined && { times: count }) };
    }
    case 'scroll': {
      const { by: _, ...others } = rest;
      return { ...others, ...(action.by?.y && { down: action.by.y }), ...(action.by?.x && { right: action.by.x }) };
    }
    case 'selectOption':
      return { ...rest, option: [action.option].flat() };
    case 'waitFor':
      return Object.fromEntries(Object.entries(action.condition).filter(([, value]) => value !== undefined)) as Args;
    default:
      return rest;
  }
}

/** Arguments for the expected result of the turn. */
export function expectationArgs(expects: AnswerToWrite['expects'], { surface }: Pick<WriteContext, 'surface'>): Args {
  if (!expects) return {};
  return {
    ...(expects.anchor !== null && { [surfaceTraits[surface].tools.anchor]: expects.anchor }),
    ...(expects.indicators.length > 0 && { indicators: [...expects.indicators] }),
  };
}

/** Functions besides `act`, by tier. */
const OWN_FUNCTIONS: Readonly<Record<WriteContext['tier'], readonly string[]>> = {
  text: ['done'],
  vision: ['done', 'fail', 'ask'],
};

/** Writes function calls of this agent. @throws UnwritableAction */
export function writeCalls({ actions, expects }: AnswerToWrite, context: WriteContext): ModelCall[] {
  return actions.map((planned, index) => {
    const { name, args } = toolCallOf(planned, context);
    if (OWN_FUNCTIONS[context.tier].includes(name)) return { name, args };
    const isLastAct = planned.kind === 'act' && index === actions.length - 1;
    return { name: ACT, args: { action: name, ...args, ...(isLastAct && expectationArgs(expects, context)) } };
  });
}
