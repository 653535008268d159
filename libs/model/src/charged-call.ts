import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelChoice } from '@pilothouse/contract/model/model-settings.schema';
import type { ModelAnswer, ModelFinish, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { imagesOf } from '@pilothouse/core/model/request-images';
import {
  NoImageInputError,
  UnusableAnswerError,
  type Model,
  type ModelContext,
} from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import type { ConfiguredModel, ConfiguredModels } from './configured-models.ts';
import { isHedgeLost, withFallback, withHedging } from './hedge-and-fallback.ts';
import type { ModelRef } from './model-endpoint.ts';
import { capabilitiesOf, estimate, type Estimate } from './model-registry.ts';
import { applyModelChoice } from './model-selection.ts';
import { ModelTimeoutError } from './provider-errors.ts';

/** Result of a call that used tokens. `superseded`: another call answered first. */
export type ChargedOutcome = ModelFinish | 'invalid' | 'superseded';

/** One call in a ledger, from its reservation to its record. */
export interface LedgerEntry {
  /** Called once when the call has ended, before its record. */
  end(): void;
  recordAnswer(answer: ModelAnswer, outcome: ChargedOutcome): Promise<void>;
  /** @param spend usage that the provider may charge */
  recordFailure(error: PilothouseError, spend: { tokens: number; usd: number }, durationMs: number): Promise<void>;
  /** Releases the reservation of a call that was not sent. */
  release(): Promise<void>;
}

/** Pays for model calls: checks budgets before a call and records it after. */
export interface CallLedger {
  /**
   * Reserves the maximum cost of a call.
   * @throws PilothouseError BUDGET_EXCEEDED
   */
  open(ref: ModelRef, request: ModelRequest, cost: Estimate, context: ModelContext): Promise<LedgerEntry>;
}

export interface ChosenModelOptions {
  readonly providers: Pick<ConfiguredModels, 'get'>;
  /** Models of the caller for the role; undefined: none. */
  readonly choice: ModelChoice | undefined;
  /** Base model, from which a model inherits price and capabilities; null or missing: no base. */
  readonly baseOf?: ((name: string) => string | null) | undefined;
  readonly ledger: CallLedger;
  readonly clock: Clock;
  /** Called before a hedge starts. @throws to prevent it */
  readonly beforeHedge?: ((context: ModelContext) => Promise<void>) | undefined;
}

/**
 * Asks the chosen models, in order of preference, with each call in the ledger.
 * @throws PilothouseError MODEL_NOT_CONFIGURED; NoImageInputError; MODEL_REFUSED when the provider blocked the answer; errors of the ledger and of `Model.generate`
 */
export async function askChosenModels(
  request: ModelRequest,
  context: ModelContext,
  { providers, choice, baseOf = () => null, ledger, clock, beforeHedge }: ChosenModelOptions,
): Promise<ModelAnswer> {
  const hasImages = imagesOf(request).length > 0;
  const modelNames = choice?.use.filter((name) => !hasImages || acceptsImages(providers, name, baseOf(name)));
  if (!choice || !modelNames || modelNames.length === 0) {
    const message = `No model ${choice ? 'with image input ' : ''}is configured for the role "${request.role}". Set one for the project, or PILOTHOUSE_MODEL for the API.`;
    throw choice && hasImages ? new NoImageInputError(message) : new PilothouseError('MODEL_NOT_CONFIGURED', message);
  }
  const models = modelNames.map((name) =>
    withLedger(() => providers.get(name, baseOf(name)), ledger, clock, choice.maxTokens),
  );
  const { hedgeMs } = choice;
  const rejections = choice.use
    .filter((name) => !modelNames.includes(name))
    .map((name) => new PilothouseError('MODEL_NOT_CONFIGURED', `${name} takes no images`));
  const first = withFallback(models, rejections);
  const model =
    hedgeMs === undefined
      ? first
      : withHedging(first, afterCheck(withFallback(models.slice(1 % models.length)), beforeHedge), hedgeMs);
  const answer = await model.generate(applyModelChoice(request, choice), context);
  if (answer.finish !== 'safety') return answer;
  throw new PilothouseError('MODEL_REFUSED', 'The provider of the model blocked the answer');
}

/** An unknown model counts as accepting images; the call reports the error. @param name `endpoint/model` */
function acceptsImages(providers: ChosenModelOptions['providers'], name: string, base: string | null): boolean {
  try {
    return capabilitiesOf(providers.get(name, base).ref).acceptsImages;
  } catch {
    return true;
  }
}

const afterCheck = (model: Model, check: ChosenModelOptions['beforeHedge']): Model => ({
  generate: async (request, context) => {
    await check?.(context);
    return model.generate(request, context);
  },
});

/** Wraps a model: reserves the cost of each call in the ledger, and records how it ended. */
function withLedger(get: () => ConfiguredModel, ledger: CallLedger, clock: Clock, maxTokens?: number): Model {
  return {
    generate: async (givenRequest, context) => {
      const { ref, model, prepare } = get();
      const { request, shortened } = prepare(givenRequest, maxTokens);
      const cost = estimate(ref, request, clock.now());
      const entry = await ledger.open(ref, request, cost, context);
      const since = clock.monotonic();
      let isSent = false;
      const onStart = () => {
        isSent = true;
        context.onStart?.();
      };
      let answer: ModelAnswer;
      try {
        context.signal.throwIfAborted();
        answer = { ...(shortened && { shortened }), ...(await model.generate(request, { ...context, onStart })) };
        context.onEnd?.(true);
      } catch (cause) {
        if (isSent) context.onEnd?.(false);
        const durationMs = clock.monotonic() - since;
        if (cause instanceof UnusableAnswerError) {
          await entry.recordAnswer(cause.answer, 'invalid');
        } else if (!isSent && context.signal.aborted) {
          // Nothing was sent: another call has answered, or the caller is gone.
          await entry.release();
        } else if (isHedgeLost(context)) {
          // The provider has received the prompt; the length of its answer is unknown.
          await entry.recordAnswer(toSupersededAnswer(ref, cost, durationMs), 'superseded');
        } else {
          // A call that timed out may be charged for its prompt.
          const isPaid = isSent && (cause instanceof ModelTimeoutError || clock.monotonic() >= context.deadline);
          const { tokens, usd } = isPaid ? cost.input : { tokens: 0, usd: 0 };
          await entry.recordFailure(toPilothouseError(cause), { tokens, usd: usd ?? 0 }, Math.round(durationMs));
        }
        throw cause;
      } finally {
        entry.end();
      }
      await entry.recordAnswer(answer, answer.finish);
      return answer;
    },
  };
}

/** Stands for the answer of a superseded call: only the usage of the prompt is known. */
const toSupersededAnswer = ({ provider, model }: ModelRef, { input }: Estimate, ms: number): ModelAnswer => ({
  text: '',
  calls: [],
  finish: 'stop',
  provider,
  model,
  usage: { inputTokens: input.tokens, outputTokens: 0, cachedTokens: 0, estimated: true },
  usd: input.usd,
  durationMs: ms,
});

/** Estimated usage of unfinished calls. */
export class CallsInFlight {
  private tokens = 0;
  private usd = 0;

  /** @returns removes the estimate when the call has ended */
  start({ tokens, usd }: Pick<Estimate, 'tokens' | 'usd'>): () => void {
    this.tokens += tokens;
    this.usd += usd ?? 0;
    return () => {
      this.tokens -= tokens;
      this.usd -= usd ?? 0;
    };
  }

  totalWith({ tokens, usd }: { tokens: number; usd: number }) {
    return { tokens: tokens + this.tokens, usd: usd + this.usd };
  }
}
