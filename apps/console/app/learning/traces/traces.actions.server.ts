import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { TraceFilter } from '@pilothouse/contract/learning/trace.schema';
import { data, type ActionFunctionArgs } from 'react-router';
import { tryApi } from '../../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../../api/form-fields.server.ts';
import { countOf, shortId } from '../../shared/number-format.ts';
import { queueFilterOf, traceFilterOf } from './trace-filter.ts';

const intents = ['preview-accept', 'accept', 'score', 'pin', 'unpin'] as const;
type Intent = (typeof intents)[number];

/** Result of a change of traces. */
export interface TraceChange {
  intent: Intent;
  /** Changed traces; for `score`: new jobs. */
  traces: number;
  /** Labeled steps. */
  steps: number;
  /** False: more traces match than one request changes. */
  isComplete: boolean;
}

/** Changes the selected traces, or all traces of the filter. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, intents);
  const runs = form.getAll('run').filter((run) => typeof run === 'string');
  const filter = runs.length > 0 ? { runs } : traceFilterOf(queueFilterOf(new URLSearchParams(textOf(form, 'filter'))));
  const answer = await tryApi(args, (client) => changeTraces(client, intent, filter, textOf(form, 'reason').trim()));
  return data(answer, { status: answer.failure ? 400 : 200 });
}

async function changeTraces(client: Client, intent: Intent, filter: TraceFilter, reason: string): Promise<TraceChange> {
  const { api } = client;
  switch (intent) {
    case 'preview-accept':
    case 'accept': {
      const body = { filter, dryRun: intent === 'preview-accept', ...(reason && { reason }) };
      return { intent, ...(await unwrapData(api.POST('/v1/traces/labels', { body }))) };
    }
    case 'score': {
      const { jobs, isComplete } = await unwrapData(api.POST('/v1/traces/score', { body: { filter } }));
      return { intent, traces: jobs, steps: 0, isComplete };
    }
    case 'pin':
    case 'unpin': {
      const runs = filter.runs ?? [];
      await changePins(client, intent, runs);
      return { intent, traces: runs.length, steps: 0, isComplete: true };
    }
    default:
      return assertNever(intent);
  }
}

/** @throws PilothouseError with the number of changed traces */
async function changePins({ api }: Client, intent: 'pin' | 'unpin', runs: readonly string[]): Promise<void> {
  if (runs.length === 0) throw new PilothouseError('VALIDATION_FAILED', `Select the traces to ${intent}.`);
  for (const [index, run] of runs.entries()) {
    const params = { path: { run } };
    try {
      await (intent === 'pin'
        ? api.POST('/v1/traces/{run}/pin', { params })
        : api.POST('/v1/traces/{run}/unpin', { params }));
    } catch (error) {
      if (!(error instanceof PilothouseError) || error.code === 'UNAUTHENTICATED' || runs.length === 1) throw error;
      const verb = intent === 'pin' ? 'Pinned' : 'Unpinned';
      throw new PilothouseError(
        error.code,
        `${verb} ${index} of ${countOf(runs.length, 'trace')}. Trace ${shortId(run)} failed: ${error.message}`,
        { cause: error },
      );
    }
  }
}
