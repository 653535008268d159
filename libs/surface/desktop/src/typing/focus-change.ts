import type { TypeResult } from '../session/session-protocol.ts';
import type { Session } from '../process/start-session.ts';
import { isRunning, isSameProgram } from '../process/program-family.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { FieldReadback } from './field-readback.ts';
import { isTerminal } from './type-text.ts';

/** True for a text with a tab or line break, which may leave the field, confirm a dialog, or start a program. */
export const mayLeaveField = (text: string): boolean => /[\t\n]/.test(text);

/** False for a single key, which may be a command of the program. */
export const isWord = (text: string): boolean => [...text.trim()].length > 1;

/** A text and the windows at the time at which it was typed. */
interface TypedInput {
  readonly window: WindowFacts;
  readonly typed: FieldReadback;
  readonly text: string;
  readonly earlierWindows: ReadonlySet<number>;
  /** True if the step names the field. */
  readonly isTargeted: boolean;
}

/**
 * Replaces the readback if a window closed, opened or took the focus while the text was typed.
 * @throws Error if the program ended while the text was typed into a field
 */
export async function withFocusChange(
  session: Pick<Session, 'windows'>,
  { window, typed, text, earlierWindows, isTargeted }: TypedInput,
  result: TypeResult,
): Promise<TypeResult> {
  if (mayLeaveField(text)) return result;
  const windows = await session.windows.list();
  const isConfirmed = result.readback.status === 'confirmed';
  if (!isConfirmed && !windows.some(({ id }) => id === window.id)) {
    // A viewer quits on a letter, and a terminal when its program quits.
    if (typed.target === null || isTerminal(window)) {
      const reason = `The window ${JSON.stringify(window.title)} closed while the text was typed`;
      return { ...result, readback: { status: 'unverifiable', reason } };
    }
    if (window.pid !== null && !(await isRunning(window.pid)))
      throw new Error(
        `The program ${window.appId} ended while the text was typed into ${JSON.stringify(window.title)}; open it again`,
      );
  }
  const active = windows.find(({ isActive }) => isActive);
  if (!active || active.id === window.id) return result;
  if (await isSameProgram(active, window)) {
    if (isTargeted || earlierWindows.has(active.id) || !isWord(text)) return result;
    // The text may have been meant for the new window.
    const reason = `The window ${JSON.stringify(active.title)} opened while the text was typed; wait for it with \`waitFor\` before this step`;
    return { ...result, readback: { status: isConfirmed ? 'unverifiable' : 'different', reason } };
  }
  if (isConfirmed) return result;
  const reason = `The window ${JSON.stringify(active.title)} of ${active.appId} took the focus while the text was typed`;
  return { ...result, readback: { status: 'different', reason } };
}
