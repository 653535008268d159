import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { ariaRoleOf, atspiRoles, ROLE_COUNT } from './roles.ts';
import { positionOf } from './sheet-cells.ts';

/** The objects that a caller of a read needs. A read may leave out all others, which a busy application lists too slowly. */
export interface ReadNeed {
  /** ARIA roles whose objects are needed; null: every role. An empty list needs the window only. */
  readonly roles: readonly string[] | null;
  /** Cells of a sheet: `all`, `none`, or the name of one cell, such as `B2`. */
  readonly cells: string;
}

/** Every object of a window. */
export const WHOLE_WINDOW: ReadNeed = { roles: null, cells: 'all' };

/** Roles that a label of a locator can find. */
export const FIELD_ROLES: readonly string[] = [
  'textbox',
  'searchbox',
  'combobox',
  'spinbutton',
  'slider',
  'checkbox',
  'radio',
  'switch',
];

/** Roles whose label may be a text beside them, or above. */
const LABELLED_ROLES: ReadonlySet<string> = new Set(['textbox', 'combobox', 'spinbutton', 'slider']);

/** The objects that a chain of locators can match, together with their anchors and containers. */
export function needOf(locators: readonly Locator[]): ReadNeed {
  const needs = locators.flatMap((locator) => [
    needOfLocator(locator),
    ...(locator.within ? [needOf([locator.within])] : []),
    ...(locator.near ? [needOf([locator.near])] : []),
  ]);
  const roles = needs.some((need) => need.roles === null) ? null : needs.flatMap((need) => need.roles ?? []);
  const cells = [...new Set(needs.map((need) => need.cells).filter((name) => name !== 'none'))];
  return {
    roles: roles && [...new Set(roles)],
    cells: cells.length === 0 ? 'none' : cells.length === 1 ? (cells[0] ?? 'all') : 'all',
  };
}

function needOfLocator({ role, name, label, exact, ...rest }: Locator): ReadNeed {
  if (role !== undefined) {
    // A text that repeats the name of an element is left out, which needs both.
    if (name === undefined || role === 'text') return { roles: null, cells: role === 'gridcell' ? 'all' : 'none' };
    const isOnlyCell = role === 'gridcell' && exact === true && positionOf(name) !== null;
    // A field may also be found by its label, which must be the only one.
    const roles = FIELD_ROLES.includes(role) ? FIELD_ROLES : [role];
    return { roles, cells: role === 'gridcell' ? (isOnlyCell ? name : 'all') : 'none' };
  }
  if (label !== undefined) return { roles: FIELD_ROLES, cells: 'none' };
  const isOnScreen = rest.screenText !== undefined || rest.image !== undefined || rest.point !== undefined;
  return isOnScreen ? { roles: [], cells: 'none' } : WHOLE_WINDOW;
}

/** Roles that no item of a list, table or tree has, and no element in one. */
const OUTER_ROLES: ReadonlySet<string> = new Set([
  'alert',
  'dialog',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'status',
  'tab',
  'tooltip',
]);

/** True if a needed object can be an item of a list, table or tree, or be in one. */
export const mayBeItem = ({ roles }: ReadNeed): boolean =>
  roles === null || roles.some((role) => !OUTER_ROLES.has(role));

/** AT-SPI roles that can become elements of the needed roles, with the texts that label them; null: every role. */
export function atspiRolesOf({ roles, cells }: ReadNeed): ReadonlySet<number> | null {
  if (roles === null) return null;
  const needed = new Set(roles);
  if (roles.some((role) => LABELLED_ROLES.has(role))) needed.add('text');
  const numbers = Array.from({ length: ROLE_COUNT }, (_, number) => number).filter((number) => {
    const role = ariaRoleOf(number);
    return role !== null && needed.has(role);
  });
  // A list box of a dialog can be a toggle button.
  if (needed.has('combobox')) numbers.push(atspiRoles.toggleButton);
  // A small image without a name is listed as a button.
  if (needed.has('button')) numbers.push(atspiRoles.image, atspiRoles.icon);
  // An icon can be an entry of a list. A field tells which cell of a sheet is active.
  if (needed.has('listitem')) numbers.push(atspiRoles.icon);
  if (cells !== 'none') numbers.push(atspiRoles.text, atspiRoles.entry);
  return new Set(numbers);
}
