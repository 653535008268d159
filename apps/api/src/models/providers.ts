import { PilothouseError } from '@pilothouse/contract';
import type { Clock, Context, Model } from '@pilothouse/core';
import type { ModelsConfig } from '@pilothouse/infra-config';
import {
  adapters,
  Breaker,
  BREAKER,
  readModelRef,
  RETRIES,
  retrying,
  type ModelRef,
  type Provider,
  type RetryOptions,
} from '@pilothouse/model';

export interface ProvidersOptions {
  readonly endpoints: ModelsConfig['endpoints'];
  readonly clock: Clock;
  random(): number;
  /** Waits for the turn of a key. @throws PilothouseError MODEL_UNAVAILABLE when that is too long */
  turn?(provider: Provider, context: Context): Promise<void>;
  readonly retries?: Pick<RetryOptions, 'tries' | 'baseMs' | 'maxMs'>;
}

/** A model that can be asked. */
export interface FoundModel {
  readonly ref: ModelRef;
  readonly model: Model;
}

/** The models that this replica has keys for, each made when it is first asked. */
export class ModelProviders {
  private readonly options: ProvidersOptions;
  private readonly made = new Map<string, FoundModel>();
  private readonly breakers = new Map<Provider, Breaker>();

  constructor(options: ProvidersOptions) {
    this.options = options;
  }

  /**
   * @param name `provider/model`
   * @throws PilothouseError MODEL_NOT_CONFIGURED
   */
  find(name: string): FoundModel {
    const found = this.made.get(name) ?? this.make(name);
    this.made.set(name, found);
    return found;
  }

  private make(name: string): FoundModel {
    const ref = readModelRef(name);
    const endpoint = ref && this.options.endpoints[ref.provider];
    if (!ref || !endpoint) {
      const variable = `${(ref?.provider ?? 'provider').toUpperCase()}_API_KEY`;
      throw new PilothouseError('MODEL_NOT_CONFIGURED', `There is no key for ${name}: set ${variable} for the API`);
    }
    const { clock, random, turn, retries = RETRIES } = this.options;
    const { provider, model } = ref;
    return {
      ref,
      model: retrying(adapters[provider]({ endpoint, model, clock }), {
        clock,
        random,
        ...retries,
        breaker: this.breakerOf(provider),
        before: turn && ((context) => turn(provider, context)),
      }),
    };
  }

  private breakerOf(provider: Provider): Breaker {
    const breaker =
      this.breakers.get(provider) ?? new Breaker({ clock: this.options.clock, name: provider, ...BREAKER });
    this.breakers.set(provider, breaker);
    return breaker;
  }
}
