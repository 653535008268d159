import type Anthropic from '@anthropic-ai/sdk';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelPart, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { ComputerTool, NativeResult, NativeTurn } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import {
  DISABLED_BROWSER_MEMBERS,
  browserTabId,
} from '@pilothouse/core/agent/dialects/native/anthropic-browser.dialect';
import type {
  ConversationExchange,
  ImagePart,
  NativeConversation,
} from '@pilothouse/core/agent/dialects/native/native-conversation';

/* Wire form of Anthropic's computer tools. Members of a toolset are calls with the family as `toolset_name`. */

/** Header value that `computer_20251124` needs. */
export const COMPUTER_20251124_BETA = 'computer-use-2025-11-24';

/** Members that are not offered unless a request enables them, or whose default is not documented. */
const OPTIONAL_COMPUTER_MEMBERS = ['hold_key', 'zoom'];
const OPTIONAL_BROWSER_MEMBERS = ['hold_key', 'zoom', 'file_upload', 'list_tabs', 'switch_tab', 'close_tab'];

const configs = (names: readonly string[], enabled: boolean) =>
  Object.fromEntries(names.map((name) => [name, { enabled }]));

/** The entry of `tools`. */
export function computerToolEntry(tool: ComputerTool, { computer }: ModelRequest): Anthropic.ToolUnion {
  switch (tool) {
    case 'computer_toolset_20260801':
      return { type: tool, configs: configs(OPTIONAL_COMPUTER_MEMBERS, true) };
    case 'browser_toolset_20260801':
      return {
        type: tool,
        configs: { ...configs(OPTIONAL_BROWSER_MEMBERS, true), ...configs(DISABLED_BROWSER_MEMBERS, false) },
      };
    case 'computer_20251124': {
      const { width, height } = computer?.screen ?? { width: 1, height: 1 };
      // The type is only in the beta namespace of the SDK. The endpoint is the same.
      const entry = {
        ...{ type: tool, name: 'computer', enable_zoom: true },
        ...{ display_width_px: width, display_height_px: height },
      };
      return entry as unknown as Anthropic.ToolUnion;
    }
    default:
      throw new PilothouseError('MODEL_REFUSED', `The tool ${tool} is not available for models of this endpoint`);
  }
}

const imageBlock = ({ contentType, data }: ImagePart): Anthropic.ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: contentType, data },
});

const blocksOf = (parts: readonly ModelPart[]): Anthropic.ContentBlockParam[] =>
  parts.flatMap((part): Anthropic.ContentBlockParam[] => {
    if ('text' in part) return [{ type: 'text', text: part.text }];
    return 'image' in part ? [imageBlock(part.image)] : [];
  });

/** The tabs after the last turn. Earlier results have none, because they are not known for them. */
function browserState(
  tool: ComputerTool,
  page: NonNullable<ModelRequest['computer']>['page'],
): Anthropic.BrowserStateBlockParam[] {
  if (tool !== 'browser_toolset_20260801' || !page) return [];
  const { url, title, tabs = [{ url, title, isCurrent: true, isNew: false }] } = page;
  const opened = tabs.flatMap(({ isNew }, index) =>
    isNew ? [{ type: 'tab_opened' as const, tab_id: browserTabId(index) }] : [],
  );
  return [
    {
      type: 'browser_state',
      tabs: tabs.map((tab, index) => ({
        ...{ tab_id: browserTabId(index), url: tab.url, title: tab.title },
        active: tab.isCurrent,
      })),
      ...(opened.length > 0 && { state_changes: opened }),
    },
  ];
}

export function toNativeMessages(
  { opening, exchanges, closing }: NativeConversation,
  { computer }: ModelRequest,
): Anthropic.MessageParam[] {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: blocksOf(opening) }];
  for (const [index, exchange] of exchanges.entries()) {
    const isLast = index === exchanges.length - 1;
    messages.push(
      { role: 'assistant', content: exchange.turn.blocks as unknown as Anthropic.ContentBlockParam[] },
      {
        role: 'user',
        content: [
          ...resultBlocks(exchange, isLast ? browserState(exchange.turn.tool, computer?.page) : []),
          ...(isLast ? blocksOf(closing) : []),
        ],
      },
    );
  }
  return messages;
}

const resultBlocks = (
  { results, image, zooms }: ConversationExchange,
  state: readonly Anthropic.BrowserStateBlockParam[],
): Anthropic.ToolResultBlockParam[] =>
  results.map((result) => ({
    type: 'tool_result',
    tool_use_id: result.id,
    ...(result.toolset !== null && { toolset_name: result.toolset }),
    ...(result.isError && { is_error: true }),
    content: [...resultContent(result, image, zooms.get(result.id)), ...(result.toolset === null ? [] : state)],
  }));

function resultContent({ text, hasImage }: NativeResult, image: ImagePart | null, zoom: ImagePart | undefined) {
  const shown = [...(zoom ? [imageBlock(zoom)] : []), ...(hasImage && image ? [imageBlock(image)] : [])];
  return text === '' && shown.length > 0 ? shown : [{ type: 'text' as const, text: text || 'ok' }, ...shown];
}

/** The turn of a response, with its blocks unchanged. */
export const nativeTurnOf = (tool: ComputerTool, content: readonly Anthropic.ContentBlock[]): NativeTurn => ({
  tool,
  blocks: content as unknown as Json[],
  calls: content.flatMap((block): NativeTurn['calls'] =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id || null,
            name: block.name,
            args: block.input as NativeTurn['calls'][number]['args'],
            toolset: block.toolset_name ?? null,
            checks: [],
          },
        ]
      : [],
  ),
});
