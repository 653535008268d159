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

/** A pattern of hosts, read: a name, the names below one, or networks; with a port where only that one is meant. */
export interface HostRule {
  readonly port: number | null;
  readonly name: string | null;
  /** The name of the pattern begins with `*.`: what is below the name, not the name itself. */
  readonly below: boolean;
  readonly networks: readonly Network[];
}

/** Stands for all private networks and the machine itself, but for addresses of metadata services. */
export const PRIVATE_WORD = 'private';

/** A host as rules compare it: small letters, punycode, no dot at the end. @returns null for what is no host */
export function parseHost(written: string): string | null {
  const url = URL.parse(`http://${written}`);
  if (!url || url.hostname === '' || url.pathname !== '/' || url.username !== '' || url.search !== '') return null;
  return url.hostname.replace(/\.$/, '');
}

/** Reads a pattern (`contract/egress`). @returns null for what is none */
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

/** Reads patterns that a schema has let through; what is none allows nothing. */
export const parseHostRules = (texts: readonly string[]): HostRule[] =>
  texts.map(parseHostRule).filter((rule) => rule !== null);

/** Where a connection is to go: a host as `parseHost` gives it, and its port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Whether a rule names this host. */
export function matchesHost({ port, name, below }: HostRule, place: HostPort): boolean {
  if (name === null || (port !== null && port !== place.port)) return false;
  return below ? place.host.endsWith(`.${name}`) : place.host === name;
}

/** Whether a rule holds for this address. An address of a metadata service has to be written alone. */
export function matchesAddress({ port, networks }: HostRule, address: Address, place: HostPort): boolean {
  if (port !== null && port !== place.port) return false;
  const isWhole = ([base, bits]: Network) => bits === base.toByteArray().length * 8;
  return networks.some((network) => isInNetwork(address, network) && (isWhole(network) || !isMetadata(address)));
}
