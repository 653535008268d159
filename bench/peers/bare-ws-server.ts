/** The peer of the gateway: a plain `ws` server that parses and answers messages. Reports its port once. */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) =>
  socket.on('message', (data: Buffer) => {
    const { sentAt } = JSON.parse(data.toString()) as { sentAt: number };
    socket.send(JSON.stringify({ type: 'renew.ack', sentAt, attempts: [], cancelled: [], answers: [], drain: false }));
  }),
);
server.on('listening', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
