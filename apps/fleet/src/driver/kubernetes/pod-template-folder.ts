import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateError } from '@pilothouse/core/ports/fleet-driver.port';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import { readPodTemplate, templateHash, type PodTemplate } from '@pilothouse/infra-kube';

/** Milliseconds until a file is read again. A mounted ConfigMap changes while the controller runs. */
const CACHE_TTL_MS = 1_000;

/** A pod template and the hash of its content. */
export interface NamedTemplate {
  readonly template: PodTemplate;
  readonly hash: string;
}

/** Reads the pod templates of fleets from a folder with one YAML file per fleet. */
export class PodTemplateFolder {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #cache = new Map<string, { readAt: number; result: NamedTemplate | CreateError }>();

  constructor(folder: string, clock: Clock = systemClock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Returns the current template of a fleet. @throws CreateError if it is missing or invalid */
  read(fleet: string): NamedTemplate {
    const cached = this.#cache.get(fleet);
    const now = this.#clock.monotonic();
    const result = cached && now - cached.readAt < CACHE_TTL_MS ? cached.result : this.#load(fleet);
    if (result !== cached?.result) this.#cache.set(fleet, { readAt: now, result });
    if (result instanceof CreateError) throw result;
    return result;
  }

  #load(fleet: string): NamedTemplate | CreateError {
    const file = join(this.#folder, `${fleet}.yaml`);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      return new CreateError('CreateFailed', `Fleet ${fleet} has no pod template: name it in the chart's fleets`);
    }
    try {
      const template = readPodTemplate(text);
      return { template, hash: templateHash(template) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return new CreateError('CreateFailed', `The pod template of fleet ${fleet} cannot be used: ${reason}`);
    }
  }
}
