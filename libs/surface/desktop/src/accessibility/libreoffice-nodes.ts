import { isInside } from '../x/rectangle.ts';
import type { Extents } from './accessibility-bus.ts';
import { moveNode, type AccessibleNode } from './accessible-node.ts';
import { atspiRoles } from './roles.ts';

/** Pixels by which the size of a GTK widget differs from the object that holds it, e.g. in the tab bar of a sheet. */
const WIDGET_TOLERANCE_PX = 2;

/**
 * Corrects the nodes of LibreOffice with its GTK plug-in. Coordinates of LibreOffice's own objects omit the height of the menu bar.
 * Coordinates of GTK widgets are correct. The hidden copy of the menu bar is left out.
 * @param nodes in document order, a parent before its children
 */
export function alignLibreOfficeNodes(nodes: readonly AccessibleNode[]): AccessibleNode[] {
  const paneIndex = nodes.findIndex(({ role }) => role === atspiRoles.rootPane);
  const pane = nodes[paneIndex]?.extents;
  const host = nodes[paneIndex - 1]?.extents;
  if (!pane || !host || host.width !== pane.width || host.height !== pane.height) return [...nodes];
  const [dx, dy] = [host.x - pane.x, host.y - pane.y];
  const aligned = nodes.slice(0, paneIndex);
  let widget: Extents | null = null;
  let isInMenuBar = false;
  for (const [offset, node] of nodes.slice(paneIndex).entries()) {
    const { role, extents } = node;
    if (role === atspiRoles.menuBar) isInMenuBar = true;
    else if (!menuRoles.has(role)) isInMenuBar = false;
    if (isInMenuBar) continue;
    const parent = nodes[paneIndex + offset - 1]?.extents;
    if (widget && !isInside(extents, widget)) widget = null;
    // A widget of GTK lies on the object that holds it.
    if (!widget && dy !== 0 && parent && isMovedBy(parent, extents, dx, dy)) widget = extents;
    aligned.push(widget ? node : moveNode(node, dx, dy));
  }
  return aligned;
}

/** Converts the items of a status bar to buttons. LibreOffice publishes them as labels, but each reacts to clicks. */
export function namedStatusItems(nodes: readonly AccessibleNode[]): AccessibleNode[] {
  const bars = nodes.filter(({ role }) => role === atspiRoles.statusBar);
  return nodes.map((node) => {
    const { value = '', ...item } = node;
    const isItem = item.role === atspiRoles.label && bars.some(({ extents }) => isInside(item.extents, extents));
    return isItem && value.trim() !== '' ? { ...item, role: atspiRoles.button, name: value } : node;
  });
}

/** Pixels by which a panel may be higher than the field that it names. */
const MAX_PANEL_MARGIN_PX = 16;

/** A cell or a range of cells, as the name box shows it. */
const CELL_RANGE = /^[A-Z]{1,3}[0-9]{1,7}(:[A-Z]{1,3}[0-9]{1,7})?$/;

/**
 * Labels fields without a name: by the named panel around them, such as `Font Size`. The name box of a sheet has no name anywhere. It is the
 * only field of a toolbar with the name of a cell.
 */
export function withFieldLabels(nodes: readonly AccessibleNode[]): AccessibleNode[] {
  const bars = nodes.filter(({ role }) => role === atspiRoles.toolBar);
  const panels = nodes.filter(({ role, name }) => role === atspiRoles.panel && name.trim() !== '');
  const labelOf = ({ extents, value = '' }: AccessibleNode): string | undefined => {
    const isAround = (panel: AccessibleNode) =>
      isInside(extents, panel.extents) && panel.extents.height <= extents.height + MAX_PANEL_MARGIN_PX;
    const panel = panels.find(isAround);
    if (panel) return panel.name;
    return CELL_RANGE.test(value) && bars.some((bar) => isInside(extents, bar.extents)) ? 'Name Box' : undefined;
  };
  return nodes.map((node) => {
    const isField = node.role === atspiRoles.text || node.role === atspiRoles.entry;
    const label = isField && node.name.trim() === '' && node.label === undefined ? labelOf(node) : undefined;
    return label === undefined ? node : { ...node, label };
  });
}

/** Width of the arrow on a toolbar button with a menu, as a share of a button's width without one. */
const ARROW_WIDTH = { min: 0.25, max: 0.5 };

/** Key of a toolbar button's arrow. @param path of the button */
export const toolbarMenuKey = (path: string): string => `${path}#menu`;

/** Adds the arrow of each toolbar button that has a menu. LibreOffice publishes both parts as one button, which is wider than others. */
export function withToolbarMenus(nodes: readonly AccessibleNode[]): AccessibleNode[] {
  const bars = nodes.filter(({ role }) => role === atspiRoles.toolBar);
  const isInBar = ({ extents }: AccessibleNode, bar: AccessibleNode) => isInside(extents, bar.extents);
  const widths = new Map(
    bars.map((bar) => [bar, commonWidth(nodes.filter((node) => isBarButton(node) && isInBar(node, bar)))]),
  );
  return nodes.flatMap((node) => {
    const bar = node.role === atspiRoles.button ? bars.find((each) => isInBar(node, each)) : undefined;
    const width = bar && widths.get(bar);
    if (!width) return [node];
    const { extents, name } = node;
    const arrow = extents.width - width;
    if (arrow < ARROW_WIDTH.min * width || arrow > ARROW_WIDTH.max * width) return [node];
    const { value: _value, ...menu } = node;
    const place = { ...extents, x: extents.x + width, width: arrow };
    return [node, { ...menu, name: `${name} menu`, key: toolbarMenuKey(node.path), extents: place }];
  });
}

const isBarButton = ({ role }: AccessibleNode): boolean =>
  role === atspiRoles.button || role === atspiRoles.toggleButton;

/** Smallest width that at least two buttons have. */
function commonWidth(buttons: readonly AccessibleNode[]): number | undefined {
  const widths = buttons.map(({ extents }) => extents.width).toSorted((first, second) => first - second);
  return widths.find((width, index) => width > 0 && widths[index + 1] === width);
}

const menuRoles: ReadonlySet<number> = new Set([
  atspiRoles.menu,
  atspiRoles.menuItem,
  atspiRoles.checkMenuItem,
  atspiRoles.radioMenuItem,
]);

const isMovedBy = (start: Extents, end: Extents, dx: number, dy: number): boolean =>
  end.x - start.x === dx &&
  end.y - start.y === dy &&
  Math.abs(end.width - start.width) <= WIDGET_TOLERANCE_PX &&
  Math.abs(end.height - start.height) <= WIDGET_TOLERANCE_PX;
