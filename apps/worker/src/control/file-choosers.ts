import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { DialogInput } from '@pilothouse/contract/control/control.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { FileChooser } from '@pilothouse/core/ports/surface.port';
import { runGuarded } from '../actions/run-action.ts';
import type { ActionScope } from '../actions/action-scope.ts';
import { startControlTimer, type Control, type DialogContext } from './dialog-answers.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds that a file chooser waits for its files, which includes the upload. */
const CHOOSER_MS = 600_000;

/** Milliseconds to set the files on the page. */
const CHOOSE_MS = 10_000;

/** Maximum reported file choosers of an attempt: a page may open them without end. */
const MAX_CHOOSERS = 50;

/** Maximum characters of an event message. */
const MAX_MESSAGE_CHARS = 500;

interface OpenChooser {
  readonly dialog: string;
  readonly chooser: FileChooser;
  readonly step: Control['step'];
  stopTimer: () => void;
  isAnswered: boolean;
}

export interface FileChooserContext extends DialogContext {
  /** Queues work on the surface after earlier manual input. */
  readonly enqueue: (work: () => Promise<void>) => void;
}

/** The file chooser of a page that waits for the person in control. */
export class FileChoosers {
  private readonly context: FileChooserContext;
  private open: OpenChooser | undefined;
  private count = 0;

  constructor(context: FileChooserContext) {
    this.context = context;
  }

  /** True while this file chooser waits for an answer. */
  has(dialog: string): boolean {
    return this.open?.dialog === dialog;
  }

  /** Reports a file chooser. It replaces the previous one. */
  register(chooser: FileChooser, { operator, step, expiresAtMs }: Control): void {
    if (this.count >= MAX_CHOOSERS) return;
    this.count += 1;
    if (this.open) this.close(this.open, 'replaced');
    const dialog = randomUUID();
    const multiple = chooser.isMultiple;
    this.report('dialog.opened', `The page asks ${operator} for ${multiple ? 'files' : 'a file'}`, {
      ...{ ...step, dialog, kind: 'files', question: '', text: null, multiple, operator, timeoutMs: CHOOSER_MS },
    });
    const open: OpenChooser = { dialog, chooser, step, stopTimer: () => undefined, isAnswered: false };
    this.open = open;
    open.stopTimer = startControlTimer(CHOOSER_MS, { expiresAtMs }, this.context.timers, (reason) =>
      this.close(open, reason),
    );
  }

  /** Sets the files of an answer on the page, or none. The first answer wins. */
  answer({ dialog, accept, files = [] }: DialogInput, scope: ActionScope): void {
    const { open } = this;
    if (open?.dialog !== dialog || open.isAnswered) return;
    open.isAnswered = true;
    if (accept && files.length > 0) void this.choose(open, files, scope);
    else this.close(open, 'answered');
  }

  /** Cancels the file chooser: control ended. */
  release(): void {
    if (this.open) this.close(this.open, 'released');
  }

  private async choose(open: OpenChooser, files: readonly string[], scope: ActionScope): Promise<void> {
    try {
      if (files.length > 1 && !open.chooser.isMultiple)
        throw new PilothouseError(
          'ACTION_UNSUPPORTED',
          `The file chooser accepts one file, but ${files.length} were sent. Send one.`,
        );
      const paths = await Promise.all(files.map((upload) => scope.file(upload)));
      this.context.enqueue(() => this.setFiles(open, paths, scope));
    } catch (thrown) {
      this.fail(open, thrown);
    }
  }

  private async setFiles(open: OpenChooser, paths: readonly string[], scope: ActionScope): Promise<void> {
    if (this.open !== open) return;
    try {
      await runGuarded('file choice', CHOOSE_MS, scope, async (context) => {
        await open.chooser.choose(paths, context);
        return { located: null, effect: 'unverifiable' };
      });
      this.close(open, 'answered', paths);
    } catch (thrown) {
      this.fail(open, thrown);
    }
  }

  private fail(open: OpenChooser, thrown: unknown): void {
    const { message } = toPilothouseError(thrown);
    this.close(open, 'failed', [], message);
  }

  /** @param paths files that the page received @param problem why it received none */
  private close(
    open: OpenChooser,
    reason: EventData<'dialog.closed'>['reason'],
    paths: readonly string[] = [],
    problem?: string,
  ): void {
    if (this.open !== open) return;
    this.open = undefined;
    open.stopTimer();
    const { dialog, step } = open;
    const names = paths.map((path) => basename(path)).join(', ');
    const message =
      problem !== undefined
        ? `The page got no file: ${problem}`
        : paths.length > 0
          ? `The page got ${names}`
          : 'The file chooser of the page was cancelled';
    const maskedMessage = this.context.masker.text(message).slice(0, MAX_MESSAGE_CHARS);
    this.report('dialog.closed', maskedMessage, { ...step, dialog, accepted: paths.length > 0, reason });
  }

  private report(...event: Parameters<EventBuffer['add']>): void {
    this.context.events.add(...event);
    void this.context.events.flush().catch(() => undefined);
  }
}
