import type { ActionFunctionArgs } from 'react-router';
import { tryApi, type Failure } from '../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../api/form-fields.server.ts';

/** Result of a fleet form. */
export interface FleetActionResult {
  failure: Failure | undefined;
  isSaved: boolean;
}

/** Pauses or resumes a fleet, changes its limits, or drains, cordons or uncordons a worker. */
export async function action(args: ActionFunctionArgs): Promise<FleetActionResult> {
  const form = await args.request.formData();
  const params = { path: { fleet: textOf(form, 'fleet') } };
  const intent = intentOf(form, ['drain', 'cordon', 'uncordon', 'update-limits', 'pause', 'resume']);
  const worker = textOf(form, 'worker');
  const { failure } = await tryApi<unknown>(args, ({ api }) => {
    const workerParams = { params: { path: { ...params.path, worker } } };
    switch (intent) {
      case 'drain':
        return api.POST('/v1/fleets/{fleet}/workers/{worker}/drain', workerParams);
      case 'cordon':
        return api.POST('/v1/fleets/{fleet}/workers/{worker}/cordon', workerParams);
      case 'uncordon':
        return api.POST('/v1/fleets/{fleet}/workers/{worker}/uncordon', workerParams);
      case 'update-limits': {
        const [minWorkers, maxWorkers, idleSlots] = ['minWorkers', 'maxWorkers', 'idleSlots'].map((field) =>
          Number(textOf(form, field)),
        );
        return api.PATCH('/v1/fleets/{fleet}', { params, body: { minWorkers, maxWorkers, idleSlots } });
      }
      case 'pause':
        return api.POST('/v1/fleets/{fleet}/pause', { params });
      case 'resume':
        return api.POST('/v1/fleets/{fleet}/resume', { params });
      default:
        return assertNever(intent);
    }
  });
  return { failure, isSaved: !failure };
}
