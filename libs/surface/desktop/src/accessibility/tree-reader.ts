import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import type { AccessibleNode } from './accessible-node.ts';
import { collectionMatches } from './collection-matches.ts';
import { atspiRolesOf, mayBeItem, WHOLE_WINDOW, type ReadNeed } from './read-need.ts';
import type { ReadStrategy } from './read-strategy.ts';
import { ariaRoleOf, atspiRoles, isInteractiveRole } from './roles.ts';
import { isInside, type Rectangle } from '../x/rectangle.ts';
import { markActiveCell, type SheetCells } from './sheet-cells.ts';
import { hasState } from './states.ts';

/** Result of a read. */
export interface AccessibleTree {
  /** In document order, a parent before its children. */
  readonly nodes: readonly AccessibleNode[];
  /** Reason why objects are missing; null: all were read. */
  readonly incomplete: IncompleteReason | null;
}

/** Number of children above which they are not listed. */
const MAX_CHILDREN = 500;

/** Objects that one read returns at most. */
const MAX_NODES = 3_000;

const MAX_DEPTH = 60;

const MAX_VALUE_CHARACTERS = 600;

/** Roles whose text is a value. */
const valueRoles: ReadonlySet<number> = new Set([
  atspiRoles.entry,
  atspiRoles.text,
  atspiRoles.terminal,
  atspiRoles.spinButton,
  atspiRoles.autocomplete,
  atspiRoles.paragraph,
]);

/** Roles whose many children are items. */
const itemContainers: ReadonlySet<number> = new Set([
  atspiRoles.table,
  atspiRoles.treeTable,
  atspiRoles.tree,
  atspiRoles.list,
  atspiRoles.listBox,
]);

/** Parts of a frame that are read. */
export interface TreeOptions {
  /** Reads cells of sheets; null: they are left out. */
  readonly sheets?: SheetCells | null;
  /** Default: every object in view. */
  readonly need?: ReadNeed;
  /** Opened menus on the screen, which decide what GTK 2 shows of its menus. */
  readonly popups?: readonly Rectangle[];
  /** Paths of objects that are left out; only for the strategy `collection`. */
  readonly excluded?: ReadonlySet<string>;
}

/** Reads the objects in view below a frame. Returns the objects that were read by the deadline. */
export async function readTree(
  bus: AccessibilityBus,
  frame: AccessibleRef,
  strategy: ReadStrategy,
  deadlineMs: number,
  options: TreeOptions = {},
): Promise<AccessibleTree> {
  const reader = new TreeReader(bus, strategy, bus.timers.monotonic() + deadlineMs, options);
  return { nodes: await reader.read(frame), incomplete: reader.incomplete };
}

/** Reads the entries of an opened menu, without the rest of its window. */
export async function readMenu(
  bus: AccessibilityBus,
  menu: AccessibleRef,
  strategy: ReadStrategy,
  deadlineMs: number,
  popups: readonly Rectangle[],
): Promise<AccessibleTree> {
  const options = { need: { roles: null, cells: 'none' }, popups };
  const traversal = { ...strategy, method: 'traversal' as const };
  const { nodes, incomplete } = await readTree(bus, menu, traversal, deadlineMs, options);
  const isEntry = (node: AccessibleNode) => node.path !== menu.path && isInView(node, strategy, popups);
  return { nodes: nodes.filter(isEntry), incomplete };
}

/** True if an object is in view. An entry of a GTK 2 menu never has the state SHOWING: it is in view inside an opened menu. */
const isInView = (
  { role, states, extents }: AccessibleNode,
  { toolkit, visibleState }: ReadStrategy,
  popups: readonly Rectangle[],
): boolean =>
  hasState(states, visibleState) ||
  (toolkit === 'gtk2' &&
    menuEntryRoles.has(role) &&
    hasState(states, 'visible') &&
    popups.some((popup) => isInside(extents, popup, MENU_TOLERANCE_PX)));

/** Pixels by which an entry may extend beyond its menu. */
const MENU_TOLERANCE_PX = 4;

const menuEntryRoles: ReadonlySet<number> = new Set([
  atspiRoles.menu,
  atspiRoles.menuItem,
  atspiRoles.checkMenuItem,
  atspiRoles.radioMenuItem,
]);

class TreeReader {
  incomplete: IncompleteReason | null = null;
  #count = 0;
  readonly #bus: AccessibilityBus;
  readonly #sheets: SheetCells | null;
  readonly #need: ReadNeed;
  /** Null: every role. */
  readonly #roles: ReadonlySet<number> | null;
  readonly #strategy: ReadStrategy;
  readonly #deadline: number;
  readonly #excluded: ReadonlySet<string>;
  readonly #popups: readonly Rectangle[];

  constructor(
    bus: AccessibilityBus,
    strategy: ReadStrategy,
    deadline: number,
    { sheets = null, need = WHOLE_WINDOW, excluded = new Set(), popups = [] }: TreeOptions,
  ) {
    this.#popups = popups;
    this.#bus = bus;
    this.#sheets = sheets;
    this.#need = need;
    this.#roles = atspiRolesOf(need);
    this.#strategy = strategy;
    this.#deadline = deadline;
    this.#excluded = excluded;
  }

  get #remainingMs(): number {
    return this.#deadline - this.#bus.timers.monotonic();
  }

  async read(frame: AccessibleRef): Promise<AccessibleNode[]> {
    if (this.#strategy.method === 'collection') return this.#readMatches(frame);
    const nodes = await this.#walk(frame, 0);
    // The last texts may be missing.
    if (this.#remainingMs <= 0) this.incomplete = 'timeout';
    return this.#strategy.toolkit === 'libreoffice' ? markActiveCell(this.#bus, nodes, () => this.#remainingMs) : nodes;
  }

  async #readMatches(frame: AccessibleRef): Promise<AccessibleNode[]> {
    // The places of LibreOffice depend on the objects around them.
    const roles = this.#strategy.toolkit === 'libreoffice' ? [] : [...(this.#roles ?? [])];
    const rule = { state: this.#strategy.visibleState, maxCount: MAX_NODES, roles };
    const references = await collectionMatches(this.#bus, frame, rule, this.#remainingMs).catch(() => null);
    if (references === null) {
      this.incomplete = 'timeout';
      return [];
    }
    if (references.length >= MAX_NODES) this.incomplete = 'truncated';
    const included = references.filter(({ path }) => !this.#excluded.has(path));
    const nodes = await Promise.all(included.map((reference) => this.#facts(reference)));
    return nodes.filter((node) => node !== null);
  }

  async #walk(reference: AccessibleRef, depth: number): Promise<AccessibleNode[]> {
    if (this.#remainingMs <= 0) {
      this.incomplete = 'timeout';
      return [];
    }
    if (depth > MAX_DEPTH || this.#count >= MAX_NODES) {
      this.incomplete ??= 'truncated';
      return [];
    }
    const [node, count] = await Promise.all([
      this.#facts(reference),
      this.#bus.childCount(reference, this.#remainingMs).catch(() => (this.#remainingMs <= 0 ? null : 0)),
    ]);
    if (count === null) this.incomplete = 'timeout';
    // The frame and its first child are read in any case: some toolkits set no state there.
    if (node === null || (depth > 1 && !isInView(node, this.#strategy, this.#popups))) return [];
    this.#count += 1;
    if (count === null || count === 0 || (depth > 0 && this.#isClosedMenu(node))) return [node];
    if (count > MAX_CHILDREN) return [node, ...(await this.#largeContent(node))];
    const children = await this.#bus.children(node, this.#remainingMs).catch(() => null);
    if (children === null && this.#remainingMs <= 0) this.incomplete = 'timeout';
    const below = await Promise.all((children ?? []).map((child) => this.#walk(child, depth + 1)));
    return [node, ...below.flat()];
  }

  /**
   * Menus of LibreOffice and GTK 2 list hundreds of entries while they are closed. The hidden copy of LibreOffice's menu bar has no height.
   */
  #isClosedMenu({ role, states, extents }: AccessibleNode): boolean {
    if (this.#strategy.toolkit === 'gtk2')
      return (
        role === atspiRoles.menu &&
        (this.#popups.length === 0 || !(hasState(states, 'focused') || hasState(states, 'selected')))
      );
    if (this.#strategy.toolkit !== 'libreoffice') return false;
    if (role === atspiRoles.menuBar) return extents.height <= 1;
    return role === atspiRoles.menu && !hasState(states, 'selected') && !hasState(states, 'expanded');
  }

  /** Reads the cells in view of a sheet, as far as they are needed. The children of other large objects are left out. */
  async #largeContent(node: AccessibleNode): Promise<readonly AccessibleNode[]> {
    const needsCells = this.#need.cells !== 'none' && this.#sheets !== null;
    // Sheets of LibreOffice hold cells only.
    const isSheet = this.#strategy.toolkit === 'libreoffice' && node.role === atspiRoles.table;
    if ((isSheet && !needsCells) || (itemContainers.has(node.role) && !mayBeItem(this.#need))) return [];
    const isTable = node.role === atspiRoles.table || node.role === atspiRoles.treeTable;
    const cells = isTable && needsCells ? await this.#sheetCells(node) : [];
    const isWhole = cells.length > 0 || (isSheet && this.#need.cells !== 'all');
    if (this.#remainingMs <= 0 || cells.some(({ value }) => value === undefined)) this.incomplete = 'timeout';
    else if (!isWhole) this.incomplete ??= 'truncated';
    return cells;
  }

  /** The needed cells in view. Empty for a table whose cells are not named like `B2`. */
  async #sheetCells(table: AccessibleNode): Promise<readonly AccessibleNode[]> {
    const { cells } = this.#need;
    const remainingMs = () => this.#remainingMs;
    if (cells === 'all') return (await this.#sheets?.read(table, remainingMs).catch(() => [])) ?? [];
    const cell = await this.#sheets?.readCell(table, cells, remainingMs).catch(() => null);
    return cell ? [cell] : [];
  }

  async #value(target: AccessibleRef, role: number, name: string): Promise<string | undefined> {
    if (role === atspiRoles.passwordText) {
      const length = await this.#bus.textLength(target, this.#remainingMs).catch(() => 0);
      return '•'.repeat(Math.min(length, MAX_VALUE_CHARACTERS));
    }
    if (role === atspiRoles.comboBox) return this.#selectedText(target);
    if (!valueRoles.has(role) && !this.#isUnnamedLabel(role, name)) return undefined;
    return this.#text(target);
  }

  /** True if the value and the label of an object are needed. */
  #isNeeded(role: number, name: string): boolean {
    return this.#roles === null || this.#roles.has(role) || this.#isUnnamedLabel(role, name);
  }

  /** Items of LibreOffice's status bar have a text instead of a name. */
  #isUnnamedLabel(role: number, name: string): boolean {
    return this.#strategy.toolkit === 'libreoffice' && role === atspiRoles.label && name === '';
  }

  /** Text of a combobox: the typed text, else the selected entry. Web browsers have the selection in its list. */
  async #selectedText(target: AccessibleRef): Promise<string | undefined> {
    const typed = await this.#text(target);
    if (typed) return typed;
    const selected =
      (await this.#bus.selectedChild(target, this.#remainingMs).catch(() => null)) ??
      (await this.#selectedEntry(target));
    return selected ? this.#bus.name(selected, this.#remainingMs).catch(() => undefined) : undefined;
  }

  async #selectedEntry(target: AccessibleRef): Promise<AccessibleRef | null> {
    const count = await this.#bus.childCount(target, this.#remainingMs).catch(() => 0);
    if (count !== 1) return null;
    const [list] = await this.#bus.children(target, this.#remainingMs).catch(() => []);
    return list ? this.#bus.selectedChild(list, this.#remainingMs).catch(() => null) : null;
  }

  /** Text of an object without the characters that stand for embedded objects. */
  async #text(target: AccessibleRef): Promise<string | undefined> {
    const text = await this.#bus.text(target, this.#remainingMs, MAX_VALUE_CHARACTERS).catch(() => undefined);
    return text?.replaceAll('\uFFFC', '');
  }

  /** Description of an object that takes input, and its label if it has no name. */
  async #hints(
    target: AccessibleRef,
    role: number,
    name: string,
  ): Promise<Pick<AccessibleNode, 'label' | 'description'>> {
    const ariaRole = ariaRoleOf(role);
    if (ariaRole === null || !isInteractiveRole(ariaRole)) return {};
    const [labels, description] = await Promise.all([
      name.trim() === '' || role === atspiRoles.comboBox
        ? this.#bus.labels(target, this.#remainingMs).catch(() => [])
        : [],
      this.#bus.description(target, this.#remainingMs).catch(() => ''),
    ]);
    const [first] = labels;
    const label = first ? await this.#bus.name(first, this.#remainingMs).catch(() => '') : '';
    return { ...(label && { label }), ...(description && { description }) };
  }

  async #facts({ bus, path }: AccessibleRef): Promise<AccessibleNode | null> {
    const target = { bus, path };
    try {
      const timeoutMs = this.#remainingMs;
      if (timeoutMs <= 0) throw new Error('The deadline has passed');
      const [role, name, states, extents] = await Promise.all([
        this.#bus.role(target, timeoutMs),
        this.#bus.name(target, timeoutMs),
        this.#bus.states(target, timeoutMs),
        this.#bus.extents(target, timeoutMs).catch(() => ({ x: 0, y: 0, width: 0, height: 0 })),
      ]);
      const isInView = hasState(states, this.#strategy.visibleState);
      const [value, hints] =
        isInView && this.#isNeeded(role, name)
          ? await Promise.all([this.#value(target, role, name), this.#hints(target, role, name)])
          : [undefined, {}];
      return { bus, path, role, name, states, extents, ...(value !== undefined && { value }), ...hints };
    } catch {
      // It disappeared meanwhile, or does not answer.
      if (this.#remainingMs <= 0) this.incomplete = 'timeout';
      return null;
    }
  }
}
