import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { Rectangle } from '../x/rectangle.ts';
import { deduplicateElements } from './element-deduplication.ts';
import { ariaRoleOf, atspiRoles, isInteractiveRole } from './roles.ts';
import { hasState } from './states.ts';
import type { AccessibleNode, DesktopElement, PageFacts } from './accessible-node.ts';
import { unnamedControls } from './unnamed-controls.ts';

/** Characters of a name or value in the list. */
const MAX_TEXT_CHARACTERS = 500;

const MAX_DESCRIPTION_CHARACTERS = 300;

/** Characters of a text that labels a field. */
const MAX_LABEL_CHARACTERS = 60;

/** Pixels between a field and the text that labels it. */
const MAX_LABEL_DISTANCE_PX = 160;

const toggleRoles: ReadonlySet<string> = new Set(['checkbox', 'menuitemcheckbox', 'menuitemradio', 'radio']);

/** Numbers elements. A number stays with its object until another window becomes active. */
export class ElementList {
  #indexes = new Map<string, number>();
  #elements = new Map<number, DesktopElement>();
  #windowId: number | null = null;
  #document = 0;
  #nextIndex = 0;
  /** Elements that left the tree, by role, name and bounds. */
  #removedElements = new Map<string, DesktopElement>();

  /** Number of active windows so far. */
  get document(): number {
    return Math.max(1, this.#document);
  }

  /** Converts objects of the active window to elements. */
  update(windowId: number, nodes: readonly AccessibleNode[], screen: Rectangle): DesktopElement[] {
    if (this.#windowId !== windowId) {
      this.#windowId = windowId;
      this.#document += 1;
      this.#indexes = new Map();
      this.#elements = new Map();
      this.#nextIndex = 0;
    }
    this.#collectRemoved(nodes);
    const labels = nodes.filter(
      ({ role, name }) => ariaRoleOf(role) === 'text' && name.trim() !== '' && name.length <= MAX_LABEL_CHARACTERS,
    );
    const unnamed = unnamedControls(nodes.filter(({ page }) => page === undefined));
    const read = nodes.flatMap((node) => {
      const element = node.page
        ? this.#pageElement(node, node.page, screen)
        : this.#element(node, screen, labels, unnamed.has(node));
      return element ? [element] : [];
    });
    // The list of a page repeats nothing.
    const isOfPage = ({ node }: DesktopElement) => node.page !== undefined;
    const elements = [
      // A button without a name may only group others, so that it is named when these are known.
      ...deduplicateElements(read.filter((element) => !isOfPage(element))).map((element) => {
        const fallbackName = unnamed.get(element.node);
        return fallbackName === undefined ? element : { fallbackName, ...element };
      }),
      ...read.filter(isOfPage),
    ];
    this.#elements = new Map(elements.map((element) => [element.index, element]));
    return elements;
  }

  /** Element of the last list; undefined: its number is unknown. */
  get(index: number): DesktopElement | undefined {
    return this.#elements.get(index);
  }

  #collectRemoved(nodes: readonly AccessibleNode[]): void {
    const keys = new Set(nodes.map(keyOf));
    const removed = [...this.#elements.values()].filter(({ node }) => !keys.has(keyOf(node)));
    this.#removedElements = new Map(
      removed.map((element) => [signatureOf(element.role, element.name, element.bounds), element]),
    );
  }

  /**
   * Number of an element that looked the same, if its object is removed. Qt makes new objects for the same headers and cells at each read.
   */
  #reuseRemovedIndex(signature: string): number | undefined {
    const element = this.#removedElements.get(signature);
    if (!element) return undefined;
    this.#removedElements.delete(signature);
    this.#indexes.delete(keyOf(element.node));
    return element.index;
  }

  #pageElement(node: AccessibleNode, { point: _point, ...facts }: PageFacts, screen: Rectangle): DesktopElement | null {
    const bounds = visiblePart(node.extents, screen);
    if (bounds === null) return null;
    const index = this.#indexes.get(keyOf(node)) ?? this.#nextIndex;
    this.#nextIndex = Math.max(this.#nextIndex, index + 1);
    this.#indexes.set(keyOf(node), index);
    const { name, value } = node;
    const hasSecret = node.role === atspiRoles.passwordText && value !== undefined && value !== '';
    return {
      ...{ node, index, ...facts, name, bounds },
      ...(hasSecret ? { secret: true as const } : value !== undefined && { value }),
    };
  }

  /** @param isUnnamedControl true for a button without a name, which may be an image */
  #element(
    node: AccessibleNode,
    screen: Rectangle,
    labels: readonly AccessibleNode[],
    isUnnamedControl: boolean,
  ): DesktopElement | null {
    const listBoxLabel = isUnnamedControl && isWideToggle(node) ? labelOf(node, labels) : undefined;
    const role = listBoxLabel !== undefined ? 'combobox' : isUnnamedControl ? 'button' : roleOf(node);
    const bounds = visiblePart(node.extents, screen);
    if (role === null || bounds === null) return null;
    const isControl = isInteractiveRole(role) && (role !== 'listitem' || isChoice(node));
    // The caret can be put into a paragraph of a document. An empty one is listed only if the caret is there.
    const isEditableParagraph = node.role === atspiRoles.paragraph && hasState(node.states, 'editable');
    // A text that is no control has its content as its name.
    const name = node.name.trim() || (isControl ? '' : (node.value ?? '').trim());
    const value = isControl ? node.value : undefined;
    if (!isControl && name === '' && !(isEditableParagraph && hasState(node.states, 'focused'))) return null;
    // The name of a list box in a dialog of GTK is its selected entry.
    const hasOwnName = name !== '' && !(role === 'combobox' && name === node.value?.trim());
    const label = isControl && !hasOwnName ? fallbackNameOf(node, role, labels) : undefined;
    const key = keyOf(node);
    const index = this.#indexes.get(key) ?? this.#reuseRemovedIndex(signatureOf(role, name, bounds)) ?? this.#nextIndex;
    this.#nextIndex = Math.max(this.#nextIndex, index + 1);
    this.#indexes.set(key, index);
    const isSecret = node.role === atspiRoles.passwordText;
    return {
      node,
      index,
      interactive: isControl || isEditableParagraph,
      role,
      name: name.slice(0, MAX_TEXT_CHARACTERS),
      ...(name.length > MAX_TEXT_CHARACTERS && { length: name.length }),
      ...(label !== undefined && { fallbackName: label }),
      ...descriptionOf(node, name || (label ?? '')),
      ...(isSecret && value ? { secret: true as const } : {}),
      ...(!isSecret && value !== undefined && { value: value.slice(0, MAX_TEXT_CHARACTERS) }),
      state: stateOf(node, role),
      tags: [],
      bounds,
    };
  }
}

const keyOf = ({ bus, path, key }: AccessibleNode): string => `${bus}${key ?? path}`;

const signatureOf = (role: string, name: string, { x, y, width, height }: Rectangle): string =>
  JSON.stringify([role, name, x, y, width, height]);
/** True if an entry of a list can be chosen. Entries of lists in a text cannot. */
const isChoice = ({ states }: AccessibleNode): boolean =>
  hasState(states, 'selectable') || hasState(states, 'focusable');

/** An icon that can be chosen is an entry of a list, e.g. of files. */
const roleOf = (node: AccessibleNode): string | null =>
  node.role === atspiRoles.icon && isChoice(node) ? 'listitem' : ariaRoleOf(node.role);

function stateOf({ states, role: atspiRole }: AccessibleNode, role: string): ElementView['state'] {
  const isDisabled = !hasState(states, 'enabled') && !hasState(states, 'sensitive');
  return {
    ...(toggleRoles.has(role) && {
      checked: hasState(states, 'indeterminate') ? 'mixed' : hasState(states, 'checked'),
    }),
    ...(atspiRole === atspiRoles.toggleButton && {
      pressed: hasState(states, 'checked') || hasState(states, 'pressed'),
    }),
    ...(isDisabled && { disabled: true as const }),
    ...(hasState(states, 'expandable') && { expanded: hasState(states, 'expanded') }),
    ...(hasState(states, 'selected') && { selected: true }),
    ...(hasState(states, 'focused') && { focused: true as const }),
    ...(role === 'textbox' && !hasState(states, 'editable') && { readonly: true as const }),
  };
}

/** The description of an object, if it says more than its name. */
function descriptionOf({ description = '' }: AccessibleNode, name: string): Pick<ElementView, 'description'> {
  const text = description.trim().slice(0, MAX_DESCRIPTION_CHARACTERS);
  return text === '' || name.toLowerCase().includes(text.toLowerCase()) ? {} : { description: text };
}

/** Fallback name: the label or description of the element, or for a field the adjacent text. */
const fallbackNameOf = (node: AccessibleNode, role: string, labels: readonly AccessibleNode[]): string | undefined =>
  (node.label ?? node.description)?.trim().replace(/:$/, '').slice(0, MAX_TEXT_CHARACTERS) ??
  (labelledRoles.has(role) ? labelOf(node, labels) : undefined);

/** Roles of fields, whose label may only lie beside them. */
const labelledRoles: ReadonlySet<string> = new Set(['textbox', 'combobox', 'spinbutton', 'slider']);

/** Width of a list box as a multiple of its height. */
const MIN_LIST_BOX_RATIO = 3;

/** True for the shape of a list box. Those of LibreOffice's dialogs are published as toggle buttons without a name. */
const isWideToggle = ({ role, extents: { width, height } }: AccessibleNode): boolean =>
  role === atspiRoles.toggleButton && width >= MIN_LIST_BOX_RATIO * height;

/** Text to the left of a field, else above it. */
function labelOf({ extents }: AccessibleNode, labels: readonly AccessibleNode[]): string | undefined {
  const middle = extents.y + extents.height / 2;
  const candidates = labels.flatMap(({ name, extents: label }) => {
    const isBeside = Math.abs(label.y + label.height / 2 - middle) <= extents.height / 2;
    const left = extents.x - (label.x + label.width);
    if (isBeside && left >= -4 && left <= MAX_LABEL_DISTANCE_PX) return [{ name, distance: left }];
    const above = extents.y - (label.y + label.height);
    const isAbove =
      above >= -4 && above <= 40 && label.x < extents.x + extents.width && label.x + label.width > extents.x;
    return isAbove ? [{ name, distance: 200 + above }] : [];
  });
  candidates.sort((first, second) => first.distance - second.distance);
  return candidates[0]?.name.trim().replace(/:$/, '');
}

/** The part of a rectangle on the screen; null if it does not exist. */
function visiblePart(extents: Rectangle, screen: Rectangle): Rectangle | null {
  const x = Math.max(extents.x, screen.x);
  const y = Math.max(extents.y, screen.y);
  const right = Math.min(extents.x + extents.width, screen.x + screen.width);
  const bottom = Math.min(extents.y + extents.height, screen.y + screen.height);
  // Toolkits place hidden parts at -1 or at -2^31, one pixel in size.
  return right - x > 1 && bottom - y > 1 ? { x, y, width: right - x, height: bottom - y } : null;
}
