import type { IncomingMessage } from 'node:http';
import { type INestApplicationContext, Inject } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { MAX_MESSAGE_BYTES } from '@pilothouse/contract';
import { WorkerHandshake } from './socket/worker-handshake.ts';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { Gateway } from './worker-gateway.ts';

type Verified = (ok: boolean, status?: number, reason?: string) => void;

/** Nest's `ws` adapter with our handshake in front: a socket without a fleet token never opens. */
export class WorkerServer extends WsAdapter {
  private readonly handshake: WorkerHandshake;

  constructor(app: INestApplicationContext, handshake: WorkerHandshake) {
    super(app);
    this.handshake = handshake;
  }

  override create(port: number, options: Record<string, unknown> = {}) {
    const verifyClient = ({ req }: { req: IncomingMessage }, done: Verified) => {
      void this.handshake
        .verify(req)
        .then((refusal) => (refusal ? done(false, refusal.status, refusal.reason) : done(true)));
    };
    return super.create(port, { ...options, verifyClient, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  }

  /** Messages go to the conversation, which checks them by the contract; Nest's own parsing would do it a second time. */
  override bindMessageHandlers(): void {}
}

/** Nest's door to the gateway. */
@WebSocketGateway({ path: '/v1/gateway' })
export class WorkerGateway implements OnGatewayConnection {
  constructor(
    @Inject(Gateway) private readonly gateway: Gateway,
    @Inject(WorkerHandshake) private readonly handshake: WorkerHandshake,
  ) {}

  handleConnection(socket: WebSocket, request: IncomingMessage): void {
    const fleet = this.handshake.fleetOf(request);
    if (fleet) this.gateway.connect(socket, request.socket, fleet);
    else socket.close(4401, 'No fleet token');
  }
}
