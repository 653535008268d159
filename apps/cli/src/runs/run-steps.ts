import type { RunStepView } from '@pilothouse/contract/run/run.schema';
import type { Api } from '../api/api-port.ts';
import { isProblem } from '../api/error-message.ts';

/** The steps of a run; null when the retention policy deleted them. */
export async function storedSteps(api: Pick<Api, 'steps'>, run: string): Promise<RunStepView[] | null> {
  try {
    return await api.steps(run);
  } catch (thrown) {
    if (isProblem(thrown, 'GONE')) return null;
    throw thrown;
  }
}
