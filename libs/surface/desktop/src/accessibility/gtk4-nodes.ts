import { isInside, type Rectangle } from '../x/rectangle.ts';
import { moveNode, type AccessibleNode } from './accessible-node.ts';

/** GTK 4 names an object without a name after its class, e.g. `GtkMenuButton`, `EditorSourceView`. */
const CLASS_NAME = /^(?:Gtk|Adw)[A-Z]|^(?:[A-Z][a-z]+){2,}(?:View|Bar|Button|Box|Popover|Window|Page|Entry)$/;

const MAX_CLASS_NAME_CHARACTERS = 60;

/**
 * Converts the coordinates of a window of GTK 4 to screen pixels. GTK 4 reports them relative to the content area, and in a popover relative
 * to its button. A popover is a separate window. Without a compositor the window has a border.
 * @param nodes the frame first, a parent before its children
 * @param popups windows on the screen that the window manager does not control
 */
export function alignGtk4Nodes(
  nodes: readonly AccessibleNode[],
  window: Rectangle,
  popups: readonly Rectangle[],
): AccessibleNode[] {
  const frame = nodes[0]?.extents;
  if (!frame) return [];
  const x = window.x + Math.max(0, Math.round((window.width - frame.width) / 2));
  const y = window.y + Math.max(0, Math.round((window.height - frame.height) / 2));
  let popover: { readonly extents: Rectangle; readonly dx: number; readonly dy: number } | null = null;
  return nodes.map((node) => {
    const { extents } = node;
    if (popover && !isInside(extents, popover.extents)) popover = null;
    const popup = popups.find(({ width, height }) => width === extents.width && height === extents.height);
    if (popup && !popover) popover = { extents, dx: popup.x - extents.x, dy: popup.y - extents.y };
    const named = { ...node, name: isClassName(node.name) ? '' : node.name };
    return popover ? moveNode(named, popover.dx, popover.dy) : moveNode(named, x, y);
  });
}

const isClassName = (name: string): boolean => name.length <= MAX_CLASS_NAME_CHARACTERS && CLASS_NAME.test(name);
