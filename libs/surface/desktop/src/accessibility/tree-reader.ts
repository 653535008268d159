import type { IncompleteReason } from '@pilothouse/contract';
import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import { atspiRoles } from './roles.ts';
import { hasState, stateSetOf, type StateSet } from './states.ts';

/** Facts of one accessible object. */
export interface AccessibleNode extends AccessibleRef {
  readonly role: number;
  readonly name: string;
  readonly states: StateSet;
  readonly extents: Extents;
  /** Text of a field or paragraph, at most 600 characters; of a password one dot for each character. */
  readonly value?: string;
}

/** Result of a read. */
export interface AccessibleTree {
  readonly nodes: readonly AccessibleNode[];
  /** Why objects are missing; null if none are. */
  readonly incomplete: IncompleteReason | null;
}

/** How a toolkit is read. */
export interface ReadStrategy {
  /** `matches`: one call returns all showing descendants; `walk`: from child to child. */
  readonly method: 'matches' | 'walk';
  /** State that objects in view have. GTK 4 does not set SHOWING below the frame. */
  readonly inView: 'showing' | 'visible';
}

/** Number of children above which they are not listed. */
const MAX_CHILDREN = 500;

/** Objects that one read returns at most. */
const MAX_NODES = 3_000;

const MAX_DEPTH = 60;

/** Characters of a value. */
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

/**
 * Chooses how an application is read.
 * @param toolkit `ToolkitName` of the application
 * @param appId WM_CLASS of its window, in lower case
 */
export function strategyOf(toolkit: string, version: string, appId: string): ReadStrategy {
  const name = toolkit.toLowerCase();
  // GetMatches on Calc does not end, and grows without limit. LibreOffice states the toolkit of its plug-in: `gtk` with libreoffice-gtk3, else `VCL`.
  if (appId === 'libreoffice-writer') return { method: 'matches', inView: 'showing' };
  if (appId === 'soffice' || appId.startsWith('libreoffice')) return { method: 'walk', inView: 'showing' };
  if (name === 'gtk')
    return version.startsWith('4') ? { method: 'walk', inView: 'visible' } : { method: 'matches', inView: 'showing' };
  if (name === 'chromium' || name === 'gecko') return { method: 'matches', inView: 'showing' };
  return { method: 'walk', inView: 'showing' };
}

/** Reads the objects in view below a frame. Returns what it has at the deadline. */
export async function readTree(
  bus: AccessibilityBus,
  frame: AccessibleRef,
  strategy: ReadStrategy,
  deadlineMs: number,
): Promise<AccessibleTree> {
  const reader = new TreeReader(bus, strategy, performance.now() + deadlineMs);
  if (strategy.method === 'matches') await reader.readMatches(frame);
  else await reader.walk(frame, 0);
  return { nodes: reader.nodes, incomplete: reader.incomplete };
}

class TreeReader {
  readonly nodes: AccessibleNode[] = [];
  incomplete: IncompleteReason | null = null;
  readonly #bus: AccessibilityBus;
  readonly #strategy: ReadStrategy;
  readonly #deadline: number;

  constructor(bus: AccessibilityBus, strategy: ReadStrategy, deadline: number) {
    this.#bus = bus;
    this.#strategy = strategy;
    this.#deadline = deadline;
  }

  get #remainingMs(): number {
    return this.#deadline - performance.now();
  }

  async readMatches(frame: AccessibleRef): Promise<void> {
    const rule = [stateSetOf(this.#strategy.inView), 1, {}, 1, [0, 0, 0, 0], 1, [], 1, false];
    const references = await this.#bus
      .call<[string, string][]>(
        frame,
        'org.a11y.atspi.Collection',
        'GetMatches',
        this.#remainingMs,
        '(aiia{ss}iaiiasib)uib',
        [rule, 1, MAX_NODES, true],
      )
      .catch(() => null);
    if (references === null) {
      this.incomplete = 'deadline';
      return;
    }
    if (references.length >= MAX_NODES) this.incomplete = 'size';
    const nodes = await Promise.all(references.map(([bus, path]) => this.#facts({ bus, path })));
    this.nodes.push(...nodes.filter((node) => node !== null));
  }

  async walk(reference: AccessibleRef, depth: number): Promise<void> {
    if (this.#remainingMs <= 0) {
      this.incomplete = 'deadline';
      return;
    }
    if (depth > MAX_DEPTH || this.nodes.length >= MAX_NODES) {
      this.incomplete ??= 'size';
      return;
    }
    const node = await this.#facts(reference);
    // The frame and its first child are read in any case: some toolkits set no state there.
    if (node === null || (depth > 1 && !hasState(node.states, this.#strategy.inView))) return;
    this.nodes.push(node);
    const count = await this.#bus.childCount(node, this.#remainingMs).catch(() => 0);
    if (count === 0) return;
    if (count > MAX_CHILDREN) {
      this.incomplete ??= 'size';
      await this.#walkVisibleCells(node, depth);
      return;
    }
    const children = await this.#bus.children(node, this.#remainingMs).catch(() => null);
    if (children === null && this.#remainingMs <= 0) this.incomplete = 'deadline';
    await Promise.all((children ?? []).map((child) => this.walk(child, depth + 1)));
  }

  /** Reads the cells at points of a large table, one per assumed row and column. */
  async #walkVisibleCells(table: AccessibleNode, depth: number): Promise<void> {
    if (table.role !== atspiRoles.table && table.role !== atspiRoles.treeTable) return;
    const { x, y, width, height } = table.extents;
    const found = new Map<string, AccessibleRef>();
    const points = grid(width, height).map(([left, top]) => [x + left, y + top] as const);
    await Promise.all(
      points.map(async ([left, top]) => {
        const reference = await this.#bus
          .call<[string, string]>(table, 'org.a11y.atspi.Component', 'GetAccessibleAtPoint', this.#remainingMs, 'iiu', [
            left,
            top,
            0,
          ])
          .catch(() => null);
        if (reference) found.set(reference[1], { bus: reference[0], path: reference[1] });
      }),
    );
    found.delete(table.path);
    await Promise.all([...found.values()].map((cell) => this.walk(cell, depth + 1)));
  }

  async #value(target: AccessibleRef, role: number): Promise<string | undefined> {
    if (role === atspiRoles.passwordText) {
      const length = await this.#bus.textLength(target, this.#remainingMs).catch(() => 0);
      return '•'.repeat(Math.min(length, MAX_VALUE_CHARACTERS));
    }
    if (!valueRoles.has(role)) return undefined;
    return this.#bus.text(target, this.#remainingMs, MAX_VALUE_CHARACTERS).catch(() => undefined);
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
      const value = await this.#value(target, role);
      return { bus, path, role, name, states, extents, ...(value !== undefined && { value }) };
    } catch {
      // It disappeared meanwhile, or does not answer.
      if (this.#remainingMs <= 0) this.incomplete = 'deadline';
      return null;
    }
  }
}

/** Points of a grid with the distance of small cells, at most 400. */
function grid(width: number, height: number): [number, number][] {
  const columns = Math.min(20, Math.max(1, Math.floor(width / 60)));
  const rows = Math.min(40, Math.max(1, Math.floor(height / 17)));
  const points: [number, number][] = [];
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      points.push([Math.round(((column + 0.5) * width) / columns), Math.round(((row + 0.5) * height) / rows)]);
  return points.slice(0, 400);
}
