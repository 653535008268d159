import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import type { CdpCommands, CdpEvents, CdpSession, ReadLimit } from '@pilothouse/surface-page-elements';
import type { CDPSession } from 'playwright-core';

/** Adapts a CDP session of Playwright to `CdpSession`. An expired deadline throws a PilothouseError. */
export const playwrightCdpSession = (session: CDPSession): CdpSession => ({
  send: <Method extends keyof CdpCommands>(
    method: Method,
    params?: CdpCommands[Method]['params'],
    limit?: ReadLimit,
  ) => {
    const answer = session.send(method, params as never) as Promise<CdpCommands[Method]['result']>;
    return limit ? raceDeadline(answer, limit.deadline, limit.activity) : answer;
  },
  on: <Event extends keyof CdpEvents>(event: Event, listener: (data: CdpEvents[Event]) => void) => {
    session.on(event, listener as never);
  },
  isProtocolError: (error) => !(error instanceof PilothouseError),
});
