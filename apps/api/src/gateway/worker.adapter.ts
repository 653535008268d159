import type { IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { MAX_MESSAGE_BYTES } from '@pilothouse/contract';
import type { GatewayFleet } from '@pilothouse/infra-db';
import { isRefusal, type Refusal } from './handshake.ts';

type Verify = (request: IncomingMessage) => Promise<GatewayFleet | Refusal>;
type Verified = (ok: boolean, status?: number, reason?: string) => void;

/** Nest's `ws` adapter with our handshake in front: a socket without a fleet token never opens. */
export class WorkerAdapter extends WsAdapter {
  private readonly verify: Verify;
  private readonly fleets = new WeakMap<IncomingMessage, GatewayFleet>();

  constructor(app: INestApplicationContext, verify: Verify) {
    super(app);
    this.verify = verify;
  }

  /** The fleet whose token opened the socket of this request. */
  fleetOf(request: IncomingMessage): GatewayFleet | undefined {
    return this.fleets.get(request);
  }

  override create(port: number, options: Record<string, unknown> = {}) {
    const verifyClient = ({ req }: { req: IncomingMessage }, done: Verified) => {
      void this.verify(req).then((answer) => {
        if (isRefusal(answer)) return done(false, answer.status, answer.reason);
        this.fleets.set(req, answer);
        done(true);
      });
    };
    return super.create(port, { ...options, verifyClient, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  }

  /** Messages go to the conversation, which checks them by the contract; Nest's own parsing would do it a second time. */
  override bindMessageHandlers(): void {}
}
