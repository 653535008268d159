import { assertNever, type Action, type Observation } from '@pilothouse/contract';
import { describeElement } from '../observation/words.ts';
import { actionSummary } from '../workflow/summary.ts';
import type { PlannedAction } from './move.ts';
import { actionPoint } from './page.ts';

/** An action for people, its element by what it is called on the page. */
export function actionTitle(action: Action, seen: Observation | null): string {
  return actionSummary(action).replace(/\belement (\d+)\b/g, (whole, index: string) => {
    const element = seen?.elements.find((one) => one.index === Number(index));
    return element ? `[${index}] ${describeElement(element)}` : whole;
  });
}

/** A move in a line. */
export function plannedActionTitle(move: PlannedAction, seen: Observation | null): string {
  switch (move.kind) {
    case 'act':
      return `${actionTitle(move.action, seen)}${move.what && actionPoint(move.action) ? ` (“${move.what}”)` : ''}`;
    case 'read':
      return 'Read the whole page';
    case 'see':
      return 'Look at a picture of the page';
    case 'analyse':
      return move.question === null ? 'Have a picture described' : `Look at a picture: ${move.question}`;
    case 'store':
      return `Keep ${move.key}`;
    case 'replan':
      return `Look for another way: ${move.reason}`;
    case 'done':
      return 'Say that the goal is met';
    case 'fail':
      return `Give up: ${move.reason}`;
    case 'ask':
      return `Ask: ${move.question}`;
    default:
      return assertNever(move);
  }
}
