import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';

/**
 * Words of chat templates: the end of a turn, a role, a tool call. A trainer's tokenizer reads them as control tokens wherever they stand,
 * so a page could end a turn or speak as the model.
 */
const CONTROL_WORDS = [
  ...['s', '/s', 'bos', 'eos', 'pad', 'unk', 'start_of_turn', 'end_of_turn', 'start_of_image', 'end_of_image'],
  ...['think', '/think', 'tool_call', '/tool_call', 'tool_response', '/tool_response', 'tools', '/tools'],
  ...['start_function_call', 'end_function_call', '<SYS>', '</SYS>'],
];

const CONTROL_TOKENS = new Set(CONTROL_WORDS.map((word) => `<${word}>`));

/** `<|im_end|>`, `<｜User｜>`, `[INST]`, `[/INST]`, and words in angle brackets. */
const CONTROL_TOKEN =
  /<[|｜][^<>|｜\n]{1,60}[|｜]>|\[\/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<{1,2}\/?[A-Za-z_]{1,20}>{1,2}/g;

/** Separates the words of chat templates in a text, so that no tokenizer reads them as control tokens. */
export const withoutControlTokens = (text: string): string =>
  text.replace(CONTROL_TOKEN, (token) =>
    /^(?:<[|｜]|\[)/.test(token) || CONTROL_TOKENS.has(token)
      ? `${token[0]} ${token.slice(1, -1)} ${token.at(-1)}`
      : token,
  );

/** An example whose texts of pages, people and models contain no control tokens. Formats add their own. */
export function withoutControlTokensIn(example: DatasetExample): DatasetExample {
  const { goal, input, page, thought, actions, correction } = example;
  return {
    ...example,
    ...mapTexts({ goal, page, thought, actions, correction }),
    input: input && { system: input.system, text: withoutControlTokens(input.text) },
  };
}

function mapTexts<Value>(value: Value): Value {
  const map = (item: Json): Json => {
    if (typeof item === 'string') return withoutControlTokens(item);
    if (Array.isArray(item)) return item.map(map);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, child]) => [key, map(child)]));
  };
  return map(value as Json) as Value;
}
