import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { PilothouseError, toPilothouseError, type DialogInput, type EventData } from '@pilothouse/contract';
import type { FileChooser, Masker } from '@pilothouse/core';
import { runGuarded } from '../actions/run-action.ts';
import type { ActionScope } from '../actions/action-scope.ts';
import { startControlTimer, type Control } from './dialog-answers.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds that a file chooser waits for its files, which includes the upload. */
const CHOOSER_MS = 600_000;

/** Milliseconds to set the files on the page. */
const CHOOSE_MS = 10_000;

/** Maximum reported file choosers of an attempt: a page may open them without end. */
const MAX_CHOOSERS = 50;

/** Maximum characters of an event message. */
const MAX_MESSAGE = 500;

interface Open {
  readonly dialog: string;
  readonly chooser: FileChooser;
  readonly step: Control['step'];
  stopTimer: () => void;
  isAnswered: boolean;
}

export interface FileChooserParts {
  readonly events: Pick<EventBuffer, 'add' | 'flush'>;
  readonly masker: Pick<Masker, 'text'>;
  /** Queues work on the surface after earlier manual input. */
  readonly inTurn: (work: () => Promise<void>) => void;
}

/** The file chooser of a page that waits for the person in control. */
export class FileChoosers {
  private readonly parts: FileChooserParts;
  private open: Open | undefined;
  private count = 0;

  constructor(parts: FileChooserParts) {
    this.parts = parts;
  }

  /** True while this file chooser waits for an answer. */
  has(dialog: string): boolean {
    return this.open?.dialog === dialog;
  }

  /** Reports a file chooser. It replaces the previous one. */
  ask(chooser: FileChooser, { by, step, until }: Control): void {
    if (this.count >= MAX_CHOOSERS) return;
    this.count += 1;
    if (this.open) this.close(this.open, 'replaced');
    const dialog = randomUUID();
    const multiple = chooser.isMultiple;
    this.report('dialog.opened', `The page asks ${by} for ${multiple ? 'files' : 'a file'}`, {
      ...{ ...step, dialog, kind: 'files', question: '', text: null, multiple, operator: by, timeoutMs: CHOOSER_MS },
    });
    const open: Open = { dialog, chooser, step, stopTimer: () => undefined, isAnswered: false };
    this.open = open;
    open.stopTimer = startControlTimer(CHOOSER_MS, { until }, (why) => this.close(open, why));
  }

  /** Sets the files of an answer on the page, or none. The first answer wins. */
  answer({ dialog, accept, files = [] }: DialogInput, act: ActionScope): void {
    const { open } = this;
    if (open?.dialog !== dialog || open.isAnswered) return;
    open.isAnswered = true;
    if (accept && files.length > 0) void this.choose(open, files, act);
    else this.close(open, 'answered');
  }

  /** Cancels the file chooser: control ended. */
  release(): void {
    if (this.open) this.close(this.open, 'released');
  }

  private async choose(open: Open, files: readonly string[], act: ActionScope): Promise<void> {
    try {
      if (files.length > 1 && !open.chooser.isMultiple)
        throw new PilothouseError(
          'ACTION_UNSUPPORTED',
          `The file chooser takes one file, but ${files.length} were given: give one`,
        );
      const paths = await Promise.all(files.map((upload) => act.file(upload)));
      this.parts.inTurn(() => this.give(open, paths, act));
    } catch (thrown) {
      this.fail(open, thrown);
    }
  }

  private async give(open: Open, paths: readonly string[], act: ActionScope): Promise<void> {
    if (this.open !== open) return;
    try {
      await runGuarded('drive', CHOOSE_MS, act, async (context) => {
        await open.chooser.choose(paths, context);
        return { located: null };
      });
      this.close(open, 'answered', paths);
    } catch (thrown) {
      this.fail(open, thrown);
    }
  }

  private fail(open: Open, thrown: unknown): void {
    const { message } = toPilothouseError(thrown);
    this.close(open, 'failed', [], message);
  }

  /** @param paths files that the page received @param reason why it received none */
  private close(
    open: Open,
    why: EventData<'dialog.closed'>['reason'],
    paths: readonly string[] = [],
    reason?: string,
  ): void {
    if (this.open !== open) return;
    this.open = undefined;
    open.stopTimer();
    const { dialog, step } = open;
    const names = paths.map((path) => basename(path)).join(', ');
    const message =
      reason !== undefined
        ? `The page got no file: ${reason}`
        : paths.length > 0
          ? `The page got ${names}`
          : 'The file chooser of the page was cancelled';
    const shown = this.parts.masker.text(message).slice(0, MAX_MESSAGE);
    this.report('dialog.closed', shown, { ...step, dialog, accepted: paths.length > 0, reason: why });
  }

  private report(...event: Parameters<EventBuffer['add']>): void {
    this.parts.events.add(...event);
    void this.parts.events.flush().catch(() => undefined);
  }
}
