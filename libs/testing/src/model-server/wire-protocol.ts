/** Providers by wire protocol. */
export type WireProtocol = 'gemini' | 'openai' | 'anthropic';

/** A model request in a form that is independent of the protocol. */
export interface ModelServerRequest {
  readonly protocol: WireProtocol;
  readonly model: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Path of the address, without the query. */
  readonly path: string;
  /** True for a streaming request. */
  readonly stream: boolean;
  /** The request body, unchanged. */
  readonly body: Record<string, unknown>;
  /** The system prompt. */
  readonly system: string;
  /** All texts of the messages in order, one per line. */
  readonly text: string;
  /** All images of the messages, in order. */
  readonly images: readonly Buffer[];
  /** Names of the offered functions. */
  readonly tools: readonly string[];
}

/** A model answer, which each protocol encodes. */
export interface AnswerReply {
  readonly text?: string;
  readonly calls?: readonly { name: string; args: unknown }[];
  /** Blocks of the turn in the form of the provider, instead of `text` and `calls`: thoughts and calls of a computer tool. */
  readonly blocks?: readonly object[];
  /** Default: `calls` with calls, else `stop`. */
  readonly finish?: 'stop' | 'length' | 'safety' | 'calls';
  /**
   * Awaited before each frame of a streamed answer. Undefined: no delay.
   * @param sentFrames number of sent frames
   */
  readonly before?: (sentFrames: number) => Promise<unknown> | undefined;
  /** Default: one token per four characters. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
}

/** An answer with all defaults applied. */
export type CompleteAnswer = Required<Omit<AnswerReply, 'before' | 'blocks'>> & Pick<AnswerReply, 'blocks'>;

/** An HTTP error. */
export interface ErrorReply {
  readonly status: number;
  readonly message?: string;
  /** Value of the `Retry-After` header. */
  readonly retryAfter?: string;
}

/** Other failures. */
export type BrokenReply =
  /** HTTP 200 and this body. */
  | { readonly raw: string }
  /**
   * A call with this text as arguments, which need not be JSON. Gemini sends objects, and reports such a call as
   * malformed.
   */
  | { readonly malformedCall: string }
  /** No response until the client disconnects. */
  | { readonly hangs: true }
  /** Half of an answer, and then a closed connection. */
  | { readonly cut: true };

export type Reply = AnswerReply | ErrorReply | BrokenReply;

/** Blocks of the turns that a server sent, by the ids of their calls. */
export type SentBlocks = ReadonlyMap<string, readonly object[]>;

/** A wire protocol. */
export interface Protocol {
  readonly name: WireProtocol;
  /** Model in a path; '' when the body names it; undefined: the path belongs to another protocol. */
  modelOf(path: string): string | undefined;
  /** Parses a request without validation, because an SDK wrote it. */
  read(body: object): Pick<ModelServerRequest, 'system' | 'text' | 'images' | 'tools'>;
  write(answer: CompleteAnswer, model: string): object;
  /**
   * Checks the conversation of a computer tool as the provider does.
   * @param sent blocks of earlier turns, by the id of each call
   * @returns reason to refuse the request; null: it has no such tool, or is correct
   */
  refusalOf?(body: object, sent: SentBlocks): string | null;
  malformedCall(text: string, model: string): object;
  /** True for a streaming request. */
  streams(path: string, body: object): boolean;
  /** Splits the result of `write` or `malformedCall` into the frames of an event stream. */
  frames(responseBody: object): string[];
  error(status: number, message: string): object;
}

/**
 * A frame of an event stream.
 * @param event its type; undefined: no type
 */
export const frame = (data: object | string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** Splits a text in two, as in a stream. */
export const splitInHalf = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** A part of a message, with the fields that are read of each protocol. */
export interface WirePart {
  readonly type?: string;
  readonly text?: string;
  readonly inlineData?: { readonly data: string };
  readonly image_url?: { readonly url: string };
  readonly source?: { readonly data: string };
  /** Content of a result. */
  readonly content?: string | readonly WirePart[];
  readonly functionResponse?: {
    readonly response?: object;
    readonly parts?: readonly WirePart[];
  };
  /** Call ids. */
  readonly id?: string;
  readonly call_id?: string;
  readonly functionCall?: { readonly id?: string; readonly name?: string };
}

/** Parts, and those inside of results. */
export const withNestedParts = (parts: readonly WirePart[]): readonly WirePart[] =>
  parts.flatMap((part) => [part, ...partsOf(part.content), ...(part.functionResponse?.parts ?? [])]);

/** The parts of a message whose content may be a text. */
export const partsOf = (content: string | readonly WirePart[] | null | undefined): readonly WirePart[] =>
  typeof content === 'string' ? [{ text: content }] : (content ?? []);

/** The texts of parts, one per line. */
export const textOf = (parts: readonly WirePart[]) => parts.flatMap(({ text }) => text ?? []).join('\n');
