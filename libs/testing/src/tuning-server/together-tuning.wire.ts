import {
  fileOf,
  type ServerJob,
  type TuningServerRequest,
  type TuningServerState,
  type WireAnswer,
} from './tuning-wire.ts';

const statuses = {
  queued: 'queued',
  running: 'running',
  succeeded: 'completed',
  failed: 'error',
  cancelled: 'cancelled',
};

const viewOf = ({ id, request, status, model }: ServerJob) => ({
  id,
  status: statuses[status],
  model: request.model,
  suffix: request.suffix,
  ...(status === 'succeeded' && { model_output_name: model, token_count: 1000 }),
});

const eventsOf = ({ loss, error }: ServerJob) => [
  { object: 'fine-tune-event', message: 'Fine tune request created', created_at: '2026-09-21T14:13:20Z' },
  ...loss.map(({ step, loss: value, validationLoss }) => ({
    ...{ message: `Step ${step}`, step, training_loss: value },
    ...(validationLoss !== undefined && { eval_loss: validationLoss }),
  })),
  ...(error === '' ? [] : [{ message: error }]),
];

/** The fine-tuning API of Together, under `/v1`. */
export function answerTogether(request: TuningServerRequest, state: TuningServerState): WireAnswer {
  const { method, path, json } = request;
  if (method === 'POST' && path === '/v1/files/upload') {
    const id = `file-${state.files.size + 1}`;
    state.files.set(id, fileOf(request));
    return { json: { id } };
  }
  if (path === '/v1/fine-tunes')
    return method === 'POST'
      ? { json: viewOf(state.addJob(`ft-${state.jobs.length + 1}`, json)) }
      : { json: { data: state.jobs.map(viewOf) } };
  const [, id, action] = /^\/v1\/fine-tunes\/([^/]+)(?:\/(events|cancel))?$/.exec(path) ?? [];
  const job = state.jobs.find((candidate) => candidate.id === id);
  if (!job) return null;
  if (action === 'events') return { json: { data: eventsOf(job) } };
  if (action === 'cancel') job.status = 'cancelled';
  return { json: viewOf(job) };
}
