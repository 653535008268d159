/** Whose wire protocol was spoken. */
export type WireProtocol = 'gemini' | 'openai' | 'anthropic';

/** What a model was asked, as far as a policy needs to know whatever the protocol. */
export interface ModelServerRequest {
  readonly protocol: WireProtocol;
  readonly model: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the address, without what comes behind `?`. */
  readonly path: string;
  /** The answer is wanted piece by piece. */
  readonly stream: boolean;
  /** As it came. */
  readonly body: Record<string, unknown>;
  /** The system prompt. */
  readonly system: string;
  /** All texts of the messages, in order, one a line. */
  readonly text: string;
  /** All images of the messages, in order. */
  readonly images: readonly Buffer[];
  /** Names of the functions it may call. */
  readonly tools: readonly string[];
}

/** A model's answer, for each protocol to write down in its own way. */
export interface AnswerReply {
  readonly text?: string;
  readonly calls?: readonly { name: string; args: unknown }[];
  /** Default: `calls` with calls, else `stop`. */
  readonly finish?: 'stop' | 'length' | 'safety' | 'calls';
  /** Waited for before each frame of an answer that is wanted piece by piece; left out: it comes at once. @param sent how many were */
  readonly before?: (sent: number) => Promise<unknown> | undefined;
  /** Default: a token for four characters. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
}

/** The same with all that was left out. */
export type CompleteAnswer = Required<Omit<AnswerReply, 'before'>>;

/** A refusal over HTTP. */
export interface ErrorReply {
  readonly status: number;
  readonly message?: string;
  /** `RetryPolicy-After`, as it is sent. */
  readonly retryAfter?: string;
}

/** Anything else that goes wrong. */
export type BrokenReply =
  /** HTTP 200 and this body. */
  | { readonly raw: string }
  /** A call whose arguments are this text, which need not be JSON (of Gemini, which sends objects: a call it calls malformed). */
  | { readonly malformedCall: string }
  /** No answer, until the caller goes. */
  | { readonly hangs: true }
  /** Half of an answer, and the connection is cut. */
  | { readonly cut: true };

export type Reply = AnswerReply | ErrorReply | BrokenReply;

/** What the server knows of a wire protocol. */
export interface Protocol {
  readonly name: WireProtocol;
  /** The model that a path asks for: '' when the body says it; undefined: the path is of another protocol. */
  modelOf(path: string): string | undefined;
  /** Reads a request, without a check: an SDK wrote it. */
  read(body: object): Pick<ModelServerRequest, 'system' | 'text' | 'images' | 'tools'>;
  write(answer: CompleteAnswer, model: string): object;
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
