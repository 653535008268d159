import { clientUserOf } from './client-user.ts';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     \n';
const LISTENER =
  '   0: 0100007F:1C84 00000000:0000 0A 00000000:00000000 00:00000000 00000000 10001        0 41 1 0000000000000000 100 0 0 10 0                       \n';
const SERVER_END =
  '   1: 0100007F:1C84 0100007F:A2D0 01 00000000:00000000 00:00000000 00000000 10001        0 42 1 0000000000000000 20 4 30 10 -1                      \n';
const CLIENT_END =
  '   2: 0100007F:A2D0 0100007F:1C84 01 00000000:00000000 02:000000A3 00000000 10101        0 43 2 0000000000000000 20 4 30 10 -1                      \n';
const MAPPED_CLIENT_END =
  '   0: 0000000000000000FFFF00000100007F:A2D0 0000000000000000FFFF00000100007F:1C84 01 00000000:00000000 00:00000000 00000000 10102        0 44 1 0000000000000000 20 4 30 10 -1\n';

const ports = { remotePort: 0xa2d0, localPort: 0x1c84 };
const read = (tables: Readonly<Record<string, string>>) => (path: string) => tables[path] ?? '';

test('the user is that of the end of the client', () => {
  const table = HEADER + LISTENER + SERVER_END + CLIENT_END;
  expect(clientUserOf(ports, read({ '/proc/net/tcp': table }))).toBe(10_101);
});

test('the socket of an IPv4-mapped client stands in the table of IPv6', () => {
  const tables = { '/proc/net/tcp': HEADER + LISTENER + SERVER_END, '/proc/net/tcp6': MAPPED_CLIENT_END };
  expect(clientUserOf(ports, read(tables))).toBe(10_102);
});

test('a connection that has ended has no user', () => {
  expect(clientUserOf(ports, read({ '/proc/net/tcp': HEADER + LISTENER + SERVER_END }))).toBeNull();
  expect(clientUserOf({ remotePort: undefined, localPort: 1 }, read({}))).toBeNull();
});
