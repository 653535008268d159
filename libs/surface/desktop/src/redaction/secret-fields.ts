import type { AccessibilityBus, AccessibleRef } from '../accessibility/accessibility-bus.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import { ariaRoleOf, isPasswordField, textFieldRoles } from '../accessibility/roles.ts';
import type { SheetCells } from '../accessibility/sheet-cells.ts';
import { isInside, type Rectangle } from '../x/rectangle.ts';
import type { BrowserPages } from '../chromium/browser-pages.ts';
import { observeWindow } from '../observation/observe-window.ts';
import type { Session } from '../process/start-session.ts';

/** Milliseconds for each of two reads of the window. */
const READ_DEADLINE_MS = 1_000;

/** Pixels by which the two reads of one field may differ. */
const TOLERANCE_PX = 4;

/**
 * All references of a field that receives a secret. A page field has two references: one of the debugging pipe and one of the accessibility
 * bus. Elements use the pipe reference. Redaction of screenshots uses the bus reference.
 */
export async function referencesOf(
  session: Pick<Session, 'windows' | 'ping' | 'timers'>,
  accessibility: { readonly bus: AccessibilityBus; readonly sheets: SheetCells },
  pages: BrowserPages,
  field: AccessibleRef,
): Promise<readonly AccessibleRef[]> {
  const window = await session.windows.active();
  if (!window || !pages.has(window.pid)) return [field];
  const reads = await Promise.all(
    [pages, null].map((pageReader) =>
      observeWindow(session, accessibility, READ_DEADLINE_MS, window.id, { pages: pageReader }),
    ),
  );
  const nodes = reads.flatMap((tree) => tree.nodes);
  const known = nodes.find(({ bus, path }) => bus === field.bus && path === field.path);
  if (!known) return [field];
  const same = nodes.filter((node) => isField(node) && isSamePlace(node.extents, known.extents));
  return [field, ...same.map(({ bus, path }) => ({ bus, path }))];
}

const isField = (node: AccessibleNode): boolean =>
  isPasswordField(node) || textFieldRoles.has(node.page?.role ?? ariaRoleOf(node.role) ?? '');

const isSamePlace = (first: Rectangle, second: Rectangle): boolean =>
  isInside(first, second, TOLERANCE_PX) && isInside(second, first, TOLERANCE_PX);
