import type { ScreenCapture, ScreenImage } from '../x/screen-capture.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { observeWindow } from '../observation/observe-window.ts';
import { searchDeadline, type PasswordTracker } from './password-tracker.ts';
import { redactAreas, type SecretRedactor } from './secret-redactor.ts';
import type { Session } from '../process/start-session.ts';

/** Milliseconds to read one window. A window that takes longer is covered as a whole. */
const READ_DEADLINE_MS = 1_000;

type AccessibilityReader = Parameters<typeof observeWindow>[1];

export type RedactingSession = Pick<Session, 'windows' | 'ping' | 'timers'> & {
  readonly screen: ScreenCapture;
  readonly accessibility: Promise<AccessibilityReader>;
  readonly redactor: SecretRedactor;
  readonly passwords: PasswordTracker;
};

/**
 * Reads the screen, and covers password fields and everything that may show a secret. Windows are read before and after: what moves
 * meanwhile is covered at both places. Without a typed secret, only windows that changed are searched for password fields.
 * @param isLive for a frame of a live view, which waits only briefly for that search
 */
export async function captureRedacted(session: RedactingSession, isLive = false): Promise<ScreenImage> {
  const { screen, redactor, passwords, timers } = session;
  const deadline = searchDeadline(isLive, timers);
  const fieldsBefore = await passwords.visibleFieldAreas(isLive, deadline);
  const areasBefore = redactor.isEmpty ? [] : await secretAreas(session);
  const image = await screen.capture();
  const fields = [...fieldsBefore, ...(await passwords.visibleFieldAreas(isLive, deadline))];
  // A secret may have been typed during the read.
  redactAreas(image, redactor.isEmpty ? fields : [...fields, ...areasBefore, ...(await secretAreas(session))]);
  return image;
}

async function secretAreas(session: RedactingSession): Promise<Rectangle[]> {
  const accessibility = await session.accessibility;
  const windows = (await session.windows.list()).filter(({ isMinimized }) => !isMinimized);
  const areas = await Promise.all(windows.map((window) => areasOf(session, accessibility, window)));
  return areas.flat();
}

async function areasOf(
  session: RedactingSession,
  accessibility: AccessibilityReader,
  window: WindowFacts,
): Promise<Rectangle[]> {
  try {
    return session.redactor.secretBounds(await observeWindow(session, accessibility, READ_DEADLINE_MS, window.id));
  } catch {
    return [window.bounds];
  }
}
