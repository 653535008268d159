import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_PROFILE_BYTES, profileNameSchema, type StorageState } from '@pilothouse/contract/project/profile.schema';
import { profileOf } from '@pilothouse/contract/workflow/browser-options.schema';
import { walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { renderBrowser, type TemplateScope } from '../workflow/secret-placeholders.ts';

/** Metadata of a profile's state. */
export interface ProfileFacts {
  /** Number of cookies. */
  readonly cookies: number;
  readonly cookieDomains: string[];
  /** Origins with storage. */
  readonly origins: string[];
}

/** Metadata of a state: sorted unique domains and origins, without values. */
export const profileFacts = ({ cookies, origins }: StorageState): ProfileFacts => ({
  cookies: cookies.length,
  cookieDomains: [...new Set(cookies.map(({ domain }) => domain.replace(/^\./, '')))].sort(),
  origins: [...new Set(origins.map(({ origin }) => origin))].sort(),
});

/** A state that fits into a profile. */
export interface TrimmedProfile {
  readonly state: StorageState;
  /** Origins whose databases are left out, with the bytes that they have. */
  readonly dropped: readonly { readonly origin: string; readonly bytes: number }[];
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** Drops databases, largest first, until the state fits. They are mostly caches and rarely contain a login. */
export function trimProfile(state: StorageState): TrimmedProfile {
  const databases = state.origins
    .flatMap(({ origin, indexedDB }) => (indexedDB ? [{ origin, bytes: bytesOf(indexedDB) }] : []))
    .toSorted((a, b) => b.bytes - a.bytes);
  const dropped: { origin: string; bytes: number }[] = [];
  for (let bytes = bytesOf(state); bytes > MAX_PROFILE_BYTES && databases.length > 0;) {
    const largest = databases.shift() as { origin: string; bytes: number };
    dropped.push(largest);
    bytes -= largest.bytes;
  }
  const droppedOrigins = new Set(dropped.map(({ origin }) => origin));
  const origins = state.origins.map(({ indexedDB, ...originState }) =>
    indexedDB && !droppedOrigins.has(originState.origin) ? { ...originState, indexedDB } : originState,
  );
  return { state: dropped.length === 0 ? state : { ...state, origins }, dropped };
}

/** The state as a text. @throws PilothouseError PAYLOAD_TOO_LARGE */
export function serializeProfile(state: StorageState): string {
  const text = JSON.stringify(state);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_PROFILE_BYTES) return text;
  throw new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `Cookies and storage have ${bytes} bytes; a profile can have ${MAX_PROFILE_BYTES}`,
    { details: { bytes, limit: MAX_PROFILE_BYTES } },
  );
}

/**
 * The profile of a run, with its rendered name; null: none.
 * @throws PilothouseError TEMPLATE_INVALID if the rendered name is invalid
 */
export function profileOfRun(
  { browser }: Pick<WorkflowDefinition, 'browser'>,
  scope: TemplateScope,
): { name: string; required: boolean } | null {
  if (browser?.profile === undefined) return null;
  const profile = profileOf(renderBrowser({ profile: browser.profile }, scope));
  return profile && { ...profile, name: assertProfileName(profile.name) };
}

/** A name whose templates were replaced. @throws PilothouseError TEMPLATE_INVALID */
export function assertProfileName(text: string): string {
  const name = profileNameSchema.safeParse(text);
  if (name.success) return name.data;
  throw new PilothouseError('TEMPLATE_INVALID', `"${text}" is not a profile name: ${name.error.issues[0]?.message}`);
}

/**
 * True if a step of the workflow, or of a called workflow, saves this profile. A name with templates may match any profile.
 * @param runProfile profile of the run
 */
export function usesSaveProfile(
  { steps, workflows = {} }: Pick<WorkflowDefinition, 'steps' | 'workflows'>,
  name: string,
  runProfile: string | null,
): boolean {
  const lists = [steps, ...Object.values(workflows).map((subworkflow) => subworkflow.steps)];
  return lists.some((list) =>
    [...walkNodes(list)].some(({ node }) => {
      if (node.action !== 'saveProfile') return false;
      return node.name === undefined ? name === runProfile : node.name === name || node.name.includes('{{');
    }),
  );
}
