import {
  MAX_PROFILE_BYTES,
  PilothouseError,
  profileOf,
  type Assignment,
  type SaveProfileStep,
  type StorageState,
} from '@pilothouse/contract';
import {
  assertProfileName,
  trimProfile,
  profileFacts,
  serializeProfile,
  type ActionServices,
  type ActionOutcome,
  type Clock,
  retry,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { isTransient } from '../error-policy.ts';
import type { EventBuffer } from './event-buffer.ts';

/** Milliseconds in which the gateway has to say what the browser begins with, and after which it is asked again when it had no answer. */
const LOAD_MS = 30_000;
const AGAIN_MS = 500;

export interface ProfilesOptions {
  readonly assignment: Pick<Assignment, 'definition'>;
  readonly link: Pick<AttemptLink, 'request'>;
  readonly events: Pick<EventBuffer, 'add'>;
  readonly clock: Clock;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
  /** The name that the workflow gives its profile, with its templates replaced; null: it has none. */
  own(): string | null;
}

type Bound = Pick<ActionServices, 'signal' | 'deadline'>;

/** What the browser of a run begins with, and what of it is kept. The gateway has it; nothing of it stays here. */
export class ProfileClient {
  private readonly options: ProfilesOptions;

  constructor(options: ProfilesOptions) {
    this.options = options;
  }

  /**
   * What the browser begins with; undefined: nothing.
   * @throws PilothouseError PROFILE_NOT_FOUND when there has to be one; as `AttemptLink.ask`
   */
  async load(): Promise<StorageState | undefined> {
    const { assignment, link, events, clock, signal } = this.options;
    const wanted = profileOf(assignment.definition.browser);
    if (!wanted) return undefined;
    const bound = { signal, deadline: clock.monotonic() + LOAD_MS };
    const { name, profile } = await this.insist(bound, () => link.request('profile.request', {}, bound));
    if (profile) {
      const { cookies, origins } = profileFacts(profile.state);
      const facts = { profile: name, version: profile.version, cookies, origins: origins.length };
      events.add('run.log', `Begins with the profile ${name}, version ${profile.version}`, { facts });
      return profile.state;
    }
    if (wanted.required) {
      throw new PilothouseError(
        'PROFILE_NOT_FOUND',
        `The project has no profile "${name}": carry out a workflow that saves it (saveProfile), or import one with \`pilothouse profiles import ${name} FILE\``,
        { details: { profile: name } },
      );
    }
    events.add('run.log', `There is no profile ${name} yet: the browser begins empty`, { facts: { profile: name } });
    return undefined;
  }

  /**
   * Keeps what the browser has now.
   * @param read gives it
   * @throws PilothouseError PAYLOAD_TOO_LARGE; as `read`, and as `AttemptLink.ask`
   */
  async save(
    step: SaveProfileStep,
    read: () => Promise<StorageState>,
    context: Bound & Pick<ActionServices, 'guard'>,
  ): Promise<ActionOutcome> {
    const { link, events, own } = this.options;
    const name = step.name === undefined ? own() : assertProfileName(step.name);
    if (name === null)
      throw new PilothouseError('TEMPLATE_INVALID', 'Say under which name: the workflow has no `browser.profile`');
    const { state, left } = trimProfile(await read());
    serializeProfile(state);
    for (const { origin, bytes } of left) {
      const facts = { profile: name, origin, bytes, limit: MAX_PROFILE_BYTES };
      events.add(
        'run.log',
        `The databases of ${origin} are too large for the profile ${name}, and not in it`,
        { facts },
        'warn',
      );
    }
    context.guard();
    const saved = await this.insist(context, () => link.request('profile.save', { name, state }, context));
    return { located: null, value: { name, version: saved.version, size: saved.size } };
  }

  /** Asks until there is an answer, or no time left: a gateway may lose its database for a moment. */
  private async insist<Answer>({ signal, deadline }: Bound, ask: () => Promise<Answer>): Promise<Answer> {
    return retry(ask, {
      backoff: { firstMs: AGAIN_MS, maxMs: AGAIN_MS },
      signal,
      isRetryable: (thrown, { delayMs }) => {
        signal.throwIfAborted();
        return isTransient(thrown) && this.options.clock.monotonic() + delayMs <= deadline;
      },
    });
  }
}
