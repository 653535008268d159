/** A thousand sockets that send a heartbeat each second, to the plain server that the gateway is compared with. Usage: `heartbeat-client.ts PORT COUNT`. */
import { WebSocket } from 'ws';

const [port = '', count = ''] = process.argv.slice(2);
let open = 0;
for (let index = 0; index < Number(count); index += 1) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  socket.on('open', () => {
    open += 1;
    setInterval(() => {
      socket.send(JSON.stringify({ type: 'renew', sentAt: performance.now(), attempts: [] }));
      // A worker also does both, at the same rate.
      socket.ping();
    }, 1_000);
    if (open === Number(count)) process.send?.(open);
  });
}
process.on('disconnect', () => process.exit(0));
