import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { limitDeadline, raceDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import type { ElementHandle, FileChooser } from 'playwright-core';
import { evaluateOn, sendInput, playwrightTimeout } from '../browser.input.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { fromHandle } from '../pages/element-ref.ts';
import { press } from '../targeting/hit-target.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import { playwrightMessage } from '../playwright-errors.ts';

/** Maximum wait for a file chooser after a click. */
const CHOOSER_TIMEOUT_MS = 10_000;

/**
 * Gives a file to a file input, which may be hidden behind a styled button. Any other element is clicked, and the
 * file chooser that it opens gets the file.
 */
export const upload: ActionHandler<'upload'> = async (ctx, { target, file }) => {
  const { ref, kind, located } = await waitForTarget(ctx, target, 'enabled');
  const path = await ctx.file(file);
  if (kind.type === 'file') {
    if ((await evaluateOn(ctx, ref, fileState, undefined, 'The field')).takesFolder) throw folderError(located.locator);
    await sendInput(ctx, 'Choosing the file', () => ref.setInputFiles(path, { timeout: playwrightTimeout(ctx) }));
    const limit = limitDeadline(ctx, READ_TIMEOUT_MS);
    const state = await raceDeadline(ref.evaluateAll(fileState, undefined), limit, 'The field').catch(() => null);
    ctx.signal.throwIfAborted();
    return { located, ...effectOfUpload(state?.value.count) };
  }
  const chooser = await chooserAfterClick(ctx, target);
  if (!chooser) {
    const tag = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is ${tag}, and opens no file dialog; use the <input type="file"> as target, even if it is hidden`,
    );
  }
  const field = fromHandle(chooser.element() as ElementHandle<Element>);
  const state = await field.evaluateAll(fileState, undefined).catch(() => null);
  if (state?.value.takesFolder) throw folderError(located.locator);
  await sendInput(ctx, 'Choosing the file', () => chooser.setFiles(path, { timeout: playwrightTimeout(ctx) }));
  const chosen = await raceDeadline(
    field.evaluateAll(fileState, undefined),
    limitDeadline(ctx, READ_TIMEOUT_MS),
    'The field',
  ).catch(() => null);
  ctx.signal.throwIfAborted();
  return { located, ...effectOfUpload(chosen?.value.count) };
};

/** Maximum time for reading a file field. */
const READ_TIMEOUT_MS = 1000;

/** A page may read a file and empty its field, or refuse the file. @param count files of the field; null: it is no file field */
function effectOfUpload(count: number | null | undefined): ActionEffect {
  if (count === undefined || count === null) return { effect: 'unverifiable' };
  if (count > 0) return { effect: 'confirmed' };
  return {
    effect: 'unverifiable',
    effectReason: 'The page emptied the file field after it received the file: it may have read or refused it',
  };
}

/** Reads the state of a file field, or of the field of a label. */
const fileState = elementFunction((element: Element) => {
  const field = element instanceof HTMLLabelElement ? element.control : element;
  const isFile = field instanceof HTMLInputElement && field.type === 'file';
  return { count: isFile ? (field.files?.length ?? 0) : null, takesFolder: isFile && field.webkitdirectory };
});

const folderError = (locator: string) =>
  new PilothouseError(
    'ACTION_UNSUPPORTED',
    `${locator} takes a folder, and a run has single files; use a file input without \`webkitdirectory\``,
    { details: { locator } },
  );

/** Clicks and waits for a file chooser. @returns null if none opens */
async function chooserAfterClick(ctx: ActionContext, target: Target): Promise<FileChooser | null> {
  const { page } = ctx;
  let onChooser = (_: FileChooser) => {};
  const chooserOpened = new Promise<FileChooser>((resolve) => (onChooser = resolve));
  // Playwright enables interception in Chromium without waiting. The target is located after that and clicked last.
  page.on('filechooser', onChooser);
  try {
    await press(ctx, (aim) => waitForTarget(ctx, target, 'input', aim), {
      subject: 'The click',
      clicks: 1,
      send: ({ x, y }) => page.mouse.click(x, y),
    });
    const chooserDeadline = limitDeadline(ctx, Math.min(CHOOSER_TIMEOUT_MS, remainingMs(ctx) * 0.8));
    const chooser = await raceDeadline(chooserOpened, chooserDeadline, 'Choosing the file').catch(() => null);
    ctx.signal.throwIfAborted();
    return chooser;
  } finally {
    page.off('filechooser', onChooser);
  }
}

/**
 * Clicks and waits for the download.
 * @throws as `waitForTarget`; PilothouseError STEP_TIMED_OUT without a download, NAVIGATION_FAILED for an incomplete
 * one
 */
export const download: ActionHandler<'download'> = async (ctx, { target, name: fileName }) => {
  let next = ctx.pages.files.next(fileName);
  const { located } = await press(ctx, (aim) => waitForTarget(ctx, target, 'input', aim), {
    subject: 'The click',
    clicks: 1,
    isSubmitting: true,
    send: ({ x, y }) => {
      next = ctx.pages.files.next(fileName);
      return ctx.page.mouse.click(x, y);
    },
  });
  try {
    const { name, contentType, size } = await raceDeadline(next, ctx, `The download that ${located.locator} starts`);
    return { located, value: { name, contentType, size } };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError('NAVIGATION_FAILED', `The download failed: ${playwrightMessage(error)}`);
  }
};

/** Prints the page to a PDF file. */
export const pdf: ActionHandler<'pdf'> = async (ctx, { label = 'page' }) => {
  await ctx.waitUntilSettled();
  const { files } = ctx.pages;
  const body = await raceDeadline(ctx.page.pdf({ printBackground: true }), ctx, 'The PDF');
  const name = `${label.slice(0, 100).replace(/[/\\]/g, '_')}.pdf`;
  await raceDeadline(files.write('data', name, body), ctx, 'The PDF');
  return NO_TARGET;
};
