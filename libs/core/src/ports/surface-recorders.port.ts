import type { ConsoleLine, HarEntry } from '@pilothouse/contract';

/** Listeners for debug artifacts. Missing listeners cost nothing. */
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
   * @returns the answer of the person in control, null where they give none: it is dismissed. Null at once: no person is in control
   */
  onOpen(dialog: OpenDialog): Promise<DialogReply | null> | null;
  /** Called once a dialog is answered without a person. */
  onAnswered(dialog: AnsweredDialog): void;
}

/** A dialog that waits for its answer. */
export interface OpenDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  readonly question: string;
  /** The text that a prompt proposes; null: it is none. */
  readonly text: string | null;
}

/** The answer to a dialog. */
export interface DialogReply {
  readonly accept: boolean;
  /** For a prompt; null: the text that it proposes. */
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
  /** Texts of requests and answers are wanted up to so many bytes each; 0: none. */
  readonly maxBodyBytes: number;
  /** Called when a request ended. Its details follow a moment later; null if they cannot be read. */
  readonly onExchange: (entry: Promise<HarEntry | null>) => void;
}

/** Receives screencast frames. */
export interface ScreencastSink {
  /** Most pixels of a frame, which is made smaller to fit; null: as large as the page is. */
  readonly maxWidth: number | null;
  readonly maxHeight: number | null;
  /** Receives a JPEG of the current page. The next frame comes after this call ends, and at most five times a second. */
  readonly onFrame: (jpeg: Buffer) => Promise<void>;
}
