import type { Viewer } from './console-page.ts';
import { until } from './poll-until.ts';

type Page = Viewer['page'];

/** The code editor of a workflow. */
export class YamlField {
  readonly #page: () => Page;

  constructor(page: () => Page) {
    this.#page = page;
  }

  /** The text area for the keyboard. */
  get textbox() {
    return this.#page().getByRole('textbox', { name: 'Workflow source (YAML)' });
  }

  /** Replaces the whole text, as a paste does. */
  async fill(text: string): Promise<void> {
    await this.textbox.click();
    await this.#page().keyboard.press('Control+a');
    await this.textbox.evaluate((element, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    await this.waitForText((value) => value === text);
  }

  /** The text that the form would submit. */
  value(): Promise<string> {
    return this.#page().locator('input[name=text]').inputValue();
  }

  waitForText(isExpected: (text: string) => boolean): Promise<unknown> {
    return until('the text is as expected', async () => isExpected(await this.value()));
  }
}
