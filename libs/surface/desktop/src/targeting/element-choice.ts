import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { textFieldRoles } from '../accessibility/roles.ts';
import { hasState } from '../accessibility/states.ts';
import { isSame, type ScreenMatch } from './element-match.ts';

/** Use of a target. `text`: it receives a text; `select`: its option is chosen; `check`: its state is set; `read`: it may be disabled. */
export type TargetUse = 'pointer' | 'text' | 'select' | 'check' | 'read';

/** Elements that the action can operate. They come before other matches. */
const isOperable: Readonly<Record<'text' | 'select' | 'check', (element: DesktopElement) => boolean>> = {
  text: (element) => isEditable(element),
  select: ({ role }) => role === 'combobox',
  check: ({ state }) => state.checked !== undefined,
};

/** Controls that a click presses, and that take no text. Widgets with another role may take one. */
const PRESSED_ROLES: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'link',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'radio',
  'switch',
  'tab',
]);

/**
 * Chooses the match of a locator for an action.
 * @param found all matches, in reading order, after `nth`
 * @returns null without a match; TARGET_AMBIGUOUS or TARGET_NOT_ACTIONABLE if no match can be used now
 */
export function chooseMatch(
  found: readonly ScreenMatch[],
  locator: Locator,
  use: TargetUse,
): ScreenMatch | PilothouseError | null {
  const matches = preferredMatches(found, locator, use);
  const [match] = matches;
  if (!match) return null;
  const description = describeLocator(locator);
  if (use === 'text' && matches.every(({ element }) => element !== null && isPressed(element)))
    return new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `${description} is a ${match.element?.role ?? 'control'}, which takes no text; give the field`,
    );
  if (matches.length > 1) {
    const suitable =
      matches.length < found.length
        ? `; ${matches.length} of them suit the action, \`nth\` counts all ${found.length}`
        : '';
    return new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${description} matches ${found.length} elements${suitable}; add \`nth\` or \`within\``,
      { details: { locator: description, count: found.length } },
    );
  }
  if (match.element?.state.disabled && use !== 'read')
    return new PilothouseError('TARGET_NOT_ACTIONABLE', `${description} is disabled`);
  // An unread cell has the reference of its table. A later read may reach the cell.
  if (use === 'text' && match.element?.node.isUnreadCell)
    return new PilothouseError('TARGET_NOT_ACTIONABLE', `${description} was not read in time; wait until it is shown`);
  return match;
}

/** Matches that the action can operate, those with the exact name first, then text fields. All matches if it can operate none. */
function preferredMatches(found: readonly ScreenMatch[], locator: Locator, use: TargetUse): readonly ScreenMatch[] {
  if (found.length < 2 || use === 'pointer' || use === 'read') return found;
  const operable = found.filter(({ element }) => element !== null && isOperable[use](element));
  const wanted = locator.name ?? locator.label ?? locator.text;
  const hasExactName = ({ element }: ScreenMatch) =>
    wanted !== undefined &&
    [element?.name, element?.fallbackName].some((name) => isSame(lower(name), lower(wanted), true));
  const exact = operable.filter(hasExactName);
  const candidates = exact.length > 0 ? exact : operable;
  const fields =
    use === 'text' ? candidates.filter(({ element }) => element !== null && textFieldRoles.has(element.role)) : [];
  return [fields, candidates, found].find(({ length }) => length > 0) ?? [];
}

const lower = (text = ''): string => text.toLowerCase();

/** True for a text field, a cell of a sheet, and any other object that declares an editable text. */
const isEditable = ({ role, node }: DesktopElement): boolean =>
  textFieldRoles.has(role) || hasState(node.states, 'editable') || (role === 'gridcell' && node.key !== undefined);

/** The screen parser calls every element that takes input a button. */
const isPressed = ({ role, node }: DesktopElement): boolean =>
  PRESSED_ROLES.has(role) && node.screenshotId === undefined && !hasState(node.states, 'editable');
