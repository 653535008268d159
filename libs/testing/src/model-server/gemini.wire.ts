import { geminiRefusal } from './computer-tool-rules.ts';
import { frame, splitInHalf, textOf, withNestedParts, type WirePart, type Protocol } from './wire-protocol.ts';

interface Request {
  systemInstruction?: { parts?: WirePart[] };
  contents?: { parts?: WirePart[] }[];
  tools?: { functionDeclarations?: { name: string }[] }[];
}

const finishes = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', safety: 'SAFETY' } as const;

/** Paths of models in the Gemini API and in Vertex AI. */
const PATH =
  /^\/v1(?:beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/)?models\/([^/:]+):(?:generateContent|streamGenerateContent)$/;

/** `generateContent` of the Gemini API and of Vertex AI. */
export const gemini: Protocol = {
  name: 'gemini',
  modelOf: (path) => PATH.exec(path)?.[1],
  read: (body) => {
    const { systemInstruction, contents = [], tools = [] } = body as Request;
    const parts = withNestedParts(contents.flatMap((content) => content.parts ?? []));
    return {
      system: textOf(systemInstruction?.parts ?? []),
      text: textOf(parts),
      images: parts.flatMap(({ inlineData }) => (inlineData ? [Buffer.from(inlineData.data, 'base64')] : [])),
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    };
  },
  refusalOf: geminiRefusal,
  write: ({ text, calls, blocks, finish, usage }, model) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: blocks ?? [
            ...(text ? [{ text }] : []),
            ...calls.map((call, index) => ({ functionCall: call, thoughtSignature: btoa(`signature ${index}`) })),
          ],
        },
        finishReason: finishes[finish],
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      ...(usage.cached && { cachedContentTokenCount: usage.cached }),
    },
    modelVersion: model,
  }),
  malformedCall: (text, model) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: model,
  }),
  streams: (path) => path.endsWith(':streamGenerateContent'),
  frames: (responseBody) => {
    const { candidates, ...rest } = responseBody as { candidates: { content?: { parts?: WirePart[] } }[] };
    const [{ content, ...ending }] = candidates as [{ content?: { parts?: WirePart[] } }];
    const pieces = (content?.parts ?? []).flatMap((part): WirePart[] =>
      part.text === undefined ? [part] : splitInHalf(part.text).map((text) => ({ text })),
    );
    const chunk = (part: WirePart) => frame({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] });
    const last = { ...rest, candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, ...ending }] };
    return [...pieces.map(chunk), frame(last)];
  },
  error: (code, message) => ({ error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL' } }),
};
