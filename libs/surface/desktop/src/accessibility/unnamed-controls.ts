import { isInside, type Rectangle } from '../x/rectangle.ts';
import type { AccessibleNode } from './accessible-node.ts';
import { ariaRoleOf, atspiRoles, isInteractiveRole } from './roles.ts';

/** Sides of an image that may be a button, in pixels. Smaller ones are lines, and larger ones are images. */
const MIN_IMAGE_PX = 8;
const MAX_IMAGE_PX = 96;

const imageRoles: ReadonlySet<number> = new Set([atspiRoles.image, atspiRoles.icon]);

const buttonRoles: ReadonlySet<number> = new Set([atspiRoles.button, atspiRoles.toggleButton, atspiRoles.buttonMenu]);

/**
 * Buttons and small images without a name, label or description, with a name by their place in reading order: `unnamed button 2`. An image
 * in a button or another control is a part of it. A name depends only on other buttons and images, so that a read of buttons gives the same.
 */
export function unnamedControls(nodes: readonly AccessibleNode[]): ReadonlyMap<AccessibleNode, string> {
  const buttons = nodes.filter(({ role }) => buttonRoles.has(role));
  const controls = nodes.filter(({ role }) => isInteractiveRole(ariaRoleOf(role) ?? ''));
  const isIn = (node: AccessibleNode, outer: AccessibleNode) => outer !== node && isInside(node.extents, outer.extents);
  const unnamedButtons = buttons.filter(isUnnamed);
  const images = nodes.filter(
    (node) => isUnnamed(node) && isSmallImage(node) && !buttons.some((button) => isIn(node, button)),
  );
  const named = (kind: string, unnamed: readonly AccessibleNode[]) =>
    inReadingOrder(unnamed).map((node, index) => [node, `unnamed ${kind} ${index + 1}`] as const);
  const free = named('image', images).filter(([image]) => !controls.some((control) => isIn(image, control)));
  return new Map([...named('button', unnamedButtons), ...free]);
}

/** True for a name by place. */
export const isPlaceName = (name: string): boolean => /^unnamed (?:button|image) \d+$/.test(name);

/** True for an image without a name, which is listed as a button. It is addressed by its name by place only. */
export const isUnnamedImage = ({
  name,
  fallbackName = '',
}: {
  readonly name: string;
  readonly fallbackName?: string;
}): boolean => name === '' && /^unnamed image \d+$/.test(fallbackName);

const isUnnamed = ({ name, label = '', description = '', value = '' }: AccessibleNode): boolean =>
  [name, label, description, value].every((text) => text.trim() === '');

const isSmallImage = ({ role, extents: { width, height } }: AccessibleNode): boolean =>
  imageRoles.has(role) && [width, height].every((side) => side >= MIN_IMAGE_PX && side <= MAX_IMAGE_PX);

/** From top to bottom, and from left to right in a row. Nodes of a row may differ in height. */
function inReadingOrder(nodes: readonly AccessibleNode[]): AccessibleNode[] {
  const rows: AccessibleNode[][] = [];
  for (const node of nodes.toSorted((first, second) => first.extents.y - second.extents.y)) {
    const row = rows.at(-1);
    const isSameRow = row?.[0] !== undefined && isBeside(node.extents, row[0].extents);
    if (isSameRow) row.push(node);
    else rows.push([node]);
  }
  return rows.flatMap((row) => row.toSorted((first, second) => first.extents.x - second.extents.x));
}

/** True if the center of one is within the height of the other. */
const isBeside = (first: Rectangle, second: Rectangle): boolean =>
  isAtHeight(first, second) || isAtHeight(second, first);

const isAtHeight = ({ y, height }: Rectangle, outer: Rectangle): boolean =>
  y + height / 2 >= outer.y && y + height / 2 <= outer.y + outer.height;
