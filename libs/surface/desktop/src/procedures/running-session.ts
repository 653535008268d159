import type { AccessibilityBus } from '../accessibility/accessibility-bus.ts';
import type { BrowserPages } from '../chromium/browser-pages.ts';
import type { NutInput } from '../input/nut-input.ts';
import type { AccessibilityReaders } from '../observation/observe-window.ts';
import type { SessionOptions } from '../process/session-options.ts';
import type { Session } from '../process/start-session.ts';
import type { PasswordTracker } from '../redaction/password-tracker.ts';
import type { SecretRedactor } from '../redaction/secret-redactor.ts';
import type { ScreenOcr } from '../screen/screen-ocr.ts';
import type { StoredScreenshots } from '../screen/stored-screenshots.ts';
import type { ProcedureName, SessionProcedures } from '../session/session-protocol.ts';
import type { PendingCopy } from '../typing/pending-copy.ts';
import type { ScreenCapture } from '../x/screen-capture.ts';

/** A started session with everything that its procedures use. */
export interface RunningSession extends Session {
  readonly input: NutInput;
  readonly screen: ScreenCapture;
  readonly text: ScreenOcr;
  readonly bus: Promise<AccessibilityBus>;
  readonly commands: SessionOptions['commands'];
  readonly pendingCopy: PendingCopy;
  readonly egress: SessionOptions['egress'];
  readonly accessibility: Promise<AccessibilityReaders>;
  readonly redactor: SecretRedactor;
  readonly passwords: PasswordTracker;
  readonly pages: BrowserPages;
  readonly screenshots: StoredScreenshots;
}

/** Returns the running session. @throws Error before its start */
export type SessionGetter = () => RunningSession;

/** One handler for each procedure. */
export type Procedures = {
  readonly [Name in ProcedureName]: (
    args: SessionProcedures[Name]['args'],
  ) => Promise<SessionProcedures[Name]['result']>;
};

/** Returns a function that makes a handler whose result is null. */
export const effectHandler =
  (session: SessionGetter) =>
  <Args>(work: (session: RunningSession, args: Args) => Promise<void>): ((args: Args) => Promise<null>) =>
  async (args) => {
    await work(session(), args);
    return null;
  };
