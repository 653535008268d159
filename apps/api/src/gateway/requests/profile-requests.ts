import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { workflowDefinitionSchema, type WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { profileOfRun, usesSaveProfile } from '@pilothouse/core/profile/browser-profile';
import { templateScope } from '@pilothouse/core/workflow/secret-placeholders';
import type { ProfileStore } from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { unsealProfile, sealProfile } from '../../sealing/sealed-data.ts';
import type { WorkerSession } from '../socket/worker-session.ts';

export interface ProfileRequestsDeps {
  readonly profiles: Pick<ProfileStore, 'ofRun' | 'read' | 'save'>;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly log: Log;
}

/** The profiles that a run uses. */
interface RunProfiles {
  readonly project: string;
  readonly definition: WorkflowDefinition;
  /** Name of the profile that the run starts with. */
  readonly initial: string | null;
}

/**
 * Loads the profile that a run starts with, and saves profiles. A compromised page cannot reach another profile: the
 * worker chooses neither the project nor the loaded profile, and saves only under a name in the workflow.
 */
export class ProfileRequests {
  private readonly deps: ProfileRequestsDeps;

  constructor(deps: ProfileRequestsDeps) {
    this.deps = deps;
  }

  /** @throws PilothouseError LEASE_LOST; NOT_FOUND when the run starts without a profile; PROFILE_INVALID when it cannot be opened */
  async load(
    { attempts }: WorkerSession,
    request: FromWorkerOf<'profile.request'>,
  ): Promise<ToWorkerOf<'profile.value'>> {
    attempts.require(request);
    const { profiles, vault, log } = this.deps;
    const { id, run } = request;
    const { project, initial: name } = await this.readRunProfiles(request);
    if (name === null) throw new PilothouseError('NOT_FOUND', 'The run has no profile.');
    const profile = await profiles.read(project, name);
    if (!profile) return { type: 'profile.value', id, name, profile: null };
    try {
      const state = unsealProfile(vault, { project, name }, profile.state);
      return { type: 'profile.value', id, name, profile: { version: profile.version, state } };
    } catch (error) {
      log.warn({ run, profile: name }, 'profile not readable');
      throw error;
    }
  }

  /** @throws PilothouseError LEASE_LOST; FORBIDDEN for a name that is not in the workflow; PAYLOAD_TOO_LARGE */
  async save(
    { id: session, attempts }: WorkerSession,
    request: FromWorkerOf<'profile.save'>,
  ): Promise<ToWorkerOf<'profile.saved'>> {
    attempts.require(request);
    const { id, run, epoch, name, state } = request;
    const { profiles, vault } = this.deps;
    const { project, definition, initial } = await this.readRunProfiles(request);
    if (!usesSaveProfile(definition, name, initial))
      throw new PilothouseError('FORBIDDEN', `No step of the run saves a profile "${name}"`);
    const sealed = sealProfile(vault, { project, name }, state);
    const savedProfile = await profiles.save(sealed, { run, epoch, session });
    if (!savedProfile) throw new PilothouseError('LEASE_LOST', 'Another attempt holds the run');
    const { version, size } = savedProfile;
    return { type: 'profile.saved', id, version, size };
  }

  private async readRunProfiles({ run, epoch }: Attempt): Promise<RunProfiles> {
    const row = await this.deps.profiles.ofRun(run);
    if (!row) throw new PilothouseError('LEASE_LOST', 'The run was deleted');
    const { project, inputs, secrets } = row;
    const definition = workflowDefinitionSchema.parse(row.definition);
    const scope = templateScope(definition, { inputs, secrets, steps: {}, run: { id: run, epoch } });
    return { project, definition, initial: profileOfRun(definition, scope)?.name ?? null };
  }
}
