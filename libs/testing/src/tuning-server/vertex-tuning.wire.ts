import type { ServerJob, TuningServerRequest, TuningServerState, WireAnswer } from './tuning-wire.ts';

const JOBS = '/v1beta1/projects/harbour/locations/europe-west4/tuningJobs';

const viewOf = ({ id, request, status, model, error }: ServerJob) => ({
  name: id,
  state: `JOB_STATE_${status.toUpperCase()}`,
  baseModel: request.baseModel,
  labels: request.labels,
  ...(status === 'succeeded' && {
    tunedModel: {
      model: `${model}-model`,
      endpoint: model,
      checkpoints: [{ checkpointId: '1', epoch: '1', step: '12' }],
    },
    tuningDataStats: {
      supervisedTuningDataStats: { totalBillableTokenCount: '1000', tuningDatasetExampleCount: '3' },
    },
  }),
  ...(error !== '' && { error: { code: 3, message: error } }),
});

/** The tuning API of Vertex AI, and the token endpoint of a service account at `/token`. */
export function answerVertex({ method, path, json }: TuningServerRequest, state: TuningServerState): WireAnswer {
  if (path === '/token') return { json: { access_token: 'a-token', expires_in: 3600, token_type: 'Bearer' } };
  if (path === JOBS)
    return method === 'POST'
      ? { json: viewOf(state.addJob(`${JOBS.slice('/v1beta1/'.length)}/${state.jobs.length + 1}`, json)) }
      : { json: { tuningJobs: state.jobs.map(viewOf) } };
  const [, id, cancel] = /^\/v1beta1\/(projects\/[^:]+)(:cancel)?$/.exec(path) ?? [];
  const job = state.jobs.find((candidate) => candidate.id === id);
  if (!job) return null;
  if (cancel !== undefined) job.status = 'cancelled';
  return { json: cancel === undefined ? viewOf(job) : {} };
}
