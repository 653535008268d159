import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { didYouMean } from '@pilothouse/contract/nearest';
import type { Api } from './api-port.ts';
import { isProblem } from './error-message.ts';
import { readPages } from './read-pages.ts';

/** Maximum number of names among which a similar one is searched. */
const MAX_NAMES = 1000;

/** The API found nothing with a name. The names that exist are read only when the error is reported. */
class UnknownName extends PilothouseError {
  private readonly unknownName: string;
  private readonly readNames: () => Promise<readonly string[]>;

  constructor(error: PilothouseError, unknownName: string, readNames: () => Promise<readonly string[]>) {
    super(error.code, error.message, { cause: error, ...(error.fields && { fields: error.fields }) });
    this.unknownName = unknownName;
    this.readNames = readNames;
  }

  /** The error with the similar names as a fact; the same error when there is none. */
  async withSuggestion(): Promise<PilothouseError> {
    const names = await this.readNames().catch((): readonly string[] => []);
    // The object exists: something else was not found, such as a version.
    if (names.includes(this.unknownName)) return this;
    const suggestion = didYouMean(this.unknownName, names);
    if (suggestion === null) return this;
    const message = `${this.message.replace(/[.]?$/, '.')} ${suggestion}`;
    return new PilothouseError(this.code, message, { cause: this, ...(this.fields && { fields: this.fields }) });
  }
}

/** Adds the similar names to an error of `withNameSuggestions`. Other errors are returned unchanged. */
export const describeUnknownName = async (thrown: unknown): Promise<unknown> =>
  thrown instanceof UnknownName ? thrown.withSuggestion() : thrown;

const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

/** The API, whose errors about an unknown name can be described with the similar names. See `describeUnknownName`. */
export function withNameSuggestions(api: Api): Api {
  const workflowNames = async () => [
    ...namesOf((await readPages((page) => api.workflows(page), MAX_NAMES)).items),
    ...namesOf((await readPages((page) => api.workflows({ ...page, archived: true }), MAX_NAMES)).items),
  ];
  const profileNames = async () => namesOf((await readPages((page) => api.profiles(page), MAX_NAMES)).items);
  const secretNames = async () => namesOf((await readPages((page) => api.secrets(page), MAX_NAMES)).items);
  const modelNames = async () => namesOf((await readPages((page) => api.registeredModels(page), MAX_NAMES)).items);
  const fleetNames = async () => namesOf(await api.fleets());
  const named =
    <Args extends readonly unknown[], Result>(
      readNames: () => Promise<string[]>,
      method: (name: string, ...rest: Args) => Promise<Result>,
    ) =>
    async (name: string, ...rest: Args): Promise<Result> => {
      try {
        return await method(name, ...rest);
      } catch (thrown) {
        throw isProblem(thrown, 'NOT_FOUND') ? new UnknownName(thrown, name, readNames) : thrown;
      }
    };
  const methods: Partial<Api> = {
    workflow: named(workflowNames, (...args: Parameters<Api['workflow']>) => api.workflow(...args)),
    workflowVersions: named(workflowNames, (...args: Parameters<Api['workflowVersions']>) =>
      api.workflowVersions(...args),
    ),
    publishWorkflow: named(workflowNames, (...args: Parameters<Api['publishWorkflow']>) =>
      api.publishWorkflow(...args),
    ),
    archiveWorkflow: named(workflowNames, (name) => api.archiveWorkflow(name)),
    unarchiveWorkflow: named(workflowNames, (name) => api.unarchiveWorkflow(name)),
    deleteProfile: named(profileNames, (name) => api.deleteProfile(name)),
    deleteSecret: named(secretNames, (name) => api.deleteSecret(name)),
    pauseFleet: named(fleetNames, (name) => api.pauseFleet(name)),
    resumeFleet: named(fleetNames, (name) => api.resumeFleet(name)),
    registeredModel: named(modelNames, (name) => api.registeredModel(name)),
    startShadow: named(modelNames, (...args: Parameters<Api['startShadow']>) => api.startShadow(...args)),
    startCanary: named(modelNames, (...args: Parameters<Api['startCanary']>) => api.startCanary(...args)),
    promoteModel: named(modelNames, (...args: Parameters<Api['promoteModel']>) => api.promoteModel(...args)),
    rollBackModel: named(modelNames, (...args: Parameters<Api['rollBackModel']>) => api.rollBackModel(...args)),
    deleteRegisteredModel: named(modelNames, (name) => api.deleteRegisteredModel(name)),
  };
  // The prototype keeps `url` lazy: it looks up the installation.
  return Object.assign(Object.create(api) as Api, methods);
}
