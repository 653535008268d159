import { sseMessages } from '@pilothouse/client';
import type { RunEvent, AgentThinking } from '@pilothouse/contract';
import { type Log, systemTimers } from '@pilothouse/core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardedHeadersOf } from './client-address.ts';
import { readMultipart } from './multipart.ts';
import { identityOf } from './session-cookies.ts';
import { MAX_STREAMED_RUNS, type LiveGridMessage } from './live-grid-messages.ts';

/** Milliseconds between two pictures of a run: a wall is looked at from afar. */
const everyMs = 1_000;

/** Milliseconds after which a connection ends, and the page opens another: one that died in silence is not kept. */
const lastsMs = 600_000;

/** What an event says of what a run is at; undefined: nothing. */
export const wordsOf = ({ type, data }: Pick<RunEvent, 'type' | 'data'>): string | undefined => {
  if (type === 'step.started') return (data as { title: string }).title;
  if (type === 'agent.turn') return (data as { thought: string }).thought || undefined;
  return type === 'run.awaiting_user' ? (data as { reason: string }).reason : undefined;
};

/**
 * Many runs over one connection, of which a browser has only six to a server: their films, a picture a second, and what they are at. All ends with
 * the connection.
 */
export function createLiveGridStream(apiUrl: string, log: Log) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const runs = new URL(request.url ?? '/', apiUrl).searchParams.getAll('run').slice(0, MAX_STREAMED_RUNS);
    const left = new AbortController();
    response.once('close', () => left.abort());
    const gone = AbortSignal.any([left.signal, AbortSignal.timeout(lastsMs)]);
    const headers = { ...forwardedHeadersOf(request), ...identityOf(request.headers.cookie) };
    const ask = async (path: string) => {
      const answer = await fetch(`${apiUrl}/v1/runs/${path}`, { headers, signal: gone });
      if (!answer.ok) throw new Error(`The API answered ${answer.status}`);
      // A run that is over has no film: 204.
      return answer.body ?? new Blob([]).stream();
    };
    const me = await fetch(`${apiUrl}/v1/me`, { headers, signal: gone });
    await me.body?.cancel();
    if (!me.ok) return void response.writeHead(me.status).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(':\n\n');

    // Of each run only the newest is sent, and nothing while the last is still on its way.
    const news = new Map<string, Omit<LiveGridMessage, 'run'>>();
    const note = (run: string, more: Omit<LiveGridMessage, 'run'>) => news.set(run, { ...news.get(run), ...more });
    const timer = systemTimers.setInterval(() => {
      if (response.writableNeedDrain) return;
      for (const [run, told] of news) response.write(`data: ${JSON.stringify({ run, ...told })}\n\n`);
      if (news.size === 0) response.write(':\n\n');
      news.clear();
    }, everyMs);
    const film = async (run: string) => {
      for await (const jpeg of readMultipart(await ask(`${encodeURIComponent(run)}/live`)))
        note(run, { jpeg: jpeg.toString('base64') });
    };
    const tell = async (run: string) => {
      for await (const { event, data } of sseMessages(await ask(`${encodeURIComponent(run)}/events`))) {
        if (event === 'end') return;
        const words =
          event === 'agent-thinking'
            ? (JSON.parse(data) as AgentThinking).text || undefined
            : wordsOf(JSON.parse(data) as RunEvent);
        if (words !== undefined) note(run, { words });
      }
    };
    const quietly = (work: Promise<void>, run: string) =>
      work.catch((error: unknown) => {
        if (!gone.aborted) log.debug({ run, error: String(error) }, 'A run left the wall');
      });
    try {
      await Promise.all(runs.flatMap((run) => [quietly(film(run), run), quietly(tell(run), run)]));
      await new Promise<void>((resolve) => {
        if (gone.aborted) resolve();
        else gone.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      systemTimers.clearInterval(timer);
      response.end();
    }
  };
}
