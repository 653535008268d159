import type { TextReadback } from '../session/text-readback.ts';
import type { Timers } from '@pilothouse/core/time/timers';
import type { AccessibilityBus, AccessibleRef } from '../accessibility/accessibility-bus.ts';
import { readFieldText, readParagraphsBefore, type FieldText } from '../accessibility/accessible-text.ts';
import type { WindowList } from '../accessibility/active-frame.ts';
import { findFocusedField } from '../accessibility/focused-field.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { SessionProcesses } from '../process/session-processes.ts';
import type { BrowserPages } from '../chromium/browser-pages.ts';
import { pidOfPageBus } from '../chromium/page-nodes.ts';
import { endsEntry, isSheet, OPEN_ENTRY, shownTextReadback } from './cell-entry.ts';
import { waitForRest } from './read-keys.ts';
import { readbackOf, hasNewOccurrence, normalized, textsAfterTyping } from './text-difference.ts';

/** Milliseconds to find the field with the focus. A busy machine needs more than one second. */
const FIND_TIMEOUT_MS = 2_000;

/** Milliseconds for one read of a field. */
const READ_TIMEOUT_MS = 1_000;

/** Milliseconds for a field to show the typed text, and between two reads. */
const READBACK_TIMEOUT_MS = 1_500;
const READ_INTERVAL_MS = 20;

/** Part of a step's time for finding a field, and for its readback, if that is longer than the limits for an application that answers. */
const PART_OF_STEP = 0.25;

/** Expected text of a field after typing. */
type ReadbackExpectation =
  /** The text is at the caret and replaced the selection. */
  | { readonly kind: 'inserted'; readonly text: string }
  /** The text is the whole content of the field. */
  | { readonly kind: 'whole'; readonly text: string };

/** Readers for page fields and accessible objects. */
interface FieldReaders {
  readonly bus: AccessibilityBus;
  readonly windows: WindowList;
  readonly pages: BrowserPages;
  readonly timers: Timers;
  readonly processes: Pick<SessionProcesses, 'pids'>;
}

interface ReadbackFacts {
  /** Reason why nothing can be read back. */
  readonly reason?: string;
  readonly control?: string | null;
  readonly isFieldless?: boolean;
  readonly isUnfocused?: boolean;
  readonly stepMs: number;
}

/** State of a field before typing. Reads the field again over the connection that its reference names. */
export class FieldReadback {
  readonly #readers: FieldReaders;
  readonly #window: WindowFacts;
  readonly #target: AccessibleRef | null;
  readonly #initialText: FieldText | null;
  readonly #reason: string;
  readonly #stepMs: number;
  /** Description of a focused control that takes no text; null: there is none. */
  readonly control: string | null;
  /** True if the application lists its objects, and none of them has the focus. */
  readonly isUnfocused: boolean;
  /** True if the application lists its objects, and no text field has the focus. */
  readonly isFieldless: boolean;

  private constructor(
    readers: FieldReaders,
    window: WindowFacts,
    target: AccessibleRef | null,
    initialText: FieldText | null,
    { reason = '', control = null, isFieldless = false, isUnfocused = false, stepMs }: ReadbackFacts,
  ) {
    this.isFieldless = isFieldless;
    this.isUnfocused = isUnfocused;
    this.#stepMs = stepMs;
    this.control = control;
    this.#readers = readers;
    this.#window = window;
    this.#target = target;
    this.#initialText = initialText;
    this.#reason = reason;
  }

  /**
   * Reads a field.
   * @param target the field; null: the one with the keyboard focus
   * @param stepMs time of the step. A slow application gets a part of it
   */
  static async read(
    readers: FieldReaders,
    window: WindowFacts,
    target: AccessibleRef | null,
    stepMs: number,
  ): Promise<FieldReadback> {
    // Only native fields of a page have an exact text. Others are read through the accessibility bus.
    const known = target && (await hasExactText(readers, target)) ? target : await readers.pages.focusedField(window);
    if (known) return FieldReadback.#create(readers, window, known, stepMs);
    const found = await findFocusedField(readers.bus, readers.windows, window, allowedMs(FIND_TIMEOUT_MS, stepMs));
    const { field, control, hasFocus, isAccessible, isRead } = found;
    if (field) return FieldReadback.#create(readers, window, field, stepMs);
    const reason = !isRead
      ? 'The application did not list its elements in time'
      : isAccessible
        ? `No text field has the focus${control === null ? '' : `, only ${control}`}`
        : 'The application publishes no text that can be read back';
    const isFieldless = isRead && isAccessible;
    const isUnfocused = isFieldless && !hasFocus;
    return new FieldReadback(readers, window, null, null, { reason, control, isFieldless, isUnfocused, stepMs });
  }

  static async #create(
    readers: FieldReaders,
    window: WindowFacts,
    target: AccessibleRef,
    stepMs: number,
  ): Promise<FieldReadback> {
    const initialText = await readText(readers, target);
    const reason = initialText ? '' : 'The field publishes no text';
    return new FieldReadback(readers, window, target, initialText, { reason, stepMs });
  }

  /** The object that was read; null: no object has text. */
  get target(): AccessibleRef | null {
    return this.#initialText ? this.#target : null;
  }

  /** Result for a text directly before the caret. @returns null if the field does not show it there */
  readbackBeforeCaret(text: string): TextReadback | null {
    if (!this.#initialText || this.#initialText.isSecret) return null;
    const { role, text: content, caret, selection } = this.#initialText;
    const end = selection?.start ?? caret;
    const parts = end < 0 ? [normalized(content)] : [[...content].slice(0, end).join(''), content.slice(0, end)];
    return parts.some((part) => part.endsWith(text)) ? shownTextReadback(this.#window, role) : null;
  }

  /** Waits until the field shows the typed text. */
  async readback(expectation: ReadbackExpectation): Promise<TextReadback> {
    // The focused table of a sheet has no text.
    if (!this.#initialText && isSheet(this.#window) && expectation.text !== '' && !endsEntry(expectation.text))
      return OPEN_ENTRY;
    if (!this.#target || !this.#initialText) return { status: 'unverifiable', reason: this.#reason };
    const { timers } = this.#readers;
    const problem = await this.#cellReadback(expectation, this.#initialText);
    if (problem) return problem;
    const endsAt = timers.monotonic() + allowedMs(READBACK_TIMEOUT_MS, this.#stepMs);
    let quietUntil = timers.monotonic() + READBACK_TIMEOUT_MS;
    let previous = '';
    for (;;) {
      const readback = await this.#compare(expectation, this.#target, this.#initialText);
      const current = JSON.stringify(readback);
      // A slow application gets more time while its text changes, or cannot be read.
      if (current !== previous || readback.reason === UNREADABLE) quietUntil = timers.monotonic() + READBACK_TIMEOUT_MS;
      previous = current;
      if (readback.status === 'confirmed' || timers.monotonic() > Math.min(quietUntil, endsAt)) return readback;
      await timers.delay(READ_INTERVAL_MS);
    }
  }

  /** Waits until the program of a cell rests. @returns the result if the cell cannot verify the text; null if it can, or for other fields */
  async #cellReadback({ kind, text }: ReadbackExpectation, initial: FieldText): Promise<TextReadback | null> {
    if (initial.role !== atspiRoles.tableCell || text === '') return null;
    if (!endsEntry(text)) return OPEN_ENTRY;
    const expected = kind === 'whole' ? [text] : textsAfterTyping(initial, text);
    if (readbackOf(initial, expected).status === 'confirmed')
      return { status: 'unverifiable', reason: 'The cell showed the text before it was typed' };
    const hasRested = await waitForRest(this.#readers, this.#window, allowedMs(READBACK_TIMEOUT_MS, this.#stepMs));
    return hasRested ? null : { status: 'unverifiable', reason: 'The program is still busy after the entry' };
  }

  async #compare(expectation: ReadbackExpectation, target: AccessibleRef, initial: FieldText): Promise<TextReadback> {
    const { text } = expectation;
    if (initial.role === atspiRoles.terminal) return this.#compareTerminal(target, initial, text);
    const isParagraph = initial.role === atspiRoles.paragraph;
    const current = isParagraph ? await this.#paragraphsUpToCaret(text) : await this.#read(target);
    if (current === null) return { status: 'unverifiable', reason: UNREADABLE };
    const expected = expectation.kind === 'whole' ? [text] : textsAfterTyping(initial, text);
    const readback = readbackOf(current, expected);
    if (readback.status === 'confirmed' && isParagraph) return shownTextReadback(this.#window, initial.role);
    if (readback.status !== 'different') return readback;
    // A cell shows dates, numbers and results of formulas in its format.
    if (initial.role === atspiRoles.tableCell)
      return { ...readback, status: 'unverifiable', reason: 'The cell shows another text than the one that was typed' };
    // A Tab or Return may move the focus, or close the window.
    if (/[\t\n]/.test(text) && current.text === initial.text)
      return { status: 'unverifiable', reason: 'The text has a tab or line break that may leave the field' };
    if (isParagraph && initial.selection && !isWholeSelection(initial))
      return { status: 'unverifiable', reason: 'More than one paragraph was selected' };
    return readback;
  }

  #read(target: AccessibleRef): Promise<FieldText | null> {
    return readText(this.#readers, target);
  }

  /** A document has one object for each paragraph. Joins those that the typed lines stand in. */
  async #paragraphsUpToCaret(typed: string): Promise<FieldText | null> {
    const { bus, windows } = this.#readers;
    const { field } = await findFocusedField(bus, windows, this.#window, FIND_TIMEOUT_MS);
    if (!field) return null;
    const last = await this.#read(field);
    if (!last) return null;
    const lineBreaks = typed.split('\n').length - 1;
    const previous = await readParagraphsBefore(this.#readers.bus, field, lineBreaks, READ_TIMEOUT_MS).catch(() => []);
    // The first lines are scrolled out of view.
    if (previous.length < lineBreaks) return null;
    return { ...last, text: [...previous, last.text].join('\n') };
  }

  /** The program in a terminal controls its output. */
  async #compareTerminal(target: AccessibleRef, initial: FieldText, typed: string): Promise<TextReadback> {
    const current = await this.#read(target);
    if (current && hasNewOccurrence(initial.text, current.text, typed)) return { status: 'confirmed' };
    return { status: 'unverifiable', reason: 'The program in the terminal does not show the typed text' };
  }
}

const UNREADABLE = 'The field cannot be read any more';

/** At least `minMs`, and a part of the time of a long step. */
const allowedMs = (minMs: number, stepMs: number): number => Math.max(minMs, stepMs * PART_OF_STEP);

const readText = ({ bus, pages }: FieldReaders, target: AccessibleRef): Promise<FieldText | null> =>
  pidOfPageBus(target.bus) === null
    ? readFieldText(bus, target, READ_TIMEOUT_MS)
    : pages.fieldText(target, READ_TIMEOUT_MS);

/** False for a field of a page that is not a native one, e.g. an editor. */
const hasExactText = async ({ pages }: FieldReaders, target: AccessibleRef): Promise<boolean> =>
  pidOfPageBus(target.bus) === null || (await pages.fieldText(target, READ_TIMEOUT_MS)) !== null;

const isWholeSelection = ({ text, selection }: FieldText): boolean =>
  selection !== null && selection.start === 0 && (selection.end >= [...text].length || selection.end >= text.length);
