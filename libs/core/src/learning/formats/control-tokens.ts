import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';

/**
 * Words of chat templates: the end of a turn, a role, a tool call. A trainer's tokenizer reads them as control tokens wherever they stand,
 * so a page could end a turn or speak as the model.
 */
const CONTROL_WORDS = [
  ...['s', '/s', 'bos', 'eos', 'pad', 'unk', 'start_of_turn', 'end_of_turn', 'start_of_image', 'end_of_image'],
  ...['think', '/think', 'tool_call', '/tool_call', 'tool_response', '/tool_response', 'tools', '/tools'],
  ...['start_function_call', 'end_function_call', 'start_function_declaration', 'end_function_declaration'],
  ...[
    'start_function_response',
    'end_function_response',
    'escape',
    'function_calls',
    '/function_calls',
    '<SYS>',
    '</SYS>',
  ],
  ...[
    'start_of_audio',
    'end_of_audio',
    'image_soft_token',
    'audio_soft_token',
    'image',
    'video',
    'audio',
    'mask',
    'cls',
    'sep',
    'sop',
    'eop',
  ],
  ...['arg_key', '/arg_key', 'arg_value', '/arg_value', 'tool_calls', '/tool_calls', 'observation', '/observation'],
  ...['minimax:tool_call', '/minimax:tool_call', 'seed:think', '/seed:think', 'seed:tool_call', '/seed:tool_call'],
  ...['fim_prefix', 'fim_middle', 'fim_suffix', 'file_sep', 'endoftext'],
];

const CONTROL_TOKENS = new Set(CONTROL_WORDS.map((word) => `<${word}>`));

/** Words in square brackets: Mistral, GLM, BERT. */
const BRACKET_WORDS =
  'INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|MODEL_SETTINGS|THINK|ARGS|CALL_ID|IMG|IMG_BREAK|IMG_END|AUDIO|gMASK|CLS|SEP|PAD|UNK|MASK|BOS|EOS';

const PIPE_TOKEN = '<[|｜][^<>|｜\\n]{1,60}[|｜]?>|<[^<>|｜\\s]{1,60}[|｜]>';
const NUMBERED_TOKEN = '<(?:unused|extra_id_|reserved_token_)\\d{1,5}>';
const WORD_TOKEN = '<{1,2}/?[A-Za-z_:]{1,40}>{1,2}';

/** `<|im_end|>`, `<｜User｜>`, `<|turn>`, `<turn|>`, `[INST]`, `[/INST]`, `<unused7>`, and words in angle brackets. */
const CONTROL_TOKEN = new RegExp(`${PIPE_TOKEN}|\\[/?(?:${BRACKET_WORDS})\\]|${NUMBERED_TOKEN}|${WORD_TOKEN}`, 'g');

/** The token without a further bracket before and after it: `<<s>` contains `<s>`. */
const withSingleBrackets = (token: string): string => token.replace(/^<+/, '<').replace(/>+$/, '>');

const isControlToken = (token: string): boolean =>
  /^(?:<[|｜]|\[)|[|｜\d]>$/.test(token) || CONTROL_TOKENS.has(token) || CONTROL_TOKENS.has(withSingleBrackets(token));

/** Separates the words of chat templates in a text, so that no tokenizer reads them as control tokens. */
export const withoutControlTokens = (text: string): string =>
  text.replace(CONTROL_TOKEN, (token) =>
    isControlToken(token) ? token.replaceAll(/[<[]/g, '$& ').replaceAll(/[>\]]/g, ' $&') : token,
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
