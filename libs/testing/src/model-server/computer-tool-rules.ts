import { isDeepStrictEqual } from 'node:util';
import { partsOf, type SentBlocks, type WirePart } from './wire-protocol.ts';

/*
 * Rules of the providers for conversations with a computer tool: turns come back unchanged, with one result for each call, in the order of
 * the calls, and with a screenshot. Shapes are those of `@anthropic-ai/sdk` 1.14.0, `openai` 7.59.0 and `@google/genai` 3.3.0.
 */

interface Block extends WirePart {
  readonly type?: string;
  readonly name?: string;
  readonly toolset_name?: string | null;
  readonly tool_use_id?: string;
  readonly configs?: Readonly<Record<string, { enabled?: boolean }>> | null;
}

const callIdOf = (block: Block): string | undefined =>
  block.functionCall
    ? (block.functionCall.id ?? block.functionCall.name)
    : (block.call_id ?? (block.type === 'tool_use' ? block.id : undefined));

/** Ids of the calls of a turn. */
export const callIdsOf = (blocks: readonly object[]): string[] =>
  blocks.flatMap((block) => callIdOf(block as Block) ?? []);

/** Reason why a turn differs from the one that was sent; null: it does not. A turn that this server did not send is not compared. */
function changedTurn(blocks: readonly object[], sent: SentBlocks): string | null {
  const original = callIdsOf(blocks).map((id) => sent.get(id))[0];
  return original === undefined || isDeepStrictEqual(original, JSON.parse(JSON.stringify(blocks)))
    ? null
    : 'thinking and calls of an earlier turn must be returned unchanged';
}

function orderProblem(calls: readonly (string | undefined)[], results: readonly (string | undefined)[]): string | null {
  return isDeepStrictEqual(calls, results)
    ? null
    : `each call needs one result, in order: expected ${calls.join(', ')}, got ${results.join(', ')}`;
}

const COMPUTER_MEMBERS: ReadonlySet<string> = new Set(
  'key hold_key type cursor_position mouse_move left_mouse_down left_mouse_up left_click left_click_drag right_click middle_click double_click triple_click scroll wait screenshot zoom'.split(
    ' ',
  ),
);

const BROWSER_MEMBERS: ReadonlySet<string> = new Set(
  'navigate screenshot zoom left_click right_click middle_click double_click triple_click hover left_click_drag left_mouse_down left_mouse_up mouse_move scroll scroll_to type key hold_key form_input read_page find get_page_text wait file_upload read_console read_network javascript_exec new_tab list_tabs switch_tab close_tab'.split(
    ' ',
  ),
);

const TOOLSETS: Readonly<Record<string, { readonly family: string; readonly members: ReadonlySet<string> }>> = {
  computer_toolset_20260801: { family: 'computer', members: COMPUTER_MEMBERS },
  browser_toolset_20260801: { family: 'browser', members: BROWSER_MEMBERS },
};

/** Rules of Anthropic. */
export function anthropicRefusal(body: object, sent: SentBlocks): string | null {
  const { tools = [], messages = [] } = body as {
    tools?: Block[];
    messages?: { role: string; content?: string | Block[] }[];
  };
  const entry = tools.find(({ type }) => type?.includes('computer') || type?.includes('browser'));
  if (!entry) return null;
  const toolset = TOOLSETS[entry.type ?? ''];
  if (!toolset && entry.type !== 'computer_20251124') return `tools: unknown type ${entry.type}`;
  if (toolset && entry.name !== undefined) return 'tools: a toolset has no name';
  if (!toolset && !('display_width_px' in entry && 'display_height_px' in entry))
    return 'tools: the display has no size';
  const unknown = Object.keys(entry.configs ?? {}).find((name) => !toolset?.members.has(name));
  if (unknown !== undefined) return `configs: unknown member ${unknown}`;
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue;
    const blocks = partsOf(content) as readonly Block[];
    const results = (partsOf(messages[index + 1]?.content) as readonly Block[]).filter(
      ({ type }) => type === 'tool_result',
    );
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    const problem =
      changedTurn(blocks, sent) ??
      orderProblem(
        callIdsOf(blocks),
        results.map(({ tool_use_id: id }) => id),
      ) ??
      anthropicResultProblem(calls, results, toolset?.family);
    if (problem !== null) return problem;
  }
  return null;
}

function anthropicResultProblem(calls: readonly Block[], results: readonly Block[], family: string | undefined) {
  const wrong = calls.find((call, index) => (call.toolset_name ?? null) !== (results[index]?.toolset_name ?? null));
  if (wrong) return `the result of ${wrong.name} has another toolset_name than its call`;
  const tabs = results.flatMap(({ content }) =>
    partsOf(content).filter(({ type }) => type === 'browser_state'),
  ) as readonly { tabs?: readonly { active?: boolean }[] }[];
  if (family !== 'browser' && tabs.length > 0) return 'browser_state belongs to the browser toolset';
  if (tabs.some(({ tabs: list = [] }) => list.filter(({ active }) => active).length !== 1))
    return 'browser_state: exactly one tab is active';
  const isMember = (call: Block) => (family ? call.toolset_name === family : call.name === 'computer');
  const hasImage = results.some(({ content }) => partsOf(content).some(({ type }) => type === 'image'));
  return calls.some(isMember) && !hasImage ? 'the results of a turn have no screenshot' : null;
}

/** Rules of OpenAI's Responses API. */
export function openaiRefusal(body: object, sent: SentBlocks): string | null {
  interface Item extends Block {
    readonly role?: string;
    readonly output?: { readonly image_url?: string } | string;
    readonly pending_safety_checks?: readonly { readonly id: string }[];
    readonly acknowledged_safety_checks?: readonly { readonly id: string }[];
  }
  const {
    input = [],
    tools = [],
    previous_response_id: previous,
  } = body as {
    input?: Item[];
    tools?: Block[];
    previous_response_id?: string;
  };
  if (!tools.some(({ type }) => type === 'computer')) return null;
  if (previous !== undefined) return 'previous_response_id: the response is not stored';
  const isOutput = ({ type }: Item) => type?.endsWith('_call_output') === true;
  const isTurn = ({ type, role }: Item) => role !== 'user' && type !== undefined && !type.endsWith('_output');
  for (let start = input.findIndex(isTurn); start >= 0;) {
    const length = input.slice(start).findIndex((item) => !isTurn(item));
    const turn = input.slice(start, length < 0 ? undefined : start + length);
    const rest = input.slice(start + turn.length);
    const end = rest.findIndex((item) => !isOutput(item));
    const outputs = rest.slice(0, end < 0 ? undefined : end);
    const problem =
      changedTurn(turn, sent) ??
      orderProblem(
        callIdsOf(turn),
        outputs.map(({ call_id: id }) => id),
      ) ??
      null;
    if (problem !== null) return problem;
    for (const call of turn.filter(({ type }) => type === 'computer_call')) {
      const output = outputs.find(({ call_id: id }) => id === call.call_id);
      const url = typeof output?.output === 'object' ? output.output.image_url : undefined;
      if (output?.type !== 'computer_call_output' || !url?.startsWith('data:image/'))
        return `the output of ${call.call_id} has no screenshot`;
      const ids = (checks: Item['pending_safety_checks'] = []) => checks.map(({ id }) => id);
      if (!isDeepStrictEqual(ids(call.pending_safety_checks), ids(output.acknowledged_safety_checks)))
        return `the safety checks of ${call.call_id} are not acknowledged`;
    }
    const next = rest.findIndex(isTurn);
    start = next < 0 ? -1 : start + turn.length + next;
  }
  return null;
}

/** Rules of Gemini. */
export function geminiRefusal(body: object, sent: SentBlocks): string | null {
  interface Part extends Block {
    readonly functionResponse?: {
      readonly id?: string;
      readonly name?: string;
      readonly response?: object;
      readonly parts?: readonly WirePart[];
    };
  }
  const { tools = [], contents = [] } = body as {
    tools?: { computerUse?: object; functionDeclarations?: { name: string }[] }[];
    contents?: { role?: string; parts?: Part[] }[];
  };
  if (!tools.some(({ computerUse }) => computerUse)) return null;
  const functions = new Set(
    tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
  );
  for (const [index, { role, parts = [] }] of contents.entries()) {
    if (role !== 'model') continue;
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    const responses = (contents[index + 1]?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []);
    const problem =
      changedTurn(parts, sent) ??
      orderProblem(
        calls.map(({ id, name }) => id ?? name),
        responses.map(({ id, name }) => id ?? name),
      );
    if (problem !== null) return problem;
    const isComputerTurn = calls.some(({ name }) => !functions.has(name ?? ''));
    if (isComputerTurn && !responses.some(({ parts: images = [] }) => images.some(({ inlineData }) => inlineData)))
      return 'the results of a turn have no screenshot';
  }
  return null;
}
