import ipaddr from 'ipaddr.js';

/** An address, as bytes; IPv4 inside IPv6 (mapped, or behind NAT64) is IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: an address and how many of its bits count. */
export type Network = readonly [Address, number];

/** Global unicast, the only addresses of IPv6 that are given to the internet (RFC 4291, section 2.4; IANA). */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/** Reads an address. @returns null for what is none, e.g. a name */
export function parseAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!ipaddr.isValid(bare)) return null;
  const address = ipaddr.parse(bare);
  return address instanceof ipaddr.IPv6 ? unwrapped(address) : address;
}

/** The IPv4 address that an IPv6 one stands for: the packets end there. */
function unwrapped(address: ipaddr.IPv6): Address {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  // NAT64, RFC 6052: the well-known prefix, behind which the last 32 bits are the address.
  return address.range() === 'rfc6052' ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/** Reads an address, or a network in CIDR form. @returns null for what is neither */
export function parseNetwork(text: string): Network | null {
  const [bare = '', bits, more] = text.split('/');
  if (more !== undefined) return null;
  const address = parseAddress(bare);
  if (!address) return null;
  const all = address instanceof ipaddr.IPv4 ? 32 : 128;
  if (bits === undefined) return [address, all];
  const count = Number(bits);
  // A network of mapped addresses is written as one of IPv4.
  const isMapped = address instanceof ipaddr.IPv4 && bare.includes(':');
  return Number.isInteger(count) && count >= 0 && count <= all && !isMapped ? [address, count] : null;
}

/** Whether an address lies in a network. */
export const isInNetwork = (address: Address, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/**
 * Whether an address is one of the internet: everything else (loopback, private, link-local, multicast, reserved, documentation) is a
 * place that only the network of the worker knows.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (METADATA.some((one) => isInNetwork(address, one))) return false;
  return address instanceof ipaddr.IPv4 || isInNetwork(address, GLOBAL);
}

const networks = (...list: string[]) => list.map((text) => parseNetwork(text) ?? raise(text));

const raise = (text: string): never => {
  throw new Error(`${text} is no network`);
};

/**
 * Where clouds tell machines their keys: AWS, Google, Azure, DigitalOcean and others 169.254.169.254; AWS by IPv6 and for containers;
 * Azure's wire server, which is a public address by its number; Alibaba; Oracle.
 */
const METADATA = networks(
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
);

/** Whether an address is one where a cloud tells machines their keys. */
export const isMetadata = (address: Address): boolean => METADATA.some((one) => isInNetwork(address, one));

/** What `private` stands for: the machine itself, and networks that people run (RFC 1918, 4193, 6598). Link-local is not among them. */
export const PRIVATE_NETWORKS = networks(
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '[::1]',
  '[fc00::]/7',
);
