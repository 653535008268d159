import { PilothouseError } from '@pilothouse/contract';
import type { Clock, Context, Model } from '@pilothouse/core';
import type { ModelsConfig } from '@pilothouse/infra-config';
import {
  modelAdapters,
  Breaker,
  DEFAULT_BREAKER_OPTIONS,
  withStructuredOutput,
  mergedEntry,
  parseModelName,
  toModelRef,
  DEFAULT_RETRY_OPTIONS,
  withRetry,
  withTextDialect,
  type AdapterOptions,
  type ModelRef,
  type RetryOptions,
} from '@pilothouse/model';
import { endpointProtocol } from './model-selection.ts';

export interface ConfiguredModelsDeps {
  readonly endpoints: ModelsConfig['endpoints'];
  /** Model configuration of the installation. */
  readonly entries?: ModelsConfig['overrides'];
  readonly clock: Clock;
  random(): number;
  /** Waits for the rate limit of a key. @throws PilothouseError MODEL_UNAVAILABLE when the wait is too long */
  turn?(endpoint: string, context: Context): Promise<void>;
  readonly retries?: Pick<RetryOptions, 'maxAttempts' | 'baseMs' | 'maxMs'>;
}

/** A model that can be asked. */
export interface ConfiguredModel {
  readonly ref: ModelRef;
  readonly model: Model;
}

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
   * @throws PilothouseError MODEL_NOT_CONFIGURED
   */
  get(name: string): ConfiguredModel {
    const configured = this.cache.get(name) ?? this.create(name);
    this.cache.set(name, configured);
    return configured;
  }

  private create(name: string): ConfiguredModel {
    const { endpoints, entries = {}, clock, random, turn, retries = DEFAULT_RETRY_OPTIONS } = this.options;
    const { endpoint: endpointName = '', model = '' } = parseModelName(name) ?? {};
    const endpoint = Object.hasOwn(endpoints, endpointName) ? endpoints[endpointName] : undefined;
    const protocol = endpoint && endpointProtocol(endpointName, endpoint.protocol);
    if (!endpoint || !protocol) throw endpointNotConfigured(name, endpointName, Object.keys(endpoints));
    const target = { endpoint, name: endpointName, model, clock };
    const options: AdapterOptions = { ...target, entry: mergedEntry(entries, toModelRef(protocol, target)) };
    const ref = toModelRef(protocol, options);
    const adapter = withTextDialect(withStructuredOutput(modelAdapters[protocol](options), ref, clock), ref, clock);
    return {
      ref,
      model: withRetry(adapter, {
        clock,
        random,
        ...retries,
        breaker: this.breakerOf(endpointName),
        beforeCall: turn && ((context) => turn(endpointName, context)),
      }),
    };
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
      ? `There is no key for ${name}: set ${endpoint.toUpperCase()}_API_KEY for the API`
      : `There is no endpoint of ${name}: name it in PILOTHOUSE_MODEL_ENDPOINTS of the API, which has ${endpointNames.join(', ') || 'none'}`,
  );
}
