import {
  PilothouseError,
  workflowDefinitionSchema,
  type FromWorkerOf,
  type ToWorkerOf,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { profileOfRun, usesSaveProfile, templateScope, type Log } from '@pilothouse/core';
import type { ProfileStore } from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { unsealProfile, sealProfile } from '../../sealing/sealed-data.ts';
import { requireHeldAttempt } from './transfer-requests.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

export interface ProfileRequestsDeps {
  readonly profiles: Pick<ProfileStore, 'ofRun' | 'read' | 'save'>;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly log: Log;
}

/** What a run says of profiles. */
interface Said {
  readonly project: string;
  readonly definition: WorkflowDefinition;
  /** The profile it begins with; null: none. */
  readonly own: string | null;
}

/**
 * Gives workers the profile that their run begins with, and keeps what they save. A worker names neither the project nor the profile that it
 * is given, and saves only under a name that the workflow says: what it may have caught from a page leads to no other.
 */
export class ProfileRequests {
  private readonly options: ProfileRequestsDeps;

  constructor(options: ProfileRequestsDeps) {
    this.options = options;
  }

  /** @throws PilothouseError LEASE_LOST; NOT_FOUND when the run begins with none; PROFILE_INVALID when it cannot be opened */
  async load(socket: WorkerSocket, asked: FromWorkerOf<'profile.request'>): Promise<ToWorkerOf<'profile.value'>> {
    requireHeldAttempt(socket, asked);
    const { profiles, vault, log } = this.options;
    const { project, own: name } = await this.loadRunProfile(asked);
    if (name === null) throw new PilothouseError('NOT_FOUND', 'The run begins with no profile');
    const found = await profiles.read(project, name);
    if (!found) return { type: 'profile.value', id: asked.id, name, profile: null };
    try {
      const state = unsealProfile(vault, { project, name }, found.state);
      return { type: 'profile.value', id: asked.id, name, profile: { version: found.version, state } };
    } catch (thrown) {
      log.warn({ run: asked.run, profile: name }, 'A profile cannot be opened');
      throw thrown;
    }
  }

  /** @throws PilothouseError LEASE_LOST; FORBIDDEN for a name that the workflow does not say; PAYLOAD_TOO_LARGE */
  async save(socket: WorkerSocket, asked: FromWorkerOf<'profile.save'>): Promise<ToWorkerOf<'profile.saved'>> {
    requireHeldAttempt(socket, asked);
    const { run, epoch, name, state } = asked;
    const { profiles, vault } = this.options;
    const { project, definition, own } = await this.loadRunProfile(asked);
    if (!usesSaveProfile(definition, name, own))
      throw new PilothouseError('FORBIDDEN', `No step of the run saves a profile "${name}"`);
    const sealed = sealProfile(vault, { project, name }, state);
    const saved = await profiles.save(sealed, { run, epoch, session: socket.session });
    if (!saved) throw new PilothouseError('LEASE_LOST', 'Another attempt holds the run');
    const { version, size } = saved;
    return { type: 'profile.saved', id: asked.id, version, size };
  }

  private async loadRunProfile({ run, epoch }: { run: string; epoch: number }): Promise<Said> {
    const found = await this.options.profiles.ofRun(run);
    if (!found) throw new PilothouseError('LEASE_LOST', 'The run is gone');
    const { project, inputs, secrets } = found;
    const definition = workflowDefinitionSchema.parse(found.definition);
    const scope = templateScope(definition, { inputs, secrets, steps: {}, run: { id: run, epoch } });
    return { project, definition, own: profileOfRun(definition, scope)?.name ?? null };
  }
}
