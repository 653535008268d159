import type { Action } from '@pilothouse/contract/actions/action-sets';
import { answerText, quoteText, unwritable, type AnswerToWrite, type WriteContext } from '../tools/written-answer.ts';
import { directionOf, pointingPlan, requirePoint } from './pointing-actions.ts';
import { allowFields } from '../tools/written-answer.ts';
import { focusName } from './write-deskpilot.ts';

const DIALECT = 'EchoPrism';

/** Writes an answer that `parseEchoPrism` reads. @throws UnwritableAction */
export function writeEchoPrism(answer: AnswerToWrite, context: WriteContext): string {
  const { actions, thought } = pointingPlan(DIALECT, answer, context);
  const calls = actions.map((planned) => {
    switch (planned.kind) {
      case 'act':
        return actionCall(planned.action, context);
      case 'done': {
        const text = answerText(planned.claim.answer);
        return text !== '' && text === thought ? 'Finished()' : `Finished(${quoteText(text)})`;
      }
      case 'ask':
        return 'CallUser()';
      default:
        return unwritable(DIALECT, `call for \`${planned.kind}\``);
    }
  });
  return `Thought: ${thought}\nAction: ${calls.join(';')}`;
}

const keyText = (key: string) => (/^\w+$/.test(key) ? key : quoteText(key));

function actionCall(action: Action, context: WriteContext): string {
  const pointText = (target: Parameters<typeof requirePoint>[2]) => {
    const { x, y } = requirePoint(DIALECT, action, target, context);
    return `${x}, ${y}`;
  };
  switch (action.action) {
    case 'click': {
      allowFields(DIALECT, action, ['target', 'button', 'count']);
      const { button = 'left', count = 1 } = action;
      if (button === 'left' && count === 1) return `Click(${pointText(action.target)})`;
      if (button === 'right' && count === 1) return `RightClick(${pointText(action.target)})`;
      if (button === 'left' && count === 2) return `DoubleClick(${pointText(action.target)})`;
      return unwritable(DIALECT, 'such click');
    }
    case 'hover':
      allowFields(DIALECT, action, ['target']);
      return `Hover(${pointText(action.target)})`;
    case 'drag':
      allowFields(DIALECT, action, ['target', 'to']);
      return `Drag(${pointText(action.target)}, ${pointText(action.to)})`;
    case 'scroll':
      return `Scroll(${action.target === undefined ? '500, 500' : pointText(action.target)}, ${directionOf(DIALECT, action)})`;
    case 'fill':
    case 'type':
      return `Type(${quoteText(action.text)})`;
    case 'press': {
      const keys = action.key.split('+');
      return keys.length > 1 && keys.every((key) => key !== '')
        ? `Hotkey(${keys.map(keyText).join(', ')})`
        : `PressKey(${keyText(action.key)})`;
    }
    case 'wait':
      return `Wait(${action.seconds})`;
    case 'navigate':
      allowFields(DIALECT, action, ['url']);
      return `Navigate(${quoteText(action.url)})`;
    case 'openApp':
      allowFields(DIALECT, action, ['app']);
      return `OpenApp(${quoteText(action.app)})`;
    case 'switchWindow':
    case 'switchTab':
      return `FocusApp(${quoteText(focusName(DIALECT, action, context))})`;
    default:
      return unwritable(DIALECT, `action \`${action.action}\``);
  }
}
