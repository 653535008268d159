import type { ModelAnswer, ModelCall, ModelRequest } from '@pilothouse/contract/model/model.schema';

/** Parses the texts that a model receives, for policies that replace models in specs. */
export class ParsedPrompt {
  /** All texts of the request, system prompt first. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  static of({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): ParsedPrompt {
    const texts = messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
    return new ParsedPrompt([system, ...texts].join('\n'));
  }

  /** The current element list of the page or window. */
  get page(): string {
    return /<<<(page|window) (\w+)\n([\s\S]*?)\n>>>\1 \2$/.exec(this.text)?.[3] ?? '';
  }

  /**
   * Number of the first element whose line matches.
   * @throws Error with the page when no element matches
   */
  element(line: RegExp): number {
    const index = this.maybe(line);
    if (index === undefined) throw new Error(`No element fits ${String(line)} in:\n${this.page}`);
    return index;
  }

  /** Number of the first element whose line matches; undefined without a match. */
  maybe(line: RegExp): number | undefined {
    // A control of a row is inside its cell; the row is the whole line.
    const lines = this.page.split('\n');
    const cells = lines.flatMap((text) => text.split(/ \| (?=\[\d+\] )/));
    const fits = [...cells, ...lines].find((text) => /^\[\d+\]/.test(text) && line.test(text));
    return fits === undefined ? undefined : Number(/^\[(\d+)\]/.exec(fits)?.[1]);
  }
}

/** Function calls of a policy in one turn. */
export type ScriptedPolicy = (prompt: ParsedPrompt) => ModelCall[];

/** Separate functions; other actions are calls of `act`. */
const separateFunctions = new Set(['done']);

/**
 * Creates a call in the offered form.
 * @param name of a function, or of an action
 */
export const call = (name: string, args: ModelCall['args'] = {}): ModelCall =>
  separateFunctions.has(name) ? { name, args } : { name: 'act', args: { action: name, ...args } };

/** Creates a model answer. */
export const modelAnswer = (calls: ModelCall[], text = 'As the policy says'): ModelAnswer => ({
  text,
  calls,
  finish: calls.length > 0 ? 'calls' : 'stop',
  provider: 'scripted',
  model: 'policy',
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  usd: 0,
  durationMs: 1,
});
