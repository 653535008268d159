import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Ports of a connection over 127.0.0.1, from the end of the proxy. */
type ConnectionPorts = Pick<Socket, 'remotePort' | 'localPort'>;

/**
 * TCP sockets of this network namespace, also those of other containers that share it. A program that connects to `::ffff:127.0.0.1` has an
 * IPv6 socket.
 */
const TABLES = [
  { path: '/proc/net/tcp', loopback: '0100007F' },
  { path: '/proc/net/tcp6', loopback: '0000000000000000FFFF00000100007F' },
] as const;

/**
 * User of the program at the other end of a connection over 127.0.0.1. The kernel records it when the program creates its socket.
 * @param readTable text of a table (proc_net_tcp(5)). Synchronous, so that no byte of a refused client is handled
 * @returns null if the connection has ended, or the kernel has no table
 */
export function clientUserOf(ports: ConnectionPorts, readTable = readKernelTable): number | null {
  const { remotePort, localPort } = ports;
  if (remotePort === undefined || localPort === undefined) return null;
  for (const { path, loopback } of TABLES) {
    const table = readTable(path);
    // The socket of the client is named from its own end.
    const start = table.indexOf(` ${loopback}:${hex(remotePort)} ${loopback}:${hex(localPort)} `);
    if (start === -1) continue;
    const fields = table.slice(start + 1, table.indexOf('\n', start)).split(/ +/);
    // Both addresses, state, queues, timer, retransmits, user.
    const user = fields[6];
    return user === undefined ? null : Number(user);
  }
  return null;
}

function readKernelTable(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
