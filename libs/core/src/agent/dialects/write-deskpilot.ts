import type { Action } from '@pilothouse/contract/actions/action-sets';
import { surfaceTraits } from '../../surface/surface-traits.ts';
import type { PlannedAction } from '../planned-action.ts';
import { toMenuItems } from '../tools/action-arguments.ts';
import { focusApp } from './apps-and-focus.ts';
import {
  allowFields,
  answerText,
  fieldsOfAction,
  elementIndexOf,
  focusedIndex,
  pointOfTarget,
  quoteText,
  unwritable,
  type AnswerToWrite,
  type WriteContext,
} from '../tools/written-answer.ts';

const DIALECT = 'DeskPilot';

/** Writes an answer that `parseDeskPilot` reads. The dialect has no thought. @throws UnwritableAction */
export function writeDeskPilot({ actions, expects }: AnswerToWrite, context: WriteContext): string {
  const calls = actions.map((planned, index) => callOf(planned, actions[index - 1], context));
  const isAct = actions.at(-1)?.kind === 'act';
  return [...calls, ...(isAct && expects ? [expectCall(expects)] : [])].join(';');
}

const call = (name: string, ...texts: readonly string[]) =>
  `${name}(${texts.map((text) => quoteText(text)).join(', ')})`;

function expectCall({ anchor, indicators }: NonNullable<AnswerToWrite['expects']>): string {
  if (indicators.length > 3) unwritable(DIALECT, 'more than three expected texts');
  return call('EXPECT', anchor ?? '', ...indicators);
}

function callOf(planned: PlannedAction, previous: PlannedAction | undefined, context: WriteContext): string {
  switch (planned.kind) {
    case 'act':
      return actionCall(planned.action, previous?.kind === 'act' ? previous.action : undefined, context);
    case 'done':
      return call('DONE', answerText(planned.claim.answer));
    case 'fail':
      return call('FAIL', planned.reason);
    default:
      return unwritable(DIALECT, `call for \`${planned.kind}\``);
  }
}

/** True if a key or a text without a target reaches this element. */
export function reachesFocus(action: Action, previous: Action | undefined, context: WriteContext): boolean {
  const index = elementIndexOf('target' in action ? action.target : undefined);
  if (!('target' in action) || action.target === undefined) return true;
  return index !== null && index === (previousElement(previous) ?? focusedIndex(context));
}

const previousElement = (previous: Action | undefined) =>
  previous && 'target' in previous && previous.target !== undefined ? elementIndexOf(previous.target) : null;

function actionCall(action: Action, previous: Action | undefined, context: WriteContext): string {
  switch (action.action) {
    case 'navigate':
      allowFields(DIALECT, action, ['url']);
      return call('BROWSER_NAVIGATE', action.url);
    case 'click': {
      allowFields(DIALECT, action, ['target']);
      const index = elementIndexOf(action.target);
      if (index !== null) return `BROWSER_CLICK(${index})`;
      const point = pointOfTarget(action.target, context) ?? unwritable(DIALECT, 'such target of `click`');
      return `CLICK(${point.x}, ${point.y})`;
    }
    case 'fill': {
      allowFields(DIALECT, action, ['target', 'text', 'append']);
      const index = elementIndexOf(action.target);
      if (
        action.append === true &&
        index !== null &&
        index === focusedIndex(context) &&
        !surfaceTraits[context.surface].typesAtFocus
      )
        return call('TYPE', action.text);
      if (index === null || action.append === true)
        return unwritable(DIALECT, 'typing at a point or at the end of a text');
      return `BROWSER_TYPE(${index}, ${quoteText(action.text)})`;
    }
    case 'type':
      allowFields(DIALECT, action, ['text']);
      return call('TYPE', action.text);
    case 'press':
      allowFields(DIALECT, action, ['key', 'target']);
      if (!reachesFocus(action, previous, context)) return unwritable(DIALECT, 'key for an element without the focus');
      return call('PRESS_KEY', action.key);
    case 'scroll':
      allowFields(DIALECT, action, ['by']);
      if (!action.by?.y || action.by.x) return unwritable(DIALECT, 'such scroll');
      return `SCROLL(${-action.by.y / 100})`;
    case 'wait':
      return `WAIT(${action.seconds})`;
    case 'openApp':
      allowFields(DIALECT, action, ['app']);
      return call('OPEN_APP', action.app);
    case 'switchWindow':
    case 'switchTab':
      return call('FOCUS_APP', focusName(DIALECT, action, context));
    case 'selectMenuItem':
      allowFields(DIALECT, action, ['items']);
      return call('SELECT_MENU', ...menuTexts(action.items));
    case 'fillFileDialog':
      allowFields(DIALECT, action, ['path']);
      return call('FILE_DIALOG', action.path);
    default:
      return unwritable(DIALECT, `action \`${action.action}\``);
  }
}

/** One path, or a list of names if a name has the separator of a path. @throws UnwritableAction */
function menuTexts(items: readonly string[]): readonly string[] {
  const path = items.join(' > ');
  const parsed = toMenuItems(path);
  if (Array.isArray(parsed) && JSON.stringify(parsed) === JSON.stringify(items)) return [path];
  return items.length > 1 ? items : unwritable(DIALECT, 'menu with the name of a path');
}

/** The one name by which the parser finds a window or a tab. @throws UnwritableAction if it would find another one */
export function focusName(
  dialect: string,
  action: Extract<Action, { action: 'switchWindow' | 'switchTab' }>,
  { surface }: WriteContext,
): string {
  const names = fieldsOfAction(action).map((field) => action[field as keyof typeof action] as unknown);
  const [name] = names;
  if (names.length !== 1 || typeof name !== 'string') return unwritable(dialect, `such \`${action.action}\``);
  const parsed = focusApp(action.action, name, { surface, focused: null, image: null, secrets: [] });
  const isSame = parsed.kind === 'act' && JSON.stringify(parsed.action) === JSON.stringify(action);
  return isSame ? name : unwritable(dialect, `such \`${action.action}\``);
}
