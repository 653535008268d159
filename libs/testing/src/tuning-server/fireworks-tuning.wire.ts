import {
  fileOf,
  type ServerJob,
  type TuningServerRequest,
  type TuningServerState,
  type WireAnswer,
} from './tuning-wire.ts';

const states = {
  queued: 'JOB_STATE_PENDING',
  running: 'JOB_STATE_RUNNING',
  succeeded: 'JOB_STATE_COMPLETED',
  failed: 'JOB_STATE_FAILED',
  cancelled: 'JOB_STATE_CANCELLED',
};

const viewOf = ({ id, request, status, model, error, loss }: ServerJob, url = '') => ({
  name: `accounts/team/supervisedFineTuningJobs/${id}`,
  state: states[status],
  baseModel: request.baseModel,
  outputModel: model || request.outputModel,
  status: { code: error === '' ? 'OK' : 'INVALID_ARGUMENT', message: error },
  ...(loss.length > 0 && { metricsFileSignedUrl: `${url}/metrics/${id}?signature=secret` }),
  jobProgress: { percent: loss.length * 10, inputTokens: 1000 },
});

/** Metrics file of a job, which a signed URL provides without a key. */
const metricsOf = ({ loss }: ServerJob): string =>
  loss
    .map(({ step, loss: value, validationLoss }) =>
      JSON.stringify({ step, 'train/loss': value, 'eval/loss': validationLoss }),
    )
    .join('\n');

/** The fine-tuning API of Fireworks, under `/v1/accounts/team`. */
export function answerFireworks(request: TuningServerRequest, state: TuningServerState): WireAnswer {
  const { method, path, query, json, url } = request;
  const base = '/v1/accounts/team';
  const [, metricsJob] = /^\/metrics\/([^/]+)$/.exec(path) ?? [];
  const measured = request.key === '' && state.jobs.find(({ id }) => id === metricsJob);
  if (measured) return { text: metricsOf(measured) };
  if (method === 'POST' && path === `${base}/datasets`) {
    const id = String(json.datasetId);
    if (state.files.has(id)) return { status: 409, json: { message: `Dataset ${id} exists` } };
    state.files.set(id, Buffer.alloc(0));
    return { json: { name: id, state: 'UPLOADING' } };
  }
  const [, dataset, upload] = /^\/v1\/accounts\/team\/datasets\/([^/:]+)(:upload)?$/.exec(path) ?? [];
  const file = dataset === undefined ? undefined : state.files.get(dataset);
  if (dataset !== undefined && file) {
    if (upload !== undefined) state.files.set(dataset, fileOf(request));
    return { json: { name: dataset, state: state.files.get(dataset)?.length ? 'READY' : 'UPLOADING' } };
  }
  const jobs = `${base}/supervisedFineTuningJobs`;
  if (method === 'POST' && path === jobs) {
    const id = query.get('supervisedFineTuningJobId') ?? '';
    const exists = state.jobs.some((job) => job.id === id);
    return exists
      ? { status: 409, json: { message: `Job ${id} exists` } }
      : { json: viewOf(state.addJob(id, json), url) };
  }
  const [, id, cancel] = /^\/v1\/accounts\/team\/supervisedFineTuningJobs\/([^/:]+)(:cancel)?$/.exec(path) ?? [];
  const job = state.jobs.find((candidate) => candidate.id === id);
  if (!job) return null;
  if (cancel !== undefined) job.status = 'cancelled';
  return { json: viewOf(job, url) };
}
