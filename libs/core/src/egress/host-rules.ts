import ipaddr from 'ipaddr.js';

/** An address, as bytes; IPv4 inside IPv6 (mapped, or behind NAT64) is IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: an address and how many of its bits count. */
export type Network = readonly [Address, number];

/** Global unicast, the only addresses of IPv6 that are given to the internet (RFC 4291, section 2.4; IANA). */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Parses an IP address.
 * @returns null if the text is not an address
 */
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

/**
 * Parses an IP address or a network in CIDR notation.
 * @returns null if the text is neither
 */
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

/** Whether a network contains an address. */
export const isInNetwork = (address: Address, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/**
 * Whether an address is public. All other ranges (loopback, private, link-local, multicast, reserved, documentation) are reachable only in
 * the network of the worker.
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
 * Addresses of cloud metadata services: 169.254.169.254 (AWS, Google, Azure, DigitalOcean and others), AWS over IPv6 and for containers,
 * the Azure wire server, Alibaba and Oracle.
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

/** Whether an address belongs to a cloud metadata service. */
export const isMetadata = (address: Address): boolean => METADATA.some((one) => isInNetwork(address, one));

/** Networks of the rule `private`: loopback and private ranges (RFC 1918, 4193, 6598), without link-local. */
export const PRIVATE_NETWORKS = networks(
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '[::1]',
  '[fc00::]/7',
);

/** A pattern of hosts, read: a name, the names below one, or networks; with a port where only that one is meant. */
export interface HostRule {
  readonly port: number | null;
  readonly name: string | null;
  /** Whether the pattern starts with `*.` and matches subdomains only. */
  readonly below: boolean;
  readonly networks: readonly Network[];
}

/** Stands for all private networks and the machine itself, but for addresses of metadata services. */
export const PRIVATE_WORD = 'private';

/**
 * Normalizes a host: lower case, punycode, no trailing dot.
 * @returns null if it is not a host
 */
export function parseHost(written: string): string | null {
  const url = URL.parse(`http://${written}`);
  if (!url || url.hostname === '' || url.pathname !== '/' || url.username !== '' || url.search !== '') return null;
  return url.hostname.replace(/\.$/, '');
}

/**
 * Parses a host pattern (`contract/project/egress`).
 * @returns null if it is invalid
 */
export function parseHostRule(text: string): HostRule | null {
  const [, host = '', digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && port > 65_535) return null;
  const none = { port, name: null, below: false, networks: [] };
  if (host === PRIVATE_WORD) return { ...none, networks: PRIVATE_NETWORKS };
  const network = parseNetwork(host);
  if (network) return { ...none, networks: [network] };
  const below = host.startsWith('*.');
  const name = parseHost(below ? host.slice(2) : host);
  return name === null || name.includes('*') || host.includes('/') || parseAddress(name)
    ? null
    : { ...none, name, below };
}

/** Parses validated patterns. An invalid one allows nothing. */
export const parseHostRules = (texts: readonly string[]): HostRule[] =>
  texts.map(parseHostRule).filter((rule) => rule !== null);

/** Destination of a connection: a host from `parseHost`, and a port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Whether a rule matches this host name. */
export function matchesHost({ port, name, below }: HostRule, place: HostPort): boolean {
  if (name === null || (port !== null && port !== place.port)) return false;
  return below ? place.host.endsWith(`.${name}`) : place.host === name;
}

/** Whether a rule matches this address. Metadata services match only a rule for exactly their address. */
export function matchesAddress({ port, networks }: HostRule, address: Address, place: HostPort): boolean {
  if (port !== null && port !== place.port) return false;
  const isWhole = ([base, bits]: Network) => bits === base.toByteArray().length * 8;
  return networks.some((network) => isInNetwork(address, network) && (isWhole(network) || !isMetadata(address)));
}
