import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_PROFILE_BYTES, type StorageState } from '@pilothouse/contract/project/profile.schema';
import { profileOf } from '@pilothouse/contract/workflow/browser-options.schema';
import type { SaveProfileStep } from '@pilothouse/contract/workflow/step.schema';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import {
  assertProfileName,
  profileOfRun,
  trimProfile,
  profileFacts,
  serializeProfile,
} from '@pilothouse/core/profile/browser-profile';
import { retry } from '@pilothouse/core/time/backoff';
import type { CompletedOutcome } from '../actions/run-action.ts';
import { isTransient } from '../error-policy.ts';
import type { AttemptBase } from './attempt-base.ts';
import type { RunProgress } from './run-progress.ts';

/** Milliseconds to load a profile, and between two requests while the gateway is unavailable. */
const LOAD_MS = 30_000;
const RETRY_MS = 500;

type RequestBounds = Pick<ActionServices, 'signal' | 'deadline'>;

/** Loads the browser profile of a run from the gateway, and saves it there. */
export class ProfileClient {
  private readonly base: Pick<AttemptBase, 'assignment' | 'link' | 'events' | 'clock' | 'timers' | 'cancellation'>;
  private readonly progress: Pick<RunProgress, 'scope'>;

  constructor(base: ProfileClient['base'], progress: ProfileClient['progress']) {
    this.base = base;
    this.progress = progress;
  }

  /**
   * Loads the state that the browser starts with; undefined: none.
   * @throws PilothouseError PROFILE_NOT_FOUND for a required profile; as `AttemptLink.request`
   */
  async load(): Promise<StorageState | undefined> {
    const { assignment, link, events, clock, cancellation } = this.base;
    const settings = profileOf(assignment.definition.browser);
    if (!settings) return undefined;
    const bounds = { signal: cancellation.signal, deadline: clock.monotonic() + LOAD_MS };
    const { name, profile } = await this.requestWithRetry(bounds, () => link.request('profile.request', {}, bounds));
    if (profile) {
      const { cookies, origins } = profileFacts(profile.state);
      const facts = { profile: name, version: profile.version, cookies, origins: origins.length };
      events.add('run.log', `Loaded profile "${name}", version ${profile.version}`, { facts });
      return profile.state;
    }
    if (settings.required) {
      throw new PilothouseError(
        'PROFILE_NOT_FOUND',
        `Profile "${name}" not found. Run a workflow that saves it (saveProfile), or import it with \`pilothouse profiles import ${name} FILE\`.`,
        { details: { profile: name } },
      );
    }
    events.add('run.log', `Profile ${name} does not exist yet: the browser starts empty`, { facts: { profile: name } });
    return undefined;
  }

  /**
   * Saves the current state of the browser.
   * @throws PilothouseError PAYLOAD_TOO_LARGE; as `read` and `AttemptLink.request`
   */
  async save(
    step: SaveProfileStep,
    readState: () => Promise<StorageState>,
    context: RequestBounds & Pick<ActionServices, 'guard'>,
  ): Promise<CompletedOutcome> {
    const { assignment, link, events } = this.base;
    const name =
      step.name === undefined
        ? (profileOfRun(assignment.definition, this.progress.scope())?.name ?? null)
        : assertProfileName(step.name);
    if (name === null)
      throw new PilothouseError('TEMPLATE_INVALID', 'Set `name`: the workflow has no `browser.profile`');
    const { state, dropped } = trimProfile(await readState());
    serializeProfile(state);
    for (const { origin, bytes } of dropped) {
      const facts = { profile: name, origin, bytes, limit: MAX_PROFILE_BYTES };
      events.add(
        'run.log',
        `IndexedDB of ${origin} is too large for the profile ${name} and was skipped`,
        { facts },
        'warn',
      );
    }
    context.guard();
    const response = await this.requestWithRetry(context, () => link.request('profile.save', { name, state }, context));
    return { located: null, value: { name, version: response.version, size: response.size }, effect: 'confirmed' };
  }

  /** Retries until the deadline while the gateway, or its database, is unavailable. */
  private async requestWithRetry<Response>(
    { signal, deadline }: RequestBounds,
    request: () => Promise<Response>,
  ): Promise<Response> {
    const { clock, timers } = this.base;
    return retry(request, {
      timers,
      backoff: { firstMs: RETRY_MS, maxMs: RETRY_MS },
      signal,
      isRetryable: (thrown, { delayMs }) => {
        signal.throwIfAborted();
        return isTransient(thrown) && clock.monotonic() + delayMs <= deadline;
      },
    });
  }
}
