import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import type { GatewayFleet } from '@pilothouse/infra-db';
import { Gateway } from './gateway.ts';

/** Finds the fleet whose token opened a socket: the adapter that checked it. */
export const FLEET_OF = Symbol('FLEET_OF');
export type FleetOf = (request: IncomingMessage) => GatewayFleet | undefined;

/** Nest's door to the gateway. */
@WebSocketGateway({ path: '/v1/gateway' })
export class WorkerGateway implements OnGatewayConnection {
  constructor(
    @Inject(Gateway) private readonly gateway: Gateway,
    @Inject(FLEET_OF) private readonly fleetOf: FleetOf,
  ) {}

  handleConnection(socket: WebSocket, request: IncomingMessage): void {
    const fleet = this.fleetOf(request);
    if (fleet) this.gateway.connect(socket, fleet);
    else socket.close(4401, 'No fleet token');
  }
}
