import type { ComputerTool, NativeExchange } from '@pilothouse/contract/model/native-turn.schema';
import type { ModelPart, ModelRequest, ModelTool } from '@pilothouse/contract/model/model.schema';

/* The conversation of a model with a computer tool: the goal, the last turns with their results, and the screen as it is now. */

export type ImagePart = Extract<ModelPart, { image: unknown }>['image'];

/** An earlier turn, with the screenshot after it. */
export interface ConversationExchange extends Pick<NativeExchange, 'turn' | 'results'> {
  /** Null: no screenshot. */
  readonly image: ImagePart | null;
  /** Enlarged regions, by the id of the call. */
  readonly zooms: ReadonlyMap<string, ImagePart>;
}

export interface NativeConversation {
  readonly system: string;
  /** First message of the user. */
  readonly opening: readonly ModelPart[];
  readonly exchanges: readonly ConversationExchange[];
  /** Parts after the last results. */
  readonly closing: readonly ModelPart[];
  /** Functions beside the tool. */
  readonly tools: readonly ModelTool[];
}

const RULES = `With the computer tool, name points in the coordinates of the newest screenshot. Calls of one turn are executed in order until one fails; the results say which were executed. Each is checked, and a person may have to approve it.`;

/**
 * Builds the conversation. Leaves out each turn whose screenshot is gone, and all turns before it: providers refuse them.
 * Screenshots are gone after a recovery. If the last turn is left out, the opening ends with its results as text.
 * @param needsAcknowledgement true: the provider accepts no turn with an open safety check; such a turn is left out, too
 */
export function nativeConversation(
  { system, messages, tools = [], computer }: ModelRequest,
  tool: ComputerTool,
  needsAcknowledgement: boolean,
): NativeConversation {
  const parts = messages.flatMap(({ role, parts: messageParts }) => (role === 'user' ? messageParts : []));
  const images = parts.flatMap((part) => ('image' in part ? [part.image] : []));
  const earlierTurns = computer?.exchanges ?? [];
  const unusable = earlierTurns.findLastIndex(
    ({ turn, screenshot, results }) =>
      turn.tool !== tool ||
      screenshot === null ||
      !images[screenshot] ||
      (needsAcknowledgement && hasUnacknowledgedCheck(turn, results)),
  );
  const exchanges = earlierTurns.slice(unusable + 1);
  const lostResults = exchanges.length === 0 ? (earlierTurns.at(-1)?.results ?? []) : [];
  const used = new Set(
    exchanges.flatMap(({ screenshot, results }) => [screenshot, ...results.map(({ zoom = null }) => zoom)]),
  );
  const lastImage = parts.findLastIndex((part) => 'image' in part);
  const isFinal = (index: number) => exchanges.length > 0 && index > lastImage;
  let imageIndex = -1;
  const isOpening = parts.map((part, index) => {
    if ('image' in part) imageIndex += 1;
    const next = parts[index + 1];
    // The text before an image is its heading.
    const image = 'image' in part ? imageIndex : next && 'image' in next && index > 0 ? imageIndex + 1 : null;
    return !isFinal(index) && (image === null || !used.has(image));
  });
  return {
    system: [system, RULES].filter(Boolean).join('\n\n'),
    opening: [...parts.filter((_, index) => isOpening[index]), ...resultParts(lostResults)],
    exchanges: exchanges.map(({ turn, results, screenshot }) => ({
      turn,
      results,
      image: screenshot === null ? null : (images[screenshot] ?? null),
      zooms: new Map(
        results.flatMap(({ id, zoom }) => {
          const image = zoom === undefined ? undefined : images[zoom];
          return image ? [[id, image] as const] : [];
        }),
      ),
    })),
    closing: parts.filter((_, index) => isFinal(index)),
    tools: [
      ...tools.filter(({ name }) => !computer?.replaces.includes(name)),
      ...addedTools(computer?.adds ?? [], tool),
    ],
  };
}

/** Functions that a tool has as members of its own. */
const BROWSER_TOOLSET_FUNCTIONS: ReadonlySet<string> = new Set(['upload', 'switchTab', 'closeTab']);

const addedTools = (adds: readonly ModelTool[], tool: ComputerTool): ModelTool[] =>
  adds.filter(({ name }) => tool !== 'browser_toolset_20260801' || !BROWSER_TOOLSET_FUNCTIONS.has(name));

const resultParts = (results: NativeExchange['results']): ModelPart[] =>
  results.length === 0
    ? []
    : [{ text: ['Results of the last turn:', ...results.map(({ name, text }) => `${name}: ${text}`)].join('\n') }];

const hasUnacknowledgedCheck = ({ calls }: NativeExchange['turn'], results: NativeExchange['results']): boolean =>
  calls.some(
    ({ id, checks }) => checks.length > (results.find((result) => result.id === id)?.acknowledged.length ?? 0),
  );
