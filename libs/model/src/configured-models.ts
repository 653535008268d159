import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelEntry, ModelProtocol } from '@pilothouse/contract/model/model-settings.schema';
import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Model } from '@pilothouse/core/ports/model.port';
import type { Clock, Context } from '@pilothouse/core/ports/runtime.port';
import { toCompactRequest } from '@pilothouse/core/agent/prompts/compact-profile';
import { anthropicModel } from './anthropic/anthropic.model.ts';
import { fitContext, withLearnedContext, type FittingRequest } from './context-window.ts';
import { geminiModel } from './gemini/gemini.model.ts';
import {
  parseModelName,
  toModelRef,
  type AdapterOptions,
  type Endpoint,
  type ModelRef,
  type Provider,
} from './model-endpoint.ts';
import { capabilitiesOf, inheritedEntry, mergedEntry } from './model-registry.ts';
import { endpointProtocol } from './model-selection.ts';
import { isNeverStreamed, openaiModel } from './openai/openai.model.ts';
import { OutputTokens, withImageSupport, withTemperatureSupport } from './refused-options.ts';
import { withStructuredOutput, withTextDialect } from './request-adapters.ts';
import {
  Breaker,
  DEFAULT_BREAKER_OPTIONS,
  DEFAULT_RETRY_OPTIONS,
  NO_RETRIES,
  withRetry,
  type RetryOptions,
} from './retry-and-breaker.ts';
import { callLimitMs, timeoutSecondsOf, withTimeLimit, type TimeLimit } from './time-limit.ts';

/** The adapter of each protocol. An adapter makes one call, without retries of the SDK. */
export const modelAdapters: Readonly<Record<Provider, (options: AdapterOptions) => Model>> = {
  gemini: geminiModel,
  openai: openaiModel,
  anthropic: anthropicModel,
};

/** An endpoint of the installation. */
export interface ConfiguredEndpoint extends Endpoint {
  /** Default: the name of the endpoint. */
  readonly protocol?: ModelProtocol;
  /** Maximum calls a minute with its key. Default: the limit of the installation. */
  readonly callsPerMinute?: number;
}

/** Endpoints of the installation by name. */
export type ConfiguredEndpoints = Readonly<Record<string, ConfiguredEndpoint | undefined>>;

export interface ConfiguredModelsDeps {
  readonly endpoints: ConfiguredEndpoints;
  /** Model configuration of the installation. */
  readonly entries?: Readonly<Record<string, ModelEntry>> | undefined;
  readonly clock: Clock;
  random(): number;
  /** Waits for the rate limit of a key. @throws PilothouseError MODEL_UNAVAILABLE when the wait is too long */
  turn?(endpoint: string, context: Context): Promise<void>;
  readonly retries?: Pick<RetryOptions, 'maxAttempts' | 'baseMs' | 'maxMs' | 'wait'>;
}

/** Adapters of a model that is checked, without retries and fallbacks. */
export interface CheckedModel {
  readonly whole: ConfiguredModel;
  readonly streamed: ConfiguredModel;
}

/** A model that can be called. */
export interface ConfiguredModel {
  readonly ref: ModelRef;
  readonly model: Model;
  /**
   * Fits a request to the model, before its cost is estimated.
   * @param maxTokens output limit that a user configured; undefined: none
   * @throws PilothouseError MODEL_REFUSED if it does not fit into the context window
   */
  prepare(request: ModelRequest, maxTokens: number | undefined): FittingRequest;
}

/** Adds what the endpoint may not support to an adapter without retries. */
export const adapterOf = (adapter: Model, ref: ModelRef, clock: Clock): Model => {
  const plainModel = withImageSupport(withTemperatureSupport(adapter, ref, clock), ref, clock);
  return withTextDialect(withStructuredOutput(plainModel, ref, clock), plainModel, ref, clock);
};

/** The models of the configured endpoints. Each is created at its first call. */
export class ConfiguredModels {
  private readonly options: ConfiguredModelsDeps;
  private readonly cache = new Map<string, ConfiguredModel>();
  private readonly breakers = new Map<string, Breaker>();

  constructor(options: ConfiguredModelsDeps) {
    this.options = options;
  }

  /**
   * @param name `endpoint/model`
   * @param base base model, whose price and capabilities replace unknown ones; null: no base
   * @throws PilothouseError MODEL_NOT_CONFIGURED
   */
  get(name: string, base: string | null = null): ConfiguredModel {
    const key = base === null ? name : `${name} ${base}`;
    const configured = this.cache.get(key) ?? this.create(name, base);
    this.cache.set(key, configured);
    return configured;
  }

  /** A model without retries, breaker and fallbacks, for a check of its abilities. @throws PilothouseError MODEL_NOT_CONFIGURED */
  checked(name: string): CheckedModel {
    const { clock, random, turn } = this.options;
    const { ref } = this.get(name);
    const endpoint = this.options.endpoints[ref.provider] as ConfiguredEndpoint;
    const limit = timeoutSecondsOf(endpoint, ref.entry);
    const modelOf = (stream: boolean): ConfiguredModel => {
      const { provider, model, protocol, entry } = ref;
      const adapter = modelAdapters[protocol]({
        endpoint: { ...endpoint, stream },
        name: provider,
        model,
        entry,
        clock,
      });
      const supported = withRetry(withTemperatureSupport(adapter, ref, clock), {
        ...{ clock, random, ...NO_RETRIES },
        beforeCall: turn && ((context) => turn(provider, context)),
      });
      const outputTokens = new OutputTokens(ref);
      return {
        // The check decides whether it takes images.
        ref: { ...ref, entry: { ...entry, acceptsImages: true } },
        model: withTimeLimit(
          supported,
          ref,
          { seconds: limit, isStreamed: (request) => isStreamed(ref, { ...endpoint, stream }, request) },
          clock,
        ),
        prepare: (request, max) => ({ request: outputTokens.apply(request, max), shortened: null }),
      };
    };
    return { whole: modelOf(false), streamed: modelOf(true) };
  }

  private create(name: string, base: string | null): ConfiguredModel {
    const { endpoints, entries = {}, clock, random, turn, retries = DEFAULT_RETRY_OPTIONS } = this.options;
    const { endpoint: endpointName = '', model = '' } = parseModelName(name) ?? {};
    const endpoint = Object.hasOwn(endpoints, endpointName) ? endpoints[endpointName] : undefined;
    const protocol = endpoint && endpointProtocol(endpointName, endpoint.protocol);
    if (!endpoint || !protocol) throw endpointNotConfigured(name, endpointName, Object.keys(endpoints));
    const target = { endpoint, name: endpointName, model, clock };
    const own = { ...toModelRef(protocol, target), entry: mergedEntry(entries, toModelRef(protocol, target)) };
    const entry = base === null ? own.entry : inheritedEntry(own, this.refOf(base));
    const options: AdapterOptions = { ...target, entry };
    const ref = toModelRef(protocol, options);
    const outputTokens = new OutputTokens(ref);
    const seconds = timeoutSecondsOf(endpoint, entry);
    const limit: TimeLimit = { seconds, isStreamed: (request) => isStreamed(ref, endpoint, request) };
    const retryingModel = withRetry(adapterOf(modelAdapters[protocol](options), ref, clock), {
      clock,
      random,
      ...retries,
      breaker: this.breakerOf(endpointName),
      maxSilenceMs: callLimitMs(seconds),
      beforeCall: turn && ((context) => turn(endpointName, context)),
    });
    const learningModel = withLearnedContext(retryingModel, ref);
    const boundedModel: Model = {
      generate: async (request, context) => {
        const answer = await learningModel.generate(request, context);
        outputTokens.onAnswer(request, answer);
        return answer;
      },
    };
    return {
      ref,
      model: withTimeLimit(boundedModel, ref, limit, clock),
      prepare: (request, max) => {
        const profiled = capabilitiesOf(ref).profile === 'compact' ? toCompactRequest(request) : request;
        return fitContext(ref, outputTokens.apply(profiled, max));
      },
    };
  }

  /** A model with its settings, without a connection; null: its endpoint is not configured. */
  private refOf(name: string): ModelRef | null {
    try {
      return this.get(name).ref;
    } catch {
      return null;
    }
  }

  private breakerOf(endpoint: string): Breaker {
    const breaker =
      this.breakers.get(endpoint) ??
      new Breaker({ clock: this.options.clock, name: endpoint, ...DEFAULT_BREAKER_OPTIONS });
    this.breakers.set(endpoint, breaker);
    return breaker;
  }
}

function endpointNotConfigured(name: string, endpoint: string, endpointNames: readonly string[]): PilothouseError {
  const isProvider = endpointProtocol(endpoint, undefined) !== undefined;
  return new PilothouseError(
    'MODEL_NOT_CONFIGURED',
    isProvider
      ? `No API key for ${name}: set ${endpoint.toUpperCase()}_API_KEY for the API`
      : `No endpoint for ${name}: add it to PILOTHOUSE_MODEL_ENDPOINTS of the API (configured: ${endpointNames.join(', ') || 'none'})`,
  );
}

const isStreamed = (ref: ModelRef, endpoint: Pick<Endpoint, 'stream' | 'baseUrl'>, request: ModelRequest): boolean =>
  endpoint.stream === true && !isNeverStreamed(ref, endpoint, request);
