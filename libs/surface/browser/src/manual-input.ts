import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { DropdownOptions, PageInput } from '@pilothouse/contract/control/control.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { ActionServices, InputTarget } from '@pilothouse/core/ports/surface-action.port';
import type { FileChooser } from '@pilothouse/core/ports/surface.port';
import type { ActionContext } from './action-context.ts';
import { describeElementAt, readDropdown, sendControlInput } from './browser.control.ts';
import { playwrightTimeout, sendInput } from './browser.input.ts';
import type { ClipboardState } from './clipboard/run-clipboard.ts';
import type { SurfacePages } from './pages/surface-pages.ts';
import type { SurfaceCalls } from './surface-calls.ts';

/** Input of a person in manual control of one surface. */
export class ManualInput {
  readonly #calls: SurfaceCalls;
  readonly #pages: SurfacePages;
  /** Clipboard content that was already returned. */
  #returnedCopy: ClipboardState | null = null;

  constructor(calls: SurfaceCalls, pages: SurfacePages) {
    this.#calls = calls;
    this.#pages = pages;
  }

  send(input: PageInput, context: Pick<ActionServices, 'guard'> & Context): Promise<InputTarget | null> {
    // A page whose dialog waits for a person confirms no input until then.
    const work = (ctx: ActionContext) => this.#pages.untilDialogWaits(sendControlInput(ctx, input));
    return this.#calls.run(context, work, { guard: this.#guard(context) });
  }

  describeElement(locator: Pick<Locator, 'elementIndex' | 'point'>, context: Context): Promise<InputTarget | null> {
    return this.#calls.run(context, (ctx) => describeElementAt(ctx, locator));
  }

  readDropdown(context: Context): Promise<DropdownOptions['dropdown']> {
    return this.#calls.run(context, (ctx) => readDropdown(ctx));
  }

  readCopiedText(context: Context): Promise<string | null> {
    return this.#calls.run(context, async ({ clipboard: { state } }) => {
      if (!state?.isNew || state === this.#returnedCopy) return null;
      this.#returnedCopy = state;
      return state.text;
    });
  }

  onFileChooser(onOpen: (chooser: FileChooser) => void): () => void {
    return this.#pages.onFileChooser((chooser) =>
      onOpen({
        isMultiple: chooser.isMultiple(),
        choose: (paths, context) => {
          const setFiles = (ctx: ActionContext) =>
            sendInput(ctx, 'Choosing the files', () =>
              chooser.setFiles([...paths], { timeout: playwrightTimeout(ctx) }),
            );
          const work = async (ctx: ActionContext) => void (await this.#pages.untilDialogWaits(setFiles(ctx)));
          return this.#calls.run(context, work, { guard: this.#guard(context) });
        },
      }),
    );
  }

  #guard(context: Pick<ActionServices, 'guard'>): () => void {
    return () => {
      context.guard();
      this.#pages.inputSent();
    };
  }
}
