import {
  fileOf,
  type ServerJob,
  type TuningServerRequest,
  type TuningServerState,
  type WireAnswer,
} from './tuning-wire.ts';

const viewOf = ({ id, request, status, model, error }: ServerJob) => ({
  object: 'fine_tuning.job',
  id,
  status,
  model: request.model,
  suffix: request.suffix,
  metadata: request.metadata,
  fine_tuned_model: status === 'succeeded' ? model : null,
  trained_tokens: status === 'succeeded' ? 1000 : null,
  result_files: status === 'succeeded' ? [`result-${id}`] : [],
  error: error === '' ? null : { code: 'invalid_training_file', message: error },
});

/** Newest first, as the service sends them. */
const eventsOf = ({ loss, status, hasOnlyResultFile }: ServerJob) =>
  [
    { object: 'fine_tuning.job.event', message: 'Created fine-tuning job', created_at: 1_790_000_000 },
    ...(hasOnlyResultFile ? [] : loss).map(({ step, loss: value, validationLoss }) => ({
      ...{ message: `Step ${step}`, created_at: 1_790_000_000 + step },
      data: { step, train_loss: value, ...(validationLoss !== undefined && { valid_loss: validationLoss }) },
    })),
    { message: `The job is ${status}`, created_at: 1_790_100_000 },
  ].toReversed();

/** Metrics of a finished job in CSV format, in base64. */
function resultFileOf({ loss }: ServerJob): string {
  const rows = loss.map(({ step, loss: value, validationLoss }) => `${step},${value},0.5,${validationLoss ?? ''},`);
  const csv = ['step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy', ...rows].join('\n');
  return Buffer.from(csv).toString('base64');
}

/** The fine-tuning API of OpenAI, under `/v1`. */
export function answerOpenAI(request: TuningServerRequest, state: TuningServerState): WireAnswer {
  const { method, path, query, json } = request;
  if (method === 'POST' && path === '/v1/files') {
    const id = `file-${state.files.size + 1}`;
    state.files.set(id, fileOf(request));
    return { json: { id, object: 'file', purpose: 'fine-tune' } };
  }
  const [, resultJob] = /^\/v1\/files\/result-([^/]+)\/content$/.exec(path) ?? [];
  const finished = state.jobs.find(({ id }) => id === resultJob);
  if (finished) return { text: resultFileOf(finished) };
  if (path === '/v1/fine_tuning/jobs') {
    if (method === 'POST') return { json: viewOf(state.addJob(`ftjob-${state.jobs.length + 1}`, json)) };
    const lastId = query.get('after');
    const start = lastId === null ? 0 : state.jobs.findIndex(({ id }) => id === lastId) + 1;
    const page = state.jobs.slice(start, start + Number(query.get('limit')));
    return { json: { data: page.map(viewOf), has_more: start + page.length < state.jobs.length } };
  }
  const [, id, action] = /^\/v1\/fine_tuning\/jobs\/([^/]+)(?:\/(events|cancel))?$/.exec(path) ?? [];
  const job = state.jobs.find((candidate) => candidate.id === id);
  if (!job) return null;
  if (action === 'events') return { json: { data: eventsOf(job) } };
  if (action === 'cancel') job.status = 'cancelled';
  return { json: viewOf(job) };
}
