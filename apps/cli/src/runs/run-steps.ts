import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunStepView } from '@pilothouse/contract/run/run.schema';
import type { Api } from '../api/api-port.ts';
import { isProblem } from '../api/error-message.ts';

/** The steps that number downloaded screenshots. Without an answer of the API the files keep their names. */
export const stepsOfScreenshots = async (
  api: Pick<Api, 'steps'>,
  run: string,
  artifacts: readonly Pick<ArtifactView, 'kind'>[],
): Promise<RunStepView[]> =>
  artifacts.some(({ kind }) => kind === 'screenshot') ? api.steps(run).catch(() => []) : [];

/** The steps of a run; null when the retention policy deleted them. */
export async function storedSteps(api: Pick<Api, 'steps'>, run: string): Promise<RunStepView[] | null> {
  try {
    return await api.steps(run);
  } catch (thrown) {
    if (isProblem(thrown, 'GONE')) return null;
    throw thrown;
  }
}
