import type { TypeOptions } from '../session/session-protocol.ts';
import type { AccessibilityBus, AccessibleRef, Extents } from '../accessibility/accessibility-bus.ts';
import type { WindowList } from '../accessibility/active-frame.ts';
import { findFocusedField } from '../accessibility/focused-field.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { pidOfPageBus } from '../chromium/page-nodes.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { isSheet } from './cell-entry.ts';

/** Milliseconds to find the focused object, and for one call. A long step gives a part of its time. */
const FIND_TIMEOUT_MS = 2_000;
const CALL_TIMEOUT_MS = 1_000;
const PART_OF_STEP = 0.25;

/** Roles of the editor of a cell. In Calc, an open cell focuses a paragraph; otherwise the table has the focus, which is editable too. */
const editorRoles: ReadonlySet<number> = new Set([
  atspiRoles.paragraph,
  atspiRoles.entry,
  atspiRoles.text,
  atspiRoles.passwordText,
  atspiRoles.spinButton,
  atspiRoles.autocomplete,
]);
const tableRoles: ReadonlySet<number> = new Set([atspiRoles.tableCell, atspiRoles.table, atspiRoles.treeTable]);

/** Key to press before a text is typed, and whether the focused object is a cell. */
interface FieldEdit {
  /** Selects the text, or puts the caret at its end; null: no key is necessary. */
  readonly key: string | null;
  readonly isCell: boolean;
  /** True if the editor of the cell is open after the key. */
  readonly isOpen: boolean;
}

type EditedField = Pick<TypeOptions, 'text' | 'mode' | 'field' | 'fieldKind' | 'timeoutMs'>;

/**
 * Finds the key to press before a text. In a table, Ctrl+A selects the whole sheet or all files. It is therefore not pressed while a cell
 * has the focus.
 * @throws Error if the focused object cannot be read, or does not take this edit
 */
export async function editOf(
  { bus, windows }: { readonly bus: AccessibilityBus; readonly windows: WindowList },
  window: WindowFacts,
  { text, mode, field, fieldKind = 'text', timeoutMs }: EditedField,
): Promise<FieldEdit> {
  if (mode === 'insert') return { key: null, isCell: false, isOpen: false };
  const key = mode === 'append' ? 'Control+End' : 'Control+A';
  const isPageField = field !== null && pidOfPageBus(field.bus) !== null;
  if (fieldKind === 'text' || isPageField) return { key, isCell: false, isOpen: false };
  const limitMs = Math.max(FIND_TIMEOUT_MS, timeoutMs * PART_OF_STEP);
  const focused = await findFocusedField(bus, windows, window, limitMs);
  const role = focused.field && (await bus.role(focused.field, CALL_TIMEOUT_MS).catch(() => null));
  if (!focused.isRead || (focused.field && role === null))
    throw new Error('Nothing was typed: the program did not say in time what has the focus; wait until it answers');
  const isEditor = role !== null && editorRoles.has(role);
  if (isEditor && fieldKind === 'cell' && !(focused.field && field && (await isOver(bus, focused.field, field))))
    throw new Error('Nothing was typed: another field has the focus; press Enter or Escape there first');
  if (isEditor) {
    const isCell = fieldKind === 'cell' || (isSheet(window) && role === atspiRoles.paragraph);
    return { key, isCell, isOpen: isCell };
  }
  const isCell = fieldKind === 'cell' || isSheet(window) || (role !== null && tableRoles.has(role));
  if (isCell && !isSheet(window) && (mode === 'append' || text === ''))
    throw new Error('Nothing was typed: the cell is not being edited; open its editor, then type');
  if (isCell) return { key: mode === 'append' ? 'F2' : null, isCell, isOpen: mode === 'append' };
  // Without a field, Delete would erase the selected objects.
  if (text === '' && focused.isAccessible && !focused.field)
    throw new Error('Nothing was erased: no text field has the focus after the click; give the field as `target`');
  return { key, isCell, isOpen: false };
}

/** True if two objects share a pixel. False if a place is unknown. */
async function isOver(bus: AccessibilityBus, first: AccessibleRef, second: AccessibleRef): Promise<boolean> {
  const [place, otherPlace] = await placesOf(bus, first, second);
  return place !== null && otherPlace !== null && intersects(place, otherPlace);
}

/** True if two objects share no pixel. False if a place is unknown. */
export async function isApart(bus: AccessibilityBus, first: AccessibleRef, second: AccessibleRef): Promise<boolean> {
  const [place, otherPlace] = await placesOf(bus, first, second);
  return place !== null && otherPlace !== null && !intersects(place, otherPlace);
}

const placesOf = (bus: AccessibilityBus, first: AccessibleRef, second: AccessibleRef) => {
  const placeOf = (each: AccessibleRef) => bus.extents(each, CALL_TIMEOUT_MS).catch(() => null);
  return Promise.all([placeOf(first), placeOf(second)]);
};

const intersects = (first: Extents, second: Extents): boolean =>
  first.x < second.x + second.width &&
  second.x < first.x + first.width &&
  first.y < second.y + second.height &&
  second.y < first.y + first.height;
