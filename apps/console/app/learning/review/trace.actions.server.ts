import { unwrapData } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CorrectedAction, TraceQuality } from '@pilothouse/contract/learning/trace.schema';
import { data, type ActionFunctionArgs } from 'react-router';
import { tryApi } from '../../api/api-client.server.ts';
import { textOf, assertNever, choiceOf, intentOf } from '../../api/form-fields.server.ts';

const qualities = ['good', 'bad', 'unknown'] as const satisfies readonly TraceQuality[];

/** Result of a form on the trace page. */
export interface TraceFormResult {
  /** Labeled step; null: another change. */
  ordinal: number | null;
  /** With `score`: number of new jobs. */
  jobs: number | null;
}

/** Labels a step, pins the trace or scores it again. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const run = args.params.run ?? '';
  const params = { path: { run } };
  const intent = intentOf(form, ['label', 'pin', 'unpin', 'score']);
  const answer = await tryApi(args, async ({ api }): Promise<TraceFormResult> => {
    switch (intent) {
      case 'label': {
        const ordinal = Number(textOf(form, 'ordinal'));
        const thought = textOf(form, 'correctedThought').trim();
        const body = {
          quality: choiceOf(form, 'quality', qualities),
          reason: textOf(form, 'reason'),
          correctedThought: thought === '' ? null : thought,
          correctedActions: correctedActionsIn(textOf(form, 'correctedActions')),
        };
        await api.PUT('/v1/traces/{run}/steps/{ordinal}/label', { params: { path: { run, ordinal } }, body });
        return { ordinal, jobs: null };
      }
      case 'pin':
        await api.POST('/v1/traces/{run}/pin', { params });
        return { ordinal: null, jobs: null };
      case 'unpin':
        await api.POST('/v1/traces/{run}/unpin', { params });
        return { ordinal: null, jobs: null };
      case 'score': {
        const body = { filter: { runs: [run] } };
        return { ordinal: null, jobs: (await unwrapData(api.POST('/v1/traces/score', { body }))).jobs };
      }
      default:
        return assertNever(intent);
    }
  });
  return data(answer, { status: answer.failure ? 400 : 200 });
}

/** Actions of a correction. The API validates them. @throws PilothouseError VALIDATION_FAILED */
function correctedActionsIn(json: string): CorrectedAction[] | null {
  if (json === '') return null;
  try {
    return JSON.parse(json) as CorrectedAction[];
  } catch {
    throw new PilothouseError('VALIDATION_FAILED', 'The corrected actions are not JSON. Reload the page.');
  }
}
