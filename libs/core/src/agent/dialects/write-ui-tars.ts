import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import type { PlannedAction } from '../planned-action.ts';
import { directionOf, pointingPlan, requirePoint } from './pointing-actions.ts';
import {
  allowFields,
  answerText,
  quoteText,
  unwritable,
  type AnswerToWrite,
  type WriteContext,
} from '../tools/written-answer.ts';
import { roundToPatch } from './ui-tars.dialect.ts';

const DIALECT = 'UI-TARS';

/** Form of a point: a box in thousandths. From version 1.5: a point in pixels of the preprocessed image. */
type Version = 'ui-tars' | 'ui-tars-1.5';

/** Writes an answer that the parser of the version reads. @throws UnwritableAction */
export function writeUiTars(version: Version, answer: AnswerToWrite, context: WriteContext): string {
  const { actions, thought } = pointingPlan(DIALECT, answer, context);
  const calls = actions.flatMap((planned, index) => {
    const [previous, next] = [actions[index - 1], actions[index + 1]];
    // A line break at the end of a text is Enter.
    if (isEnter(planned) && previous && isTyping(previous)) return [];
    return [callOf(version, planned, next !== undefined && isEnter(next), context)];
  });
  return `Thought: ${thought}\nAction: ${calls.join('\n')}`;
}

const isEnter = (planned: PlannedAction) =>
  planned.kind === 'act' && planned.action.action === 'press' && planned.action.key === 'Enter';
const isTyping = (planned: PlannedAction) =>
  planned.kind === 'act' && (planned.action.action === 'type' || planned.action.action === 'fill');

const call = (name: string, args: Readonly<Record<string, string>> = {}) =>
  `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}=${quoteText(value, "'")}`)
    .join(', ')})`;

function callOf(version: Version, planned: PlannedAction, hasEnter: boolean, context: WriteContext): string {
  switch (planned.kind) {
    case 'act':
      return actionCall(version, planned.action, hasEnter, context);
    case 'done':
      return call('finished', { content: answerText(planned.claim.answer) });
    case 'ask':
      return call('call_user');
    default:
      return unwritable(DIALECT, `call for \`${planned.kind}\``);
  }
}

/** Arguments of points, by version. */
const POINT_NAMES = { 'ui-tars': ['start_box', 'end_box'], 'ui-tars-1.5': ['start_point', 'end_point'] } as const;

function actionCall(version: Version, action: Action, hasEnter: boolean, context: WriteContext): string {
  const textOf = (target: Target | undefined) => {
    const point = requirePoint(DIALECT, action, target, context);
    if (version === 'ui-tars') return `<|box_start|>(${Math.round(point.x)},${Math.round(point.y)})<|box_end|>`;
    const { image } = context;
    if (!image) return unwritable('UI-TARS 1.5', 'point without an image');
    const x = Math.round((point.x / 1000) * roundToPatch(image.width));
    const y = Math.round((point.y / 1000) * roundToPatch(image.height));
    return `<point>${x} ${y}</point>`;
  };
  const startArgument = (target: Target | undefined) => ({
    [version === 'ui-tars' ? 'start_box' : 'point']: textOf(target),
  });
  switch (action.action) {
    case 'click': {
      allowFields(DIALECT, action, ['target', 'button', 'count']);
      const { button = 'left', count = 1 } = action;
      if (button === 'left' && count === 1) return call('click', startArgument(action.target));
      if (button === 'left' && count === 2) return call('left_double', startArgument(action.target));
      if (button === 'right' && count === 1) return call('right_single', startArgument(action.target));
      return unwritable(DIALECT, 'such click');
    }
    case 'hover':
      allowFields(DIALECT, action, ['target']);
      return call('hover', startArgument(action.target));
    case 'drag': {
      allowFields(DIALECT, action, ['target', 'to']);
      const [startName, endName] = POINT_NAMES[version];
      return call('drag', { [startName]: textOf(action.target), [endName]: textOf(action.to) });
    }
    case 'scroll': {
      const direction = directionOf(DIALECT, action);
      return call('scroll', { ...startArgument(action.target ?? { point: { x: 500, y: 500 } }), direction });
    }
    case 'fill':
    case 'type':
      if (action.text.endsWith('\n')) return unwritable(DIALECT, 'text with a line break at its end');
      return call('type', { content: hasEnter ? `${action.text}\n` : action.text });
    case 'press':
      return call('hotkey', {
        key: action.key
          .split('+')
          .map((key) => key.toLowerCase())
          .join(' '),
      });
    case 'wait':
      return call('wait');
    case 'goBack':
      allowFields(DIALECT, action, []);
      return call('press_back');
    case 'openApp':
      allowFields(DIALECT, action, ['app']);
      return call('open_app', { app_name: action.app });
    default:
      return unwritable(DIALECT, `action \`${action.action}\``);
  }
}
