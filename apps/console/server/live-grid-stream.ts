import { sseMessages } from '@pilothouse/client';
import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardedHeadersOf } from './client-address.ts';
import { readMultipart } from './multipart.ts';
import { identityOf } from './session-cookies.ts';
import { MAX_STREAMED_RUNS, type LiveGridMessage } from './live-grid-messages.ts';

/** Milliseconds between two frames of a run. */
const FRAME_INTERVAL_MS = 1_000;

/** Milliseconds after which a connection is closed, and the page reconnects. This removes dead connections. */
const CONNECTION_MS = 600_000;

/** Activity that an event describes; undefined: none. */
export const activityOf = ({ type, data }: Pick<RunEvent, 'type' | 'data'>): string | undefined => {
  if (type === 'step.started') return (data as { title: string }).title;
  if (type === 'agent.turn') return (data as { thought: string }).thought || undefined;
  return type === 'run.awaiting_user' ? (data as { reason: string }).reason : undefined;
};

/**
 * Streams several runs over one connection, because browsers limit connections per host: one frame per second and the
 * current activity of each run.
 */
export function createLiveGridStream(apiUrl: string, log: Log) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const runs = new URL(request.url ?? '/', apiUrl).searchParams.getAll('run').slice(0, MAX_STREAMED_RUNS);
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(CONNECTION_MS)]);
    const headers = { ...forwardedHeadersOf(request), ...identityOf(request.headers.cookie) };
    const fetchRun = async (path: string) => {
      const apiResponse = await fetch(`${apiUrl}/v1/runs/${path}`, { headers, signal });
      if (!apiResponse.ok) throw new Error(`Screencast failed (HTTP ${apiResponse.status})`);
      // A finished run has no screencast: 204.
      return apiResponse.body ?? new Blob([]).stream();
    };
    const me = await fetch(`${apiUrl}/v1/me`, { headers, signal });
    await me.body?.cancel();
    if (!me.ok) return void response.writeHead(me.status).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(':\n\n');

    // Only the latest update of each run is sent, and none while the connection is congested.
    const pending = new Map<string, Omit<LiveGridMessage, 'run'>>();
    const update = (run: string, content: Omit<LiveGridMessage, 'run'>) =>
      pending.set(run, { ...pending.get(run), ...content });
    const timer = systemTimers.setInterval(() => {
      if (response.writableNeedDrain) return;
      for (const [run, message] of pending) response.write(`data: ${JSON.stringify({ run, ...message })}\n\n`);
      if (pending.size === 0) response.write(':\n\n');
      pending.clear();
    }, FRAME_INTERVAL_MS);
    const streamScreencast = async (run: string) => {
      for await (const jpeg of readMultipart(await fetchRun(`${encodeURIComponent(run)}/live?framesPerSecond=1`)))
        update(run, { jpeg: jpeg.toString('base64') });
    };
    const streamActivity = async (run: string) => {
      for await (const { event, data } of sseMessages(await fetchRun(`${encodeURIComponent(run)}/events`))) {
        if (event === 'end') return;
        const activity =
          event === 'agent-thinking'
            ? (JSON.parse(data) as AgentThinking).text || undefined
            : activityOf(JSON.parse(data) as RunEvent);
        if (activity !== undefined) update(run, { activity });
      }
    };
    const logFailure = (work: Promise<void>, run: string) =>
      work.catch((error: unknown) => {
        if (!signal.aborted) log.debug({ run, error: String(error) }, 'run removed from live grid');
      });
    try {
      await Promise.all(
        runs.flatMap((run) => [logFailure(streamScreencast(run), run), logFailure(streamActivity(run), run)]),
      );
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      systemTimers.clearInterval(timer);
      response.end();
    }
  };
}
