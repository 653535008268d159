import type { Reading } from '../move.ts';
import { actionMove, type MoveOrProblem } from '../vocabulary.ts';
import { openingApp } from './app.ts';
import { readingOf, unreadable } from './calls.ts';
import { argumentsOf, callsInText, type TextCall } from './calls-in-text.ts';
import { chordOf } from './keys.ts';
import { distanceOf, placeOf, toNumber, type Sight } from './place.ts';
import { thoughtAndAction } from './thought-action.ts';

/*
 * EchoPrism: `Thought: ...` and in a line of its own `Action: Click(500, 300)`. Places are thousandths of the image.
 */

const problem = (sentence: string): MoveOrProblem => ({ kind: 'problem', problem: sentence });

/** Names of arguments, by action. */
const forms: Readonly<Record<string, readonly string[]>> = {
  Click: ['x', 'y'],
  RightClick: ['x', 'y'],
  DoubleClick: ['x', 'y'],
  Drag: ['x1', 'y1', 'x2', 'y2'],
  Scroll: ['x', 'y', 'direction'],
  Type: ['content'],
  Wait: ['seconds'],
  PressKey: ['key'],
  OpenApp: ['appName'],
  FocusApp: ['appName'],
  Navigate: ['url'],
  SelectOption: ['selector', 'value'],
  Hover: ['x', 'y'],
  WaitForElement: ['selector'],
  Finished: ['content'],
  CallUser: [],
};

/** Whether a text is of this dialect. */
export const isEchoPrism = (text: string): boolean => {
  const found = thoughtAndAction(text);
  const name = found && /^(\w+)\s*\(/.exec(found.action)?.[1];
  return name !== undefined && name !== null && (Object.hasOwn(forms, name) || name === 'Hotkey');
};

/** Reads an answer. Never throws. */
export function readEchoPrism(text: string, sight: Sight): Reading {
  const found = thoughtAndAction(text);
  if (!found) return unreadable(text, 'There is no `Action:`');
  const calls = callsInText(found.action);
  if (!calls) return unreadable(found.thought, 'The action cannot be read; write e.g. `Action: Click(500, 300)`');
  return readingOf(
    found.thought,
    calls.map((call) => moveOf(call, found.thought, sight)),
  );
}

function moveOf(call: TextCall, thought: string, { focused }: Sight): MoveOrProblem {
  if (call.name === 'Hotkey') return pressing(call.args.map(({ value }) => value));
  const form = Object.hasOwn(forms, call.name) ? forms[call.name] : undefined;
  const args = form && argumentsOf(call, form);
  if (!args) return problem(`${call.name.slice(0, 60)} is not an action, or has other arguments`);
  const place = placeOf(args['x'], args['y']);
  const at = (fields: object) =>
    place ? actionMove({ ...fields, target: place }) : problem(`${call.name}: a place has x and y from 0 to 1000`);
  switch (call.name) {
    case 'Click':
      return at({ action: 'click' });
    case 'RightClick':
      return at({ action: 'click', button: 'right' });
    case 'DoubleClick':
      return at({ action: 'click', count: 2 });
    case 'Hover':
      return at({ action: 'hover' });
    case 'Drag': {
      const [from, to] = [placeOf(args['x1'], args['y1']), placeOf(args['x2'], args['y2'])];
      return from && to ? actionMove({ action: 'drag', target: from, to }) : problem('Drag: two places from 0 to 1000');
    }
    case 'Scroll': {
      const by = distanceOf(args['direction']);
      return by ? at({ action: 'scroll', by }) : problem('Scroll: a direction is up, down, left or right');
    }
    case 'Type':
      return focused === null
        ? problem('Type: nothing has the focus; click a field first')
        : actionMove({ action: 'type', target: { element: focused }, text: args['content'], append: true });
    case 'Wait':
      return actionMove({ action: 'wait', seconds: toNumber(args['seconds']) });
    case 'PressKey':
      return pressing([args['key'] ?? '']);
    case 'Navigate':
      return actionMove({ action: 'navigate', url: args['url'] });
    case 'SelectOption':
      return actionMove({ action: 'select', target: { css: args['selector'] }, option: args['value'] });
    case 'WaitForElement':
      return actionMove({ action: 'waitFor', condition: { visible: { css: args['selector'] } } });
    case 'OpenApp':
    case 'FocusApp':
      return openingApp(call.name, args['appName']);
    case 'Finished':
      return { kind: 'done', claim: { answer: (args['content'] ?? thought) || null, anchor: null, indicators: [] } };
    default:
      return { kind: 'ask', question: thought === '' ? 'The agent asks for help' : thought };
  }
}

function pressing(keys: readonly string[]): MoveOrProblem {
  const chord = chordOf(keys);
  return chord === null ? problem('A key is not known') : actionMove({ action: 'press', key: chord });
}
