import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import { canonicalJson } from './canonical-json.ts';

/** Bits in which perceptual hashes of the same image may differ, e.g. after another compression. */
export const MAX_SAME_IMAGE_BITS = 4;

/** Number of different bits of two hashes in hex. */
export function hammingDistance(left: string, right: string): number {
  let distance = 0;
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    let bits = Number.parseInt(left[index] ?? 'f', 16) ^ Number.parseInt(right[index] ?? '0', 16);
    for (; bits > 0; bits >>= 1) distance += bits & 1;
  }
  return distance;
}

/** Texts that make a step different from another one: the page, the goal and the answer. Positions and ids do not count. */
export function textIdentity(example: Omit<DatasetExample, 'textHash'>): string {
  const { goal, page, thought: _, actions, correction, quality, surface, workflow } = example;
  const elements = page.elements.map(({ role, name, value, state }) => [
    role,
    name,
    value ?? null,
    state.checked ?? null,
  ]);
  const answers = [actions, correction?.actions ?? []].map((list) =>
    list.map(({ kind, action, args }) => [kind, action, args ?? null]),
  );
  return canonicalJson([surface, workflow, goal, page.title, pathOf(page.url), elements, quality, answers]);
}

/** URL without its query and fragment, which often hold ids of sessions. */
function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

export interface StepHashes {
  readonly textHash: string;
  /** null: the step has no screenshot. */
  readonly perceptualHash: string | null;
}

/** Steps by the hash of their texts, each with the perceptual hash of its screenshot. Memory: about 170 bytes a step. */
export class DuplicateIndex {
  /** One hash is stored without an array: most texts occur once. */
  private readonly imageHashesByText = new Map<string, string | string[]>();

  /** Number of steps that `add` accepted. */
  size = 0;

  /**
   * Adds a step. Two steps are duplicates if their texts are equal and their screenshots look the same.
   * @returns false if the index has a step like this
   */
  add({ textHash, perceptualHash }: StepHashes): boolean {
    const hash = perceptualHash ?? '';
    const key = keyOf(textHash);
    const stored = this.imageHashesByText.get(key);
    const hashes = typeof stored === 'string' ? [stored] : (stored ?? []);
    if (hashes.some((storedHash) => isSameImage(hash, storedHash))) return false;
    this.imageHashesByText.set(key, stored === undefined ? hash : [...hashes, hash]);
    this.size += 1;
    return true;
  }
}

/** Half of a SHA-256 as 16 characters: enough to tell steps apart. A slice of the text would keep all of it in memory. */
function keyOf(textHash: string): string {
  const bytes = [];
  for (let index = 0; index < 32; index += 2) bytes.push(Number.parseInt(textHash.slice(index, index + 2), 16));
  return String.fromCharCode(...bytes);
}

const isSameImage = (left: string, right: string) =>
  left === right || (left !== '' && right !== '' && hammingDistance(left, right) <= MAX_SAME_IMAGE_BITS);
