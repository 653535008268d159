import type { ComputerUse, Content, Environment, Part, SafetyPolicy } from '@google/genai';
import type { ModelPart, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { NativeCall, NativeTurn, SafetyCheck } from '@pilothouse/contract/model/native-turn.schema';
import type { Json, SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type {
  ConversationExchange,
  NativeConversation,
} from '@pilothouse/core/agent/dialects/native/native-conversation';

/* Wire form of Gemini's tool `computerUse`. */

/** Functions of the desktop tool without an equivalent action. */
const UNSUPPORTED_FUNCTIONS = ['mouse_down', 'mouse_up', 'key_down', 'key_up'];

/** The tool of each surface. */
const computerTools: Readonly<Record<SurfaceKind, ComputerUse>> = {
  browser: { environment: 'ENVIRONMENT_BROWSER' as Environment },
  desktop: {
    environment: 'ENVIRONMENT_DESKTOP' as Environment,
    excludedPredefinedFunctions: UNSUPPORTED_FUNCTIONS,
  },
};

/** The tool of a request. The provider looks for instructions in screenshots. */
export const computerUseOf = ({
  surface,
  disabledSafetyPolicies = [],
}: NonNullable<ModelRequest['computer']>): ComputerUse => ({
  ...computerTools[surface],
  enablePromptInjectionDetection: true,
  ...(disabledSafetyPolicies.length > 0 && { disabledSafetyPolicies: disabledSafetyPolicies as SafetyPolicy[] }),
});

/** Id of a call without one. Its result is matched by order. */
const POSITION_ID = 'position_';

/** The end of a stream is an empty text. Only one with a signature belongs to the turn. */
const isPartOfTurn = ({ text, thoughtSignature }: Part) => text !== '' || thoughtSignature !== undefined;

/** The turn of a response, with its parts unchanged. */
export const nativeTurnOf = (parts: readonly Part[]): NativeTurn => ({
  tool: 'gemini_computer_use',
  blocks: parts.filter(isPartOfTurn) as unknown as Json[],
  calls: parts.flatMap(({ functionCall }, index): NativeCall[] => {
    if (!functionCall) return [];
    const args = (functionCall.args ?? {}) as NativeCall['args'];
    const id = functionCall.id ?? `${POSITION_ID}${index}`;
    return [{ id, name: functionCall.name ?? '', args, toolset: null, checks: checksOf(args['safety_decision']) }];
  }),
});

/** A safety decision other than to allow the call needs a person. */
function checksOf(safety: Json | undefined): SafetyCheck[] {
  if (typeof safety !== 'object' || safety === null || Array.isArray(safety)) return [];
  const { decision, explanation } = safety;
  if (typeof decision !== 'string' || decision === 'allowed' || decision === 'regular') return [];
  return [{ id: 'safety_decision', code: decision, message: typeof explanation === 'string' ? explanation : null }];
}

export function toNativeContents(
  { opening, exchanges, closing }: NativeConversation,
  { computer }: ModelRequest,
): Content[] {
  const contents: Content[] = [{ role: 'user', parts: partsOf(opening) }];
  for (const [index, exchange] of exchanges.entries()) {
    const isLast = index === exchanges.length - 1;
    contents.push(
      { role: 'model', parts: exchange.turn.blocks as unknown as Part[] },
      {
        role: 'user',
        parts: [
          ...responsesOf(exchange, isLast ? computer?.page?.url : undefined),
          ...(isLast ? partsOf(closing) : []),
        ],
      },
    );
  }
  return contents;
}

const partsOf = (parts: readonly ModelPart[]): Part[] =>
  parts.flatMap((part): Part[] => {
    if ('text' in part) return [{ text: part.text }];
    return 'image' in part ? [{ inlineData: { mimeType: part.image.contentType, data: part.image.data } }] : [];
  });

const responsesOf = ({ results, image }: ConversationExchange, url: string | undefined): Part[] =>
  results.map(({ id, name, text, isError, hasImage, acknowledged }) => ({
    functionResponse: {
      ...(!id.startsWith(POSITION_ID) && { id }),
      name,
      response: {
        [isError ? 'error' : 'output']: text || 'ok',
        ...(url !== undefined && { url }),
        ...(acknowledged.length > 0 && { safety_acknowledgement: 'true' }),
      },
      ...(hasImage && image && { parts: [{ inlineData: { mimeType: image.contentType, data: image.data } }] }),
    },
  }));
