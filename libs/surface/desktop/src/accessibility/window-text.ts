import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import type { ActiveFrame } from './active-frame.ts';
import type { ReadStrategy } from './read-strategy.ts';
import { atspiRoles } from './roles.ts';
import { hasState, type StateSet } from './states.ts';

/** Text of one object of a window. */
export interface TextPart extends AccessibleRef {
  readonly text: string;
}

/** Texts of a window in document order. */
export interface WindowText {
  readonly parts: readonly TextPart[];
  /** Reason why texts are missing; null: all were read. */
  readonly incomplete: IncompleteReason | null;
}

/** Objects and characters that one read returns at most, and characters of one object. */
const MAX_OBJECTS = 4_000;
const MAX_CHARACTERS = 200_000;

/** Characters of the joined texts of a window. A page has no limit of its own. */
export const MAX_JOINED_CHARACTERS = 16_000_000;

/** Number of children above which they are not listed. The element list has those in view. */
const MAX_CHILDREN = 2_000;

const MAX_DEPTH = 60;

/** Objects whose content scrolls. */
const contentRoles: ReadonlySet<number> = new Set([
  ...[atspiRoles.list, atspiRoles.listBox, atspiRoles.tree, atspiRoles.table, atspiRoles.treeTable],
  ...[atspiRoles.scrollPane, atspiRoles.viewport, atspiRoles.documentFrame],
  ...[atspiRoles.documentText, atspiRoles.documentWeb, atspiRoles.documentEmail],
]);

/** Objects with children that scrolling does not show: closed menus and lists, other tabs, bars. */
const hiddenContentRoles: ReadonlySet<number> = new Set([
  ...[atspiRoles.menu, atspiRoles.popupMenu, atspiRoles.comboBox, atspiRoles.toolBar, atspiRoles.menuBar],
  ...[atspiRoles.pageTab, atspiRoles.scrollBar],
]);

/** Roles with a text of several lines, or a text instead of a name. */
const textRoles: ReadonlySet<number> = new Set([
  ...[atspiRoles.text, atspiRoles.terminal, atspiRoles.paragraph, atspiRoles.entry, atspiRoles.spinButton],
  ...[atspiRoles.label, atspiRoles.autocomplete, atspiRoles.heading, atspiRoles.static],
]);

/**
 * Reads the text of a window, including what is scrolled out of view. Returns the texts that were read by the deadline. Password fields
 * and the values of single-line fields out of view are left out.
 */
export async function readWindowText(
  bus: AccessibilityBus,
  { frame, popups, strategy }: ActiveFrame,
  deadlineMs: number,
): Promise<WindowText> {
  const reader = new TextReader(bus, strategy, bus.timers.monotonic() + deadlineMs);
  const parts = await Promise.all([frame, ...popups].map((root) => reader.read(root, 0, false)));
  return { parts: parts.flat(), incomplete: reader.incomplete };
}

/** Joins texts with line breaks, at most 16 million characters. The rest is `truncated`. */
export function joinTexts(
  texts: readonly string[],
  incomplete: IncompleteReason | null,
): { readonly text: string; readonly incomplete: IncompleteReason | null } {
  const text = texts.join('\n');
  return text.length <= MAX_JOINED_CHARACTERS
    ? { text, incomplete }
    : { text: text.slice(0, MAX_JOINED_CHARACTERS), incomplete: incomplete ?? 'truncated' };
}

const NO_AREA = { width: 0, height: 0 };

interface ObjectFacts {
  readonly role: number;
  readonly name: string;
  readonly states: StateSet;
  readonly childCount: number;
}

class TextReader {
  incomplete: IncompleteReason | null = null;
  #objects = 0;
  #characters = 0;
  readonly #bus: AccessibilityBus;
  readonly #strategy: ReadStrategy;
  readonly #deadline: number;

  constructor(bus: AccessibilityBus, strategy: ReadStrategy, deadline: number) {
    this.#bus = bus;
    this.#strategy = strategy;
    this.#deadline = deadline;
  }

  get #remainingMs(): number {
    return this.#deadline - this.#bus.timers.monotonic();
  }

  /** @param isInContent true below an object whose content scrolls */
  async read(reference: AccessibleRef, depth: number, isInContent: boolean): Promise<TextPart[]> {
    if (!this.#hasRoom(depth)) return [];
    const facts = await this.#facts(reference);
    if (!facts) return [];
    const { role, states, childCount } = facts;
    const isInView = depth <= 1 || (hasState(states, this.#strategy.visibleState) && (await this.#hasArea(reference)));
    if ((!isInView && !isInContent) || role === atspiRoles.passwordText) return [];
    const text = await this.#text(reference, facts, isInView);
    const own = text === '' ? [] : [{ bus: reference.bus, path: reference.path, text }];
    if (childCount === 0 || !this.#showsChildren(role, states)) return own;
    if (childCount > MAX_CHILDREN) {
      this.incomplete ??= 'truncated';
      return own;
    }
    const children = await this.#bus.children(reference, this.#remainingMs).catch(() => null);
    if (children === null) this.#noteDeadline();
    const isBelowContent = (isInContent || contentRoles.has(role)) && !hiddenContentRoles.has(role);
    const below = await Promise.all((children ?? []).map((child) => this.read(child, depth + 1, isBelowContent)));
    return [...own, ...below.flat()];
  }

  /** Counts an object. @returns false at a limit */
  #hasRoom(depth: number): boolean {
    if (this.#remainingMs <= 0) {
      this.incomplete = 'timeout';
      return false;
    }
    if (depth > MAX_DEPTH || this.#objects >= MAX_OBJECTS || this.#characters >= MAX_CHARACTERS) {
      this.incomplete ??= 'truncated';
      return false;
    }
    this.#objects += 1;
    return true;
  }

  #noteDeadline(): void {
    if (this.#remainingMs <= 0) this.incomplete = 'timeout';
  }

  /** GTK 4 calls pages visible that are behind another one. They have no area. */
  async #hasArea(target: AccessibleRef): Promise<boolean> {
    if (this.#strategy.toolkit !== 'gtk4') return true;
    const { width, height } = await this.#bus.extents(target, this.#remainingMs).catch(() => NO_AREA);
    return width > 0 && height > 0;
  }

  /** Closed menus and lists of LibreOffice have children in view. */
  #showsChildren(role: number, states: StateSet): boolean {
    if (role === atspiRoles.menu || role === atspiRoles.comboBox)
      return hasState(states, 'expanded') || hasState(states, 'selected');
    return role !== atspiRoles.menuBar;
  }

  async #facts(target: AccessibleRef): Promise<ObjectFacts | null> {
    try {
      const timeoutMs = this.#remainingMs;
      const [role, name, states, childCount] = await Promise.all([
        this.#bus.role(target, timeoutMs),
        this.#bus.name(target, timeoutMs),
        this.#bus.states(target, timeoutMs),
        this.#bus.childCount(target, timeoutMs).catch(() => 0),
      ]);
      return { role, name, states, childCount };
    } catch {
      // It disappeared meanwhile, or does not answer.
      this.#noteDeadline();
      return null;
    }
  }

  /** Text of an object, else its name. A single-line field out of view may have shown a password that is not tracked there. */
  async #text(target: AccessibleRef, { role, name, states }: ObjectFacts, isInView: boolean): Promise<string> {
    const isSingleLine = hasState(states, 'editable') && !hasState(states, 'multiLine');
    if (!textRoles.has(role) || (isSingleLine && !isInView)) return this.#count(name);
    const room = Math.max(0, MAX_CHARACTERS - this.#characters);
    const text = await this.#bus.text(target, this.#remainingMs, room).catch(() => {
      this.#noteDeadline();
      return '';
    });
    if (text.length > 0 && text.length >= room) this.incomplete ??= 'truncated';
    return this.#count(text.replaceAll('\uFFFC', '').trim() === '' ? name : text.replaceAll('\uFFFC', ''));
  }

  /** Cuts a text to the room that is left: other objects are read at the same time. */
  #count(text: string): string {
    const room = Math.max(0, MAX_CHARACTERS - this.#characters);
    if (text.length > room) this.incomplete ??= 'truncated';
    const counted = text.slice(0, room);
    this.#characters += counted.length;
    return counted.trim();
  }
}
