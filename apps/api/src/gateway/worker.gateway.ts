import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { Gateway } from './gateway.ts';
import { WorkerHandshake } from './handshake.ts';

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
