/*
 * Function calls in the tags of chat templates, which servers without a parser for the model return as text:
 * - Qwen3-Coder: `<function=click><parameter=element>5</parameter></function>`
 * - Llama 3: `<function=click>{"element": 5}</function>`
 * - `<invoke name="click"><parameter name="element">5</parameter></invoke>`
 * - Mistral: `[TOOL_CALLS]click[ARGS]{"element": 5}`
 * Each text is scanned once, so that its time is linear.
 */

/** A call. Its arguments are texts, or the JSON of the body. */
export interface TaggedCall {
  readonly name: string;
  readonly arguments: string | Readonly<Record<string, string>>;
}

interface TagForm {
  /** Start of the opening tag. */
  readonly open: string;
  readonly close: string;
  readonly parameterOpen: string;
  /** End of an opening tag, after the name. */
  readonly tagEnd: string;
}

const FORMS: readonly TagForm[] = [
  { open: '<function=', close: '</function>', parameterOpen: '<parameter=', tagEnd: '>' },
  { open: '<invoke name="', close: '</invoke>', parameterOpen: '<parameter name="', tagEnd: '">' },
];

const PARAMETER_CLOSE = '</parameter>';

/** Longest name of a function or a parameter. */
const MAX_NAME_CHARS = 100;

/** Reads the calls in tags. @returns null: there are none, or one of them has no end */
export function readTaggedCalls(text: string): { readonly calls: readonly TaggedCall[]; readonly lead: string } | null {
  for (const form of FORMS) {
    const start = text.indexOf(form.open);
    if (start < 0) continue;
    const calls = callsIn(text, start, form);
    return calls && { calls, lead: text.slice(0, start).trim() };
  }
  return readMistralCalls(text);
}

function callsIn(text: string, first: number, form: TagForm): TaggedCall[] | null {
  const calls: TaggedCall[] = [];
  for (let start = first; start >= 0;) {
    const tag = tagAt(text, start, form.open, form.tagEnd);
    // Qwen3-Coder omits the end of the last call at times, but never that of a parameter.
    const end = tag ? text.indexOf(form.close, tag.end) : -1;
    if (!tag || end < 0) return null;
    const body = text.slice(tag.end, end);
    const args = body.includes(form.parameterOpen) ? parametersOf(body, form) : body.trim() || {};
    if (args === null) return null;
    calls.push({ name: tag.name, arguments: args });
    start = text.indexOf(form.open, end);
  }
  return calls;
}

/** Parameters of a call. @returns null: one has no end, or occurs twice */
function parametersOf(body: string, { parameterOpen, tagEnd }: TagForm): Record<string, string> | null {
  const parameters: [string, string][] = [];
  for (let start = body.indexOf(parameterOpen); start >= 0;) {
    const tag = tagAt(body, start, parameterOpen, tagEnd);
    const end = tag ? body.indexOf(PARAMETER_CLOSE, tag.end) : -1;
    if (!tag || end < 0) return null;
    parameters.push([tag.name, withoutLineBreaks(body.slice(tag.end, end))]);
    start = body.indexOf(parameterOpen, end);
  }
  return new Set(parameters.map(([name]) => name)).size < parameters.length ? null : Object.fromEntries(parameters);
}

/** Name in an opening tag, and the position after it. */
function tagAt(text: string, start: number, open: string, tagEnd: string): { name: string; end: number } | null {
  const nameStart = start + open.length;
  const length = text.slice(nameStart, nameStart + MAX_NAME_CHARS).indexOf(tagEnd);
  if (length <= 0) return null;
  return { name: text.slice(nameStart, nameStart + length).trim(), end: nameStart + length + tagEnd.length };
}

/** Removes the line break that templates write on each side of a value. */
const withoutLineBreaks = (value: string) =>
  value.slice(value.startsWith('\n') ? 1 : 0, value.endsWith('\n') && value.length > 1 ? -1 : undefined);

const MISTRAL_CALL = '[TOOL_CALLS]';
const MISTRAL_ARGUMENTS = '[ARGS]';

function readMistralCalls(text: string): ReturnType<typeof readTaggedCalls> {
  const [lead = '', ...bodies] = text.split(MISTRAL_CALL);
  const calls = bodies.flatMap((body) => {
    const argumentsStart = body.slice(0, MAX_NAME_CHARS + MISTRAL_ARGUMENTS.length).indexOf(MISTRAL_ARGUMENTS);
    const name = body.slice(0, Math.max(0, argumentsStart)).trim();
    return name === '' ? [] : [{ name, arguments: body.slice(argumentsStart + MISTRAL_ARGUMENTS.length).trim() }];
  });
  return calls.length > 0 && calls.length === bodies.length ? { calls, lead: lead.trim() } : null;
}
