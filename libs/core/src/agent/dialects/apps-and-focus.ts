import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { surfaceTraits } from '../../surface/surface-traits.ts';
import { toAppId, type AnswerContext } from '../tools/action-arguments.ts';
import { planAction, type PlannedActionOrProblem } from '../tools/tool-calls.ts';

/* Calls of text dialects that mean different actions on each surface: applications, and typing into the focus. */

const BROWSER_NAMES =
  /^(?:the )?(?:(?:web|internet) ?)?(?:browser|(?:google ?)?chrome|chromium|(?:mozilla ?)?firefox|safari|(?:microsoft ?)?edge)(?: ?browser)?$/i;

/** A URL, or the beginning of one. */
const URL_PATTERN = /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)+(?:[/:]\S*)?)$/i;

/** Converts starting an application. On a surface with pages it means a tab, and the browser itself is always in front. */
export function openApp(action: string, name: string | undefined, { surface }: AnswerContext): PlannedActionOrProblem {
  const app = name?.trim() ?? '';
  if (app === '') return missingName(action);
  return surfaceTraits[surface].isPaged ? openTab(app) : planAction({ action: 'openApp', app: toAppId(app) });
}

/** Converts bringing an application to the front: by its id, or by a part of the title of its window. */
export function focusApp(action: string, name: string | undefined, { surface }: AnswerContext): PlannedActionOrProblem {
  const app = name?.trim() ?? '';
  if (app === '') return missingName(action);
  return surfaceTraits[surface].isPaged ? openTab(app) : planAction({ action: 'switchWindow', ...windowNamed(app) });
}

const missingName = (action: string): PlannedActionOrProblem => ({
  kind: 'problem',
  problem: `${action}: missing the application name`,
});

/** Application ids have no blanks, so a name with blanks is a title. */
const windowNamed = (name: string) => (/\s/.test(name) ? { window: name } : { app: name });

function openTab(app: string): PlannedActionOrProblem {
  if (BROWSER_NAMES.test(app)) return planAction({ action: 'wait', seconds: 0 });
  return planAction({ action: 'switchTab', ...(URL_PATTERN.test(app) ? { url: app } : { title: app }) });
}

/**
 * Converts typing into the focused element. A browser appends to the focused field of the list, and types at the caret of another one; a
 * desktop types at the caret.
 * @returns a problem if no field of a browser has the focus
 */
export function typeIntoFocus(action: string, text: unknown, context: AnswerContext): PlannedActionOrProblem {
  const target = focusTarget(context);
  if (surfaceTraits[context.surface].typesAtFocus || (!target && context.hasUnlistedField))
    return planAction({ action: 'type', text });
  return target
    ? planAction({ action: 'fill', target, text, append: true })
    : { kind: 'problem', problem: `${action}: no field has the focus. Click a field first.` };
}

/** Locator of the focused element; null: no focus, or the surface sends keys to the focus. */
export const focusTarget = ({ surface, focused }: AnswerContext): Locator | null =>
  surfaceTraits[surface].typesAtFocus || focused === null ? null : { elementIndex: focused };
