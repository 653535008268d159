import type { PageInput } from '@pilothouse/contract/control/control.schema';
import type { ApiAnswer } from '../../api/post-api.ts';
import { batchOf, withInput } from './control-input.ts';

/** A request that follows all input before it. */
interface QueuedRequest {
  send(): Promise<void>;
  drop(error: string): void;
}

/** Input up to the next request, if there is one. */
interface Batch {
  inputs: readonly PageInput[];
  request: QueuedRequest | null;
}

/**
 * Serializes input and requests of the person in control. Input is sent in batches. A request sees the page after all
 * earlier input, and later input waits for its response.
 */
export class ControlInputQueue {
  readonly #post: (inputs: PageInput[]) => Promise<ApiAnswer<unknown>>;
  #batches: Batch[] = [];
  #isDraining = false;

  /** @param post sends one batch; an error drops all waiting input */
  constructor(post: (inputs: PageInput[]) => Promise<ApiAnswer<unknown>>) {
    this.#post = post;
  }

  send(input: PageInput): void {
    const batch = this.#openBatch();
    batch.inputs = withInput(batch.inputs, input);
    void this.#drain();
  }

  /** Sends a request after all earlier input. @param send must not reject */
  request<Value>(send: () => Promise<ApiAnswer<Value>>): Promise<ApiAnswer<Value>> {
    return new Promise((resolve) => {
      this.#openBatch().request = {
        send: async () => resolve(await send()),
        drop: (error) => resolve({ answer: null, error }),
      };
      void this.#drain();
    });
  }

  /** Drops all waiting input. */
  drop(error: string): void {
    const batches = this.#batches;
    this.#batches = [];
    for (const { request } of batches) request?.drop(error);
  }

  /** The batch that has no request yet. */
  #openBatch(): Batch {
    const last = this.#batches.at(-1);
    if (last && !last.request) return last;
    const batch: Batch = { inputs: [], request: null };
    this.#batches.push(batch);
    return batch;
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (let [batch] = this.#batches; batch; [batch] = this.#batches) {
      if (batch.inputs.length > 0) {
        const inputs = batchOf(batch.inputs);
        batch.inputs = batch.inputs.slice(inputs.length);
        const { error } = await this.#post(inputs);
        if (error !== null) this.drop(error);
      } else {
        this.#batches.shift();
        await batch.request?.send();
      }
    }
    this.#isDraining = false;
  }
}
