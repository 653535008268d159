import type { TuningEstimate } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { StartTuning, TunerKind } from '@pilothouse/contract/learning/tuning.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';

/** Bytes of UTF-8 that count as one token. */
const BYTES_PER_TOKEN = 4;

/** Tokens of an image of 1280 × 720 pixels: 2 tiles of 258 tokens at Vertex AI, patches of 28 × 28 pixels elsewhere. */
const imageTokensOf: Readonly<Record<TunerKind, number>> = {
  vertex: 516,
  openai: 1_200,
  together: 1_200,
  fireworks: 1_200,
  kubernetes: 1_200,
};

/** Epochs of a tuning job whose request names none. */
const usualEpochs: Readonly<Record<TunerKind, number>> = {
  vertex: 3,
  openai: 3,
  together: 1,
  fireworks: 1,
  kubernetes: 1,
};

/** Contents of a file of training examples. */
export interface ExampleCounts {
  readonly examples: number;
  /** Bytes of UTF-8 of all texts. */
  readonly textBytes: number;
  readonly images: number;
}

/** Keys of objects that are images, with the image as an address or in base64. */
const IMAGE_KEYS: ReadonlySet<string> = new Set(['image_url', 'inlineData', 'fileData']);

/** Keys whose texts the model does not read. */
const IGNORED_KEYS: ReadonlySet<string> = new Set(['role', 'type', 'score']);

/** Counts the texts and images of one example, a line of JSON in any format of a tuner. */
export function countExample(example: Json): Omit<ExampleCounts, 'examples'> {
  let textBytes = 0;
  let images = 0;
  const open: Json[] = [example];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') textBytes += utf8Length(value);
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) {
        if (IMAGE_KEYS.has(key)) images += 1;
        else if (!IGNORED_KEYS.has(key)) open.push(member);
      }
  }
  return { textBytes, images };
}

const encoder = new TextEncoder();
const utf8Length = (text: string): number => encoder.encode(text).length;

/** Facts of an estimate that are read elsewhere. */
export interface EstimateInput {
  readonly request: Pick<StartTuning, 'tuner' | 'hyperparameters'>;
  /** null: the file cannot be read. */
  readonly counts: ExampleCounts | null;
  /** Part of the file that was counted, from 0 to 1. */
  readonly share: number;
  readonly usdPerMillionTokens: number | null;
}

/** Estimates the tokens and the price of a tuning job. */
export function estimateTuning({ request, counts, share, usdPerMillionTokens }: EstimateInput): TuningEstimate {
  const { tuner, hyperparameters } = request;
  const epochs = hyperparameters.epochs ?? usualEpochs[tuner];
  const scaled = (value: number) => Math.round(value / share);
  const tokens = counts && {
    examples: scaled(counts.examples),
    textTokens: scaled(counts.textBytes / BYTES_PER_TOKEN),
    images: scaled(counts.images),
    imageTokens: scaled(counts.images) * imageTokensOf[tuner],
  };
  const trainedTokens = tokens && (tokens.textTokens + tokens.imageTokens) * epochs;
  const reason =
    trainedTokens === null
      ? 'Tokens not known: the file is in a bucket that Pilothouse does not read.'
      : 'Price not known: set `trainingUsdPerMillionTokens` of the base model in PILOTHOUSE_MODEL_OVERRIDES.';
  const usd =
    trainedTokens === null || usdPerMillionTokens === null ? null : (trainedTokens * usdPerMillionTokens) / 1_000_000;
  return {
    ...(tokens ?? { examples: null, textTokens: null, images: null, imageTokens: null }),
    ...{ epochs, isEpochsAssumed: hyperparameters.epochs === undefined, trainedTokens },
    ...{ isExtrapolated: share < 1, usdPerMillionTokens, usd, reason: usd === null ? reason : null },
  };
}
