import { MAX_EVIDENCE, type Evidence } from '@pilothouse/contract';

/** Most characters of a text that are kept. */
const MAX_TEXT = 200;

/** Collects where the values of one step were read. */
export class EvidenceCollector {
  readonly #values: Evidence['values'] = [];
  #total = 0;

  /**
   * @param at JSON pointer into the value of the step
   * @param from CSS path of the element, or JSONPath
   * @param text what stood there
   */
  add(at: string, from: string, text: string | null): void {
    this.#total += 1;
    if (this.#values.length < MAX_EVIDENCE) this.#values.push({ at, from, text: text?.slice(0, MAX_TEXT) ?? null });
  }

  /** @param url of the page, or of what it was sent */
  of(url: string): Evidence {
    return { url, total: this.#total, values: this.#values };
  }
}
