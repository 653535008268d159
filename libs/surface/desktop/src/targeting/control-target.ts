import type { InputTarget, InputWindow } from '@pilothouse/core/ports/surface-action.port';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { atspiRoles, isPasswordField, textFieldRoles } from '../accessibility/roles.ts';
import { locatorsOf } from './element-locators.ts';
import type { ScreenPoint } from '../input/nut-input.ts';
import { isOfApp } from './window-match.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Height in pixels above which a text field has several lines, so that a click sets the caret. */
const MAX_LINE_HEIGHT_PX = 60;

/** Roles for which any point has the same effect. */
const POSITION_INDEPENDENT_ROLES: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'columnheader',
  'combobox',
  'gridcell',
  'link',
  'listitem',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'radio',
  'rowheader',
  'tab',
  'treeitem',
]);

/** Describes the element that received an input. @param point of a press; null: the input went to the focus */
export function inputTargetOf(
  element: DesktopElement | undefined,
  elements: readonly DesktopElement[],
  point: ScreenPoint | null = null,
): InputTarget | null {
  if (!element) return null;
  const { role, bounds, value = '', node } = element;
  const isLine = role === 'textbox' && bounds.height <= MAX_LINE_HEIGHT_PX;
  const isSecret = isPasswordField(node);
  const isEmptyField =
    textFieldRoles.has(role) && node.role !== atspiRoles.terminal && (isSecret ? !element.secret : value === '');
  return {
    locators: locatorsOf(element, elements),
    isSecret,
    textAction: isEmptyField ? 'fill' : 'type',
    ...(point !== null &&
      !isLine &&
      !POSITION_INDEPENDENT_ROLES.has(role) && {
        position: { x: Math.round(point.x - bounds.x), y: Math.round(point.y - bounds.y) },
      }),
  };
}

/** Elements nest: returns the smallest one at a point. */
export function smallestAt(elements: readonly DesktopElement[], { x, y }: ScreenPoint): DesktopElement | undefined {
  const area = ({ bounds }: DesktopElement) => bounds.width * bounds.height;
  return elements
    .filter(
      ({ bounds }) => x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height,
    )
    .toSorted((first, second) => area(first) - area(second))[0];
}

/** Describes a window by its application, and by its title if the application has several. */
export function inputWindowOf(window: WindowFacts, windows: readonly WindowFacts[]): InputWindow {
  const { id, appId: app, title, isActive } = window;
  const isAlone = app !== '' && windows.filter((openWindow) => isOfApp(openWindow, app)).length <= 1;
  return { id, app, title: isAlone ? null : title, isActive };
}
