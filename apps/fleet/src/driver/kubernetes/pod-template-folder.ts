import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateError, systemClock, type Clock } from '@pilothouse/core';
import { readPodTemplate, templateHash, type PodTemplate } from '@pilothouse/infra-kube';

/** A file is read again after so long, in milliseconds: a mounted ConfigMap changes while the controller runs. */
const FRESH_MS = 1_000;

/** A pod template and the name of what it says. */
export interface NamedTemplate {
  readonly template: PodTemplate;
  readonly hash: string;
}

/** The pod templates of fleets: a folder with one YAML file each. */
export class PodTemplateFolder {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #read = new Map<string, { at: number; result: NamedTemplate | CreateError }>();

  constructor(folder: string, clock: Clock = systemClock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** The template of a fleet as it is now. @throws CreateError where there is none, or none that can be used */
  of(fleet: string): NamedTemplate {
    const known = this.#read.get(fleet);
    const now = this.#clock.monotonic();
    const fresh = known && now - known.at < FRESH_MS ? known.result : this.#load(fleet);
    if (fresh !== known?.result) this.#read.set(fleet, { at: now, result: fresh });
    if (fresh instanceof CreateError) throw fresh;
    return fresh;
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
      const why = error instanceof Error ? error.message : String(error);
      return new CreateError('CreateFailed', `The pod template of fleet ${fleet} cannot be used: ${why}`);
    }
  }
}
