import type { ModelServerRequest, WholeAnswer, WireProtocol } from './reply.ts';

/** What the server knows of a wire protocol. */
export interface Protocol {
  readonly name: WireProtocol;
  /** The model that a path asks for: '' when the body says it; undefined: the path is of another protocol. */
  modelOf(path: string): string | undefined;
  /** Reads a request, without a check: an SDK wrote it. */
  read(body: object): Pick<ModelServerRequest, 'system' | 'text' | 'images' | 'tools'>;
  write(answer: WholeAnswer, model: string): object;
  malformedCall(text: string, model: string): object;
  /** Whether the answer is wanted piece by piece. */
  streams(path: string, body: object): boolean;
  /** What `write` or `malformedCall` made, piece by piece: the frames of a stream of events. */
  frames(whole: object): string[];
  error(status: number, message: string): object;
}

/** A frame of a stream of events. @param event its type; left out: it has none */
export const frame = (data: object | string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** A text in two pieces, as it may come in a stream. */
export const splitInHalf = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** A part of a message: of each protocol the fields that are looked at. */
export interface WirePart {
  readonly type?: string;
  readonly text?: string;
  readonly inlineData?: { readonly data: string };
  readonly image_url?: { readonly url: string };
  readonly source?: { readonly data: string };
}

/** The parts of a message whose content may be a text. */
export const partsOf = (content: string | readonly WirePart[] | null | undefined): readonly WirePart[] =>
  typeof content === 'string' ? [{ text: content }] : (content ?? []);

/** The texts of parts, one a line. */
export const textOf = (parts: readonly WirePart[]) => parts.flatMap(({ text }) => text ?? []).join('\n');
