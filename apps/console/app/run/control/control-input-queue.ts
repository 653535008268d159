import type { PageInput } from '@pilothouse/contract';
import type { ApiAnswer } from '../../api/post-api.ts';
import { batchOf, withInput } from './control-input.ts';

/** A question whose turn comes after all input before it. */
interface QueuedRequest {
  send(): Promise<void>;
  drop(error: string): void;
}

/** Input that one question follows, or none yet. */
interface Batch {
  inputs: readonly PageInput[];
  request: QueuedRequest | null;
}

/**
 * What goes to a page that is driven, one request at a time and in the order of who drives: input in batches, and questions, each about the
 * page as all input before it left it. What comes after a question waits for its answer.
 */
export class ControlInputQueue {
  readonly #post: (inputs: PageInput[]) => Promise<ApiAnswer<unknown>>;
  #batches: Batch[] = [];
  #isDraining = false;

  /** @param post sends one batch; where it gives no answer all that waits is dropped */
  constructor(post: (inputs: PageInput[]) => Promise<ApiAnswer<unknown>>) {
    this.#post = post;
  }

  send(input: PageInput): void {
    const batch = this.#openBatch();
    batch.inputs = withInput(batch.inputs, input);
    void this.#drain();
  }

  /** Asks when it is its turn. @param put never rejects */
  request<Value>(send: () => Promise<ApiAnswer<Value>>): Promise<ApiAnswer<Value>> {
    return new Promise((resolve) => {
      this.#openBatch().request = {
        send: async () => resolve(await send()),
        drop: (error) => resolve({ answer: null, error }),
      };
      void this.#drain();
    });
  }

  /** Drops what waits. */
  drop(error: string): void {
    const batches = this.#batches;
    this.#batches = [];
    for (const { request } of batches) request?.drop(error);
  }

  /** The turn that has no question yet. */
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
