import { MAX_ASSIGNMENT_CHARS, type ToWorkerOf } from '@pilothouse/contract';

/** Longest message that is put together, in characters: an assignment, and what is around it. */
const MAX_CHARS = MAX_ASSIGNMENT_CHARS + 1_000;

/** Puts messages together that come in pieces, on one connection. */
export class ChunkAssembler {
  private readonly begun = new Map<number, string>();

  /** @returns the whole text, with its last piece; one that becomes too long is forgotten */
  add({ of, text, last }: ToWorkerOf<'piece'>): string | undefined {
    const whole = (this.begun.get(of) ?? '') + text;
    if (last || whole.length > MAX_CHARS) this.begun.delete(of);
    else this.begun.set(of, whole);
    return last && whole.length <= MAX_CHARS ? whole : undefined;
  }
}
