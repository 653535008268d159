import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibleRef, Extents } from './accessibility-bus.ts';
import type { StateSet } from './states.ts';

/** Facts of an element of a web page that accessible objects do not have. */
export interface PageFacts extends Omit<ElementView, 'index' | 'name' | 'value' | 'bounds' | 'secret' | 'locators'> {
  /** A point of the element that is not covered, in pixels of the screen. */
  readonly point: { readonly x: number; readonly y: number };
}

/** Facts of one accessible object. */
export interface AccessibleNode extends AccessibleRef {
  readonly role: number;
  readonly name: string;
  readonly states: StateSet;
  readonly extents: Extents;
  /** Text of a field or paragraph, at most 600 characters; of a password one dot for each character. */
  readonly value?: string;
  /** Text of its label, if it has no name. */
  readonly label?: string;
  readonly description?: string;
  /** Identity of an object whose path changes, e.g. a cell of a sheet. Default: its path. */
  readonly key?: string;
  /** True for a cell that was not read: its bus and path are those of its table. */
  readonly isUnreadCell?: true;
  /** Screenshot that the screen parser found the element in. */
  readonly screenshotId?: number;
  /** For an element that was read from a web page. */
  readonly page?: PageFacts;
}

/** An element of the list with its accessible object. */
export interface DesktopElement extends ElementView {
  readonly node: AccessibleNode;
}

/** Returns the node at another place. */
export const moveNode = (node: AccessibleNode, x: number, y: number): AccessibleNode =>
  x === 0 && y === 0 ? node : { ...node, extents: { ...node.extents, x: node.extents.x + x, y: node.extents.y + y } };
