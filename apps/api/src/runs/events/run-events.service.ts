import { Inject } from '@nestjs/common';
import type { RouteOutput } from '@pilothouse/contract/api/route-definition';
import type { routes } from '@pilothouse/contract/api/route-table';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { terminalEvents } from '@pilothouse/contract/events/event-log.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import { RunReader } from '@pilothouse/infra-db';
import { HttpResponse } from '../../http/http-response.ts';
import type { RouteRequest } from '../../http/route-request.ts';
import { AgentThinkingRelay } from './agent-thinking-relay.ts';
import { RunLifecycle } from '../../run-lifecycle/run-lifecycle.ts';
import { eventSseFormat } from './sse-stream.ts';
import { sseResponse, resumePosition } from './sse-response.ts';
import { RunsService, runDataDeleted } from '../runs.service.ts';

type Route = typeof routes.listRunEvents;
type Listed = Exclude<RouteOutput<Route>, undefined>;

/** Events of a run, as a stream or a list. */
export class RunEventsService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunReader) private readonly reader: RunReader,
    @Inject(RunLifecycle) private readonly lifecycle: RunLifecycle,
    @Inject(AgentThinkingRelay) private readonly thoughts: AgentThinkingRelay,
  ) {}

  async read(call: RouteRequest<Route>): Promise<HttpResponse<RouteOutput<Route>>> {
    const { caller, params, query, headers } = call;
    const format = query.format ?? negotiateFormat(headers.accept);
    const { view, eventSeq } = await this.runs.find(caller, params.run);
    const hasEnded = isTerminal(view.status);
    const lastSeq = resumePosition(headers['last-event-id'], query.after, eventSeq) ?? 0;
    // Only a finished run loses its events, and all at once: if one is missing, none is left.
    if (hasEnded && lastSeq < eventSeq && (await this.reader.events(params.run, lastSeq, 1)).length === 0)
      throw runDataDeleted(params.run);
    if (format === 'json') return new HttpResponse<Listed>(200, await this.list(params.run, lastSeq, query.limit));
    if (hasEnded && lastSeq >= eventSeq) return new HttpResponse<undefined>(204, null);
    const events = this.lifecycle.watch(params.run, lastSeq, call.signal);
    return sseResponse(call, events, eventSseFormat, {}, (sendFrames) =>
      this.thoughts.subscribe(params.run, (thinking) =>
        sendFrames(`event: agent-thinking\ndata: ${JSON.stringify(thinking)}\n\n`),
      ),
    );
  }

  private async list(run: string, lastSeq: number, limit: number): Promise<Listed> {
    const items = await this.reader.events(run, lastSeq, limit);
    const last = items.at(-1);
    return { items, after: last?.seq ?? lastSeq, end: last !== undefined && terminalEvents.has(last.type) };
  }
}

const FORMATS: Readonly<Record<string, 'sse' | 'json'>> = {
  'text/event-stream': 'sse',
  'text/*': 'sse',
  '*/*': 'sse',
  'application/json': 'json',
  'application/*': 'json',
};

/** @throws PilothouseError NOT_ACCEPTABLE */
export function negotiateFormat(accept = '*/*'): 'sse' | 'json' {
  const ranges = accept
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { format: FORMATS[type], weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ format, weight }) => format !== undefined && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  const [best] = ranges;
  if (best?.format) return best.format;
  throw new PilothouseError('NOT_ACCEPTABLE', 'Accept `text/event-stream` or `application/json`');
}
