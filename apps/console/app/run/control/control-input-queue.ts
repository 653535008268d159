import type { PageInput } from '@pilothouse/contract';
import type { ApiAnswer } from '../../api/post-api.ts';
import { batchOf, withInput } from './control-input.ts';

/** A question whose turn comes after all input before it. */
interface Question {
  put(): Promise<void>;
  drop(why: string): void;
}

/** Input that one question follows, or none yet. */
interface Turn {
  inputs: readonly PageInput[];
  question: Question | null;
}

/**
 * What goes to a page that is driven, one request at a time and in the order of who drives: input in batches, and questions, each about the
 * page as all input before it left it. What comes after a question waits for its answer.
 */
export class ControlInputQueue {
  readonly #post: (inputs: PageInput[]) => Promise<ApiAnswer<unknown>>;
  #turns: Turn[] = [];
  #works = false;

  /** @param post sends one batch; where it gives no answer all that waits is dropped */
  constructor(post: (inputs: PageInput[]) => Promise<ApiAnswer<unknown>>) {
    this.#post = post;
  }

  send(input: PageInput): void {
    const turn = this.#open();
    turn.inputs = withInput(turn.inputs, input);
    void this.#work();
  }

  /** Asks when it is its turn. @param put never rejects */
  ask<Value>(put: () => Promise<ApiAnswer<Value>>): Promise<ApiAnswer<Value>> {
    return new Promise((resolve) => {
      this.#open().question = {
        put: async () => resolve(await put()),
        drop: (why) => resolve({ answer: null, why }),
      };
      void this.#work();
    });
  }

  /** Drops what waits. */
  drop(why: string): void {
    const turns = this.#turns;
    this.#turns = [];
    for (const { question } of turns) question?.drop(why);
  }

  /** The turn that has no question yet. */
  #open(): Turn {
    const last = this.#turns.at(-1);
    if (last && !last.question) return last;
    const turn: Turn = { inputs: [], question: null };
    this.#turns.push(turn);
    return turn;
  }

  async #work(): Promise<void> {
    if (this.#works) return;
    this.#works = true;
    for (let [turn] = this.#turns; turn; [turn] = this.#turns) {
      if (turn.inputs.length > 0) {
        const batch = batchOf(turn.inputs);
        turn.inputs = turn.inputs.slice(batch.length);
        const { why } = await this.#post(batch);
        if (why !== null) this.drop(why);
      } else {
        this.#turns.shift();
        await turn.question?.put();
      }
    }
    this.#works = false;
  }
}
