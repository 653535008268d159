import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { poll, remainingMs } from '@pilothouse/core/time/deadlines';
import { basename, dirname } from 'node:path';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { clickAt, type DesktopActionContext, type DesktopHandler } from '../action-context.ts';
import { optionsOf } from '../session/session-client.ts';
import { typeAndVerify, assertSameText } from './text.actions.ts';
import { middle } from '../targeting/element-match.ts';
import { parseKeyChord } from '../input/key-names.ts';
import { isField, plainName, waitForFile, withoutHome } from './saved-file.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds for a field to get the focus after its shortcut. */
const FOCUS_TIMEOUT_MS = 1_500;

/** Milliseconds until the path is confirmed again. */
const RETRY_INTERVAL_MS = 1_500;

/** Names of the button that confirms a file dialog of GTK, Qt or LibreOffice in English; otherwise Enter does. */
const CONFIRM_NAMES: ReadonlySet<string> = new Set([
  'save',
  'open',
  'ok',
  'choose',
  'select',
  'export',
  'import',
  'insert',
]);

/** Milliseconds for a button to take its action. */
const CONFIRM_TIMEOUT_MS = 2_000;

/** A dialog asks for values, such as the encoding, before the file is opened. */
const OPENING_QUESTION = 'The file is not opened yet: a dialog asks for options; answer it in the next step';

/** Names of the button that replaces a file, in the dialogs of GTK, Qt and LibreOffice. */
const REPLACE_NAMES: ReadonlySet<string> = new Set(['replace', 'yes', 'overwrite', 'replace file']);

/** Names of the button of a dialog that opens a file, and of one that saves. Qt names both `Open` while a folder is entered. */
const OPEN_NAMES: ReadonlySet<string> = new Set(['open', 'import', 'insert']);
const SAVE_NAMES: ReadonlySet<string> = new Set(['save', 'export']);
const SAVE_TITLE = /save|export/i;

/**
 * Types a path into a file dialog of GTK, Qt or LibreOffice, and confirms it. Creates the folder of the path, unless the dialog opens a
 * file.
 * @throws PilothouseError TARGET_NOT_FOUND without a dialog; TARGET_NOT_ACTIONABLE if it stays open, the file exists, or was not replaced
 */
export const fillFileDialog: DesktopHandler<'fillFileDialog'> = async (context, { path, overwrite = false }) => {
  const { dialog, isOpening } = await waitForDialog(context);
  const { session } = context;
  const options = () => optionsOf(context);
  if (!isOpening) await session.call('makeHomeFolder', { path }, options());
  const file = await session.call('homeFile', { path }, options());
  const earlierFiles = await session.call('filesNamed', { path }, options());
  const field = await pathField(context, dialog);
  const fileDialog = { context, dialog, field };
  await submitPath(fileDialog, file.path);
  const end = await confirmOverwriteUntilClosed(fileDialog, { ...file, overwrite, wanted: path });
  if (end === 'asks' && isOpening)
    return {
      located: null,
      value: { path: file.path, exists: file.exists },
      effect: 'unverifiable',
      effectReason: OPENING_QUESTION,
    };
  const isKept = isOpening || !overwrite;
  if (end === 'closed' && ((file.exists && isKept) || (await session.call('isHomeFolder', { path }, options()))))
    return { located: null, value: { path: file.path, exists: true } };
  const saved = await waitForFile(context, { path, earlierFiles, isRequired: isOpening || overwrite });
  if (saved.reason === null) return { located: null, value: { path: saved.path, exists: true } };
  return {
    located: null,
    value: { path: file.path, exists: file.exists },
    effect: 'unverifiable',
    effectReason: saved.reason,
  };
};

interface FileDialog {
  readonly context: DesktopActionContext;
  readonly dialog: WindowFacts;
  /** The field for the path. */
  readonly field: DesktopElement;
}

/**
 * Types a path and confirms it. Types nothing once another window has the focus: Enter would answer the question whether to replace a
 * file.
 */
async function submitPath({ context, dialog, field }: FileDialog, path: string): Promise<void> {
  const options = optionsOf(context);
  const reference = { bus: field.node.bus, path: field.node.path };
  context.guard();
  const typed = await typeAndVerify(context, { text: path, mode: 'replace', field: reference, windowId: dialog.id });
  // GTK proposes a completion, which is selected.
  const isCompleted = typed.readback.difference?.expected === '';
  if (!isCompleted) assertSameText('The path in the dialog', typed, false);
  const text = await context.session.call('readText', { ...reference, timeoutMs: 1_000 }, options);
  if (text !== null && text !== path) await pressIn(context, dialog, 'Delete');
  const { tree, elements } = await context.screen.read(context);
  const button = elements.find(({ role, name, state }) => isConfirm(role, name) && !state.disabled);
  const { bus, path: buttonPath } = button?.node ?? reference;
  const isPressed =
    button !== undefined &&
    tree.window?.id === dialog.id &&
    (await context.session.call('doAction', { bus, path: buttonPath, timeoutMs: CONFIRM_TIMEOUT_MS }, options));
  if (!isPressed) await pressIn(context, dialog, 'Enter');
}

/** Clicks the button that confirms. GTK can ignore the action of the button soon after typing. */
async function clickConfirm({ context, dialog }: FileDialog): Promise<void> {
  const { tree, elements } = await context.screen.read(context);
  const button = elements.find(({ role, name, state }) => isConfirm(role, name) && !state.disabled);
  if (!button || tree.window?.id !== dialog.id) return;
  context.guard();
  await clickAt(context, { point: middle(button.bounds) });
}

/** Types the folder, then the name in it. Qt disables its button for the whole path of some files. */
async function retypePath(fileDialog: FileDialog, path: string): Promise<void> {
  for (const text of [dirname(path), basename(path)]) await submitPath(fileDialog, text).catch(() => undefined);
}

const isConfirm = (role: string, name: string): boolean => role === 'button' && CONFIRM_NAMES.has(plainName(name));

/** Presses a key if the dialog has the focus. */
async function pressIn(context: DesktopActionContext, dialog: WindowFacts, keys: string): Promise<void> {
  const active = await context.session.call('activeWindow', null, optionsOf(context));
  if (active?.id === dialog.id) await press(context, keys);
}

/** Waits for a file dialog. `isOpening` is true if it opens a file, and false if it saves, or may save. */
async function waitForDialog(
  context: DesktopActionContext,
): Promise<{ readonly dialog: WindowFacts; readonly isOpening: boolean }> {
  await context.screen.waitUntilStable(context);
  const dialog = await poll(async () => {
    const { tree, elements } = await context.screen.read(context);
    const buttons = elements
      .filter(({ role, name, state }) => role === 'button' && name !== '' && !state.disabled)
      .map(({ name }) => plainName(name));
    const { window } = tree;
    if (!window?.isDialog || !elements.some(isField) || buttons.length === 0) return undefined;
    const has = (names: ReadonlySet<string>) => buttons.some((name) => names.has(name));
    return { dialog: window, isOpening: has(OPEN_NAMES) && !has(SAVE_NAMES) && !SAVE_TITLE.test(window.title) };
  }, context);
  if (dialog) return dialog;
  throw new PilothouseError('TARGET_NOT_FOUND', 'No file dialog is open; open one in an earlier step');
}

/** The field for the name. GTK hides it in a dialog that opens a file, until Ctrl+L. */
async function pathField(context: DesktopActionContext, dialog: WindowFacts): Promise<DesktopElement> {
  const focused = async () => {
    const { tree, elements } = await context.screen.read(context);
    if (tree.window?.id !== dialog.id) return undefined;
    return elements.find((element) => isField(element) && element.state.focused);
  };
  const first = await focused();
  if (first) return first;
  context.guard();
  await press(context, 'Control+L');
  const deadline = context.timers.monotonic() + Math.min(FOCUS_TIMEOUT_MS, remainingMs(context));
  const shown = await poll(focused, { ...context, deadline });
  if (shown) return shown;
  const { elements } = await context.screen.read(context);
  const named = elements.find((element) => isField(element) && /name|location/i.test(labelOf(element)));
  if (!named)
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      'The dialog has no file name field; operate it with `click` and `type`',
    );
  context.guard();
  await clickAt(context, { point: middle(named.bounds) });
  return named;
}

interface DialogFile {
  /** Absolute path, and as the step names it. */
  readonly path: string;
  readonly wanted: string;
  readonly overwrite: boolean;
}

/**
 * Waits until the dialog has closed, and answers its question whether to replace a file.
 * @returns `asks` if it stays open below a question for values, such as options of the format
 */
async function confirmOverwriteUntilClosed(
  fileDialog: FileDialog,
  { path, wanted, overwrite }: DialogFile,
): Promise<'closed' | 'asks'> {
  const { context, dialog } = fileDialog;
  let isReplaced = false;
  let isClicked = false;
  let submittedAt = context.timers.monotonic();
  const end = await poll(async () => {
    const windows = await context.session.call('windows', null, optionsOf(context));
    const current = windows.find(({ id }) => id === dialog.id);
    if (!current) return 'closed' as const;
    if (current.isActive && !isReplaced && context.timers.monotonic() - submittedAt > RETRY_INTERVAL_MS) {
      // The dialog may close meanwhile.
      if (isClicked) await retypePath(fileDialog, path).catch(() => undefined);
      else await clickConfirm(fileDialog).catch(() => undefined);
      isClicked = true;
      submittedAt = context.timers.monotonic();
    }
    const question = windows.find(({ id, isActive, isDialog }) => isActive && isDialog && id !== dialog.id);
    // Another program may ask something at the same time.
    if (!question || !(await context.session.call('isSameProgram', [dialog, question], optionsOf(context))))
      return undefined;
    const answer = await readQuestion(fileDialog, question);
    if (!answer) return undefined;
    if (answer.hasFields && !answer.button) return 'asks' as const;
    if (answer.button && overwrite) {
      context.guard();
      await clickAt(context, { point: middle(answer.button.bounds) });
      isReplaced = true;
      return undefined;
    }
    await pressIn(context, question, 'Escape');
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      answer.button
        ? `${JSON.stringify(wanted)} exists: set \`overwrite: true\` to replace it`
        : `The dialog refuses ${JSON.stringify(wanted)}: ${withoutHome(context, answer.text || question.title)}`,
    );
  }, context);
  if (end) return end;
  throw new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `The dialog ${JSON.stringify(dialog.title)} is still open; check that ${JSON.stringify(wanted)} exists and has an accepted type`,
  );
}

/** A question above the file dialog. */
interface Question {
  /** The button that replaces a file. */
  readonly button: DesktopElement | undefined;
  readonly text: string;
  /** True if it asks for values. */
  readonly hasFields: boolean;
}

/** Reads a question above the dialog. @returns null while it cannot be read */
async function readQuestion({ context, field }: FileDialog, question: WindowFacts): Promise<Question | null> {
  await context.screen.waitUntilStable(context);
  const { tree, elements } = await context.screen.read(context);
  // The accessible frame of the file dialog may still count as the active one.
  const isOfDialog = elements.some(({ node }) => node.bus === field.node.bus && node.path === field.node.path);
  if (tree.window?.id !== question.id || isOfDialog || elements.length === 0) return null;
  const hasFields = elements.some(
    (element) => isField(element) || element.role === 'spinbutton' || element.role === 'slider',
  );
  if (hasFields && tree.incomplete !== null) return null;
  const texts = elements.filter(({ role, name }) => role !== 'button' && name !== '').map(({ name }) => name);
  return {
    button: elements.find(({ role, name }) => role === 'button' && REPLACE_NAMES.has(plainName(name))),
    text: texts.join(' ').slice(0, 300),
    hasFields,
  };
}

async function press(context: DesktopActionContext, keys: string): Promise<void> {
  const chord = parseKeyChord(keys);
  if (chord) await context.session.call('press', { chord, times: 1 }, optionsOf(context));
}

const labelOf = ({ name, fallbackName = '' }: DesktopElement): string => name || fallbackName;
