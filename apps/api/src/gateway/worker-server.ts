import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MAX_MESSAGE_BYTES } from '@pilothouse/contract/worker/assignment.schema';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import type { WorkerHandshake } from './socket/worker-handshake.ts';
import type { WorkerGateway } from './worker-gateway.ts';

/** Path at which workers open their sockets. */
const GATEWAY_PATH = '/v1/gateway';

type Verified = (isAccepted: boolean, status?: number, reason?: string) => void;

/** Accepts worker sockets on the HTTP server of the API. A socket without a valid token never opens. */
export class WorkerServer {
  private readonly gateway: WorkerGateway;
  private readonly handshake: WorkerHandshake;
  private readonly server: WebSocketServer;

  constructor(gateway: WorkerGateway, handshake: WorkerHandshake) {
    this.gateway = gateway;
    this.handshake = handshake;
    this.server = new WebSocketServer({
      noServer: true,
      path: GATEWAY_PATH,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      verifyClient: ({ req }: { req: IncomingMessage }, done: Verified) => {
        void handshake
          .verify(req)
          .then((rejection) => (rejection ? done(false, rejection.status, rejection.reason) : done(true)));
      },
    });
  }

  /** Serves workers on the HTTP server of `instance`. Sockets that are still open end when that server closes. */
  attach(instance: FastifyInstance): void {
    instance.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) =>
      this.server.handleUpgrade(request, stream, head, (socket) => {
        // A socket error without a listener would end the process.
        socket.on('error', () => undefined);
        const credential = this.handshake.credentialOf(request);
        if (credential) this.gateway.connect(socket, request.socket, credential);
        else socket.close(4401, 'No token');
      }),
    );
    instance.addHook('preClose', (done) => {
      for (const socket of this.server.clients) socket.terminate();
      done();
    });
  }

  /** Sends the workers to other replicas. */
  close(): Promise<void> {
    return this.gateway.close();
  }
}
