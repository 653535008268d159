import type { ScreenCapture, ScreenImage } from '../x/screen-capture.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { observeWindow } from './observe-window.ts';
import { redactAreas, type SecretRedactor } from './secret-redactor.ts';
import type { Session } from './start-session.ts';

/** Milliseconds to read one window. A window that takes longer is covered as a whole. */
const READ_DEADLINE_MS = 1_000;

type AccessibilityReader = Parameters<typeof observeWindow>[1];

export type RedactingSession = Pick<Session, 'windows' | 'ping'> & {
  readonly screen: ScreenCapture;
  readonly accessibility: Promise<AccessibilityReader>;
  readonly cover: SecretRedactor;
};

/**
 * Reads the screen, and covers everything that may show a secret. Windows are read before and after: what moves meanwhile is covered at both
 * places. Without a typed secret no window is read.
 */
export async function captureRedacted(session: RedactingSession): Promise<ScreenImage> {
  const { screen, cover } = session;
  if (cover.isEmpty) {
    const image = await screen.capture();
    // A secret may have been typed during the read.
    if (cover.isEmpty) return image;
  }
  const before = await secretAreas(session);
  const image = await screen.capture();
  redactAreas(image, [...before, ...(await secretAreas(session))]);
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
    return session.cover.secretBounds(await observeWindow(session, accessibility, READ_DEADLINE_MS, window.id));
  } catch {
    return [window.bounds];
  }
}
