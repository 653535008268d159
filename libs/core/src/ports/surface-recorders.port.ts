import type { ConsoleLine, HarEntry } from '@pilothouse/contract/run/capture.schema';

/** Listeners for debug artifacts. A missing listener disables its recording. */
export interface SurfaceRecorders {
  /** Called for console messages of pages. */
  readonly console?: (line: ConsoleLine) => void;
  readonly exchanges?: NetworkSink;
  readonly screencast?: ScreencastSink;
  readonly dialogs?: DialogListener;
}

/** Answers dialogs of pages that no step expected. */
export interface DialogListener {
  /**
   * Called when a dialog opens; the page waits meanwhile.
   * @returns null if no person is in control. Otherwise a promise of the person's answer; it resolves to null without
   * an answer, and the dialog is dismissed.
   */
  onOpen(dialog: OpenDialog): Promise<DialogReply | null> | null;
  /** Called after a dialog was answered without a person. */
  onAnswered(dialog: AnsweredDialog): void;
}

/** A dialog that waits for its answer. */
export interface OpenDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  readonly question: string;
  /** Default text of a prompt; null: not a prompt. */
  readonly text: string | null;
}

/** The answer to a dialog. */
export interface DialogReply {
  readonly accept: boolean;
  /** Text for a prompt; null: its default text. */
  readonly text: string | null;
}

/** A dialog of a page, and its answer. */
export interface AnsweredDialog {
  readonly kind: OpenDialog['kind'];
  readonly question: string;
  readonly accepted: boolean;
}

/** Receives network requests of pages. */
export interface NetworkSink {
  /** Maximum bytes of a recorded request or response body; 0: bodies are not recorded. */
  readonly maxBodyBytes: number;
  /** Called when a request ended. The promise resolves to its details, or to null if they cannot be read. */
  readonly onExchange: (entry: Promise<HarEntry | null>) => void;
}

/** Receives screencast frames. */
export interface ScreencastSink {
  /** Maximum width of a frame in pixels; larger frames are scaled down. null: the width of the page. */
  readonly maxWidth: number | null;
  readonly maxHeight: number | null;
  /** Highest rate of frames. Read before each frame, so it may change. Browsers send at most five a second. */
  readonly maxFramesPerSecond: number;
  /** Receives a JPEG of the current screen after a change. The next frame comes after this call ends. */
  readonly onFrame: (jpeg: Buffer) => Promise<void>;
}
