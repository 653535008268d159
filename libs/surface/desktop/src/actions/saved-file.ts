import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { poll } from '@pilothouse/core/time/deadlines';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import type { DesktopActionContext } from '../action-context.ts';
import { optionsOf } from '../session/session-client.ts';
import type { HomeFile } from '../files/home-files.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds of the step that stay to report a file that was not written. */
const ERROR_RESERVE_MS = 500;

/** Names of the only button of a message that reports a failure. */
const DISMISS_NAMES: ReadonlySet<string> = new Set(['ok', 'close', 'dismiss']);

/** A file that was written, or why it is not written yet. */
interface SavedFile {
  readonly path: string;
  /** Null: the file is written. */
  readonly reason: string | null;
}

/** A file that a dialog has named. */
interface NamedFile {
  /** As the step names it. */
  readonly path: string;
  /** Files with that name when the dialog was open. */
  readonly earlierFiles: readonly HomeFile[];
  /** True: the step fails if the file is not written. False: the application may write it in a later step. */
  readonly isRequired: boolean;
}

/**
 * Waits until a saved file is there, and is another one than before. A program may add an extension to the name.
 * @throws PilothouseError TARGET_NOT_ACTIONABLE if a required file is not, or a message reports a failure
 */
export async function waitForFile(
  context: DesktopActionContext,
  { path, earlierFiles, isRequired }: NamedFile,
): Promise<SavedFile> {
  const earlier = new Set(earlierFiles.map(versionOf));
  let question: string | null = null;
  const saved = await poll(
    async (): Promise<SavedFile | undefined> => {
      const named = await context.session.call('filesNamed', { path }, optionsOf(context));
      const written = named.find((file) => !earlier.has(versionOf(file)));
      if (written) return { path: written.path, reason: null };
      const window = await context.session.call('activeWindow', null, optionsOf(context));
      question = window?.isDialog ? window.title : null;
      return window?.isDialog ? questionOf(context, window, path) : undefined;
    },
    { ...context, deadline: context.deadline - ERROR_RESERVE_MS },
  );
  if (saved) return saved;
  const problem =
    question === null
      ? `The dialog closed, but ${JSON.stringify(path)} was not written; check in the application why it does not save`
      : `${JSON.stringify(path)} was not written: the window ${JSON.stringify(question)} is open`;
  if (isRequired || question !== null) throw new PilothouseError('TARGET_NOT_ACTIONABLE', problem);
  return {
    path,
    reason: `The dialog closed, but ${JSON.stringify(path)} is not written yet; the application may write it in a later step`,
  };
}

/** Differs after a file was written. */
const versionOf = ({ path, modifiedAtMs, size }: HomeFile): string => JSON.stringify([path, modifiedAtMs, size]);

/** A window that asks before the file is written. @returns undefined while it cannot be read */
async function questionOf(
  context: DesktopActionContext,
  window: WindowFacts,
  path: string,
): Promise<SavedFile | undefined> {
  const { tree, elements } = await context.screen.read(context);
  // The icon of a message is listed as a button without a name.
  const buttons = elements.filter(({ role, name, state }) => role === 'button' && name !== '' && !state.disabled);
  if (tree.window?.id !== window.id || buttons.length === 0) return undefined;
  const [only] = buttons;
  if (buttons.length > 1 || !only || elements.some(isField))
    return { path, reason: `The file is not written yet: the window ${JSON.stringify(window.title)} asks first` };
  if (!DISMISS_NAMES.has(plainName(only.name))) return undefined;
  const texts = elements.filter(({ role, name }) => role !== 'button' && name !== '').map(({ name }) => name);
  throw new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `${JSON.stringify(path)} was not written: ${withoutHome(context, texts.join(' ').slice(0, 300) || window.title)}`,
  );
}

/** A text of a program without the path of the home folder on the worker. */
export const withoutHome = ({ session }: DesktopActionContext, text: string): string =>
  text.replaceAll(session.home, '~');

/** True for a field that takes a path. */
export const isField = ({ role, state }: DesktopElement): boolean =>
  (role === 'textbox' || role === 'combobox') && !state.disabled && !state.readonly;

/** A name without mnemonics. GTK 4 repeats the label of a button in its name. */
export const plainName = (name: string): string =>
  [...new Set(name.replaceAll('_', '').replaceAll('&', '').trim().toLowerCase().split(' '))].join(' ');
