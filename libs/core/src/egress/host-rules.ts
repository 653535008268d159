import ipaddr from 'ipaddr.js';

/** An address, as bytes; IPv4 inside IPv6 (mapped, or behind NAT64) is IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: address and prefix length. */
export type Network = readonly [Address, number];

/** Global unicast, the only public addresses of IPv6 (RFC 4291, section 2.4; IANA). */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Parses an IP address.
 * @returns null if the text is not an address
 */
export function parseAddress(text: string): Address | null {
  const bareText = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!ipaddr.isValid(bareText)) return null;
  const address = ipaddr.parse(bareText);
  return address instanceof ipaddr.IPv6 ? unwrapEmbedded(address) : address;
}

/** The IPv4 address in an IPv6 address, which receives the packets. */
function unwrapEmbedded(address: ipaddr.IPv6): Address {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  // NAT64, RFC 6052: the well-known prefix, behind which the last 32 bits are the address.
  return address.range() === 'rfc6052' ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/**
 * Parses an IP address or a network in CIDR notation.
 * @returns null if the text is neither
 */
export function parseNetwork(text: string): Network | null {
  const [bareText = '', bits, extraPart] = text.split('/');
  if (extraPart !== undefined) return null;
  const address = parseAddress(bareText);
  if (!address) return null;
  const bitCount = address instanceof ipaddr.IPv4 ? 32 : 128;
  if (bits === undefined) return [address, bitCount];
  const count = Number(bits);
  // A network of IPv4-mapped addresses must be written as an IPv4 network.
  const isMapped = address instanceof ipaddr.IPv4 && bareText.includes(':');
  return Number.isInteger(count) && count >= 0 && count <= bitCount && !isMapped ? [address, count] : null;
}

/** True if a network contains an address. */
export const isInNetwork = (address: Address, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/**
 * True if an address is public. All other ranges (loopback, private, link-local, multicast, reserved, documentation) are reachable only in
 * the network of the worker.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (METADATA.some((network) => isInNetwork(address, network))) return false;
  return address instanceof ipaddr.IPv4 || isInNetwork(address, GLOBAL);
}

const networks = (...list: string[]) => list.map((text) => parseNetwork(text) ?? throwInvalidNetwork(text));

const throwInvalidNetwork = (text: string): never => {
  throw new Error(`${text} is not a network`);
};

/**
 * Addresses of cloud metadata services. 169.254.169.254 serves AWS, Google, Azure, DigitalOcean and others. AWS has
 * more for IPv6 and containers. The last three are the Azure wire server, Alibaba and Oracle.
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

/** True if an address belongs to a cloud metadata service. */
export const isMetadata = (address: Address): boolean => METADATA.some((network) => isInNetwork(address, network));

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

/** A parsed host pattern: a name, its subdomains, or networks; optionally with a port. */
export interface HostRule {
  readonly port: number | null;
  readonly name: string | null;
  /** True if the pattern starts with `*.` and matches subdomains only. */
  readonly matchesSubdomains: boolean;
  readonly networks: readonly Network[];
}

/** Keyword for all private networks and loopback, except metadata services. */
export const PRIVATE_KEYWORD = 'private';

/**
 * Normalizes a host: lower case, punycode, no trailing dot.
 * @returns null if it is not a host
 */
export function parseHost(text: string): string | null {
  const url = URL.parse(`http://${text}`);
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
  const emptyRule = { port, name: null, matchesSubdomains: false, networks: [] };
  if (host === PRIVATE_KEYWORD) return { ...emptyRule, networks: PRIVATE_NETWORKS };
  const network = parseNetwork(host);
  if (network) return { ...emptyRule, networks: [network] };
  const matchesSubdomains = host.startsWith('*.');
  const name = parseHost(matchesSubdomains ? host.slice(2) : host);
  return name === null || name.includes('*') || host.includes('/') || parseAddress(name)
    ? null
    : { ...emptyRule, name, matchesSubdomains };
}

/** Parses validated patterns. An invalid one allows nothing. */
export const parseHostRules = (texts: readonly string[]): HostRule[] =>
  texts.map(parseHostRule).filter((rule) => rule !== null);

/** Destination of a connection: a host from `parseHost`, and a port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** True if a rule matches this host name. */
export function matchesHost({ port, name, matchesSubdomains }: HostRule, destination: HostPort): boolean {
  if (name === null || (port !== null && port !== destination.port)) return false;
  return matchesSubdomains ? destination.host.endsWith(`.${name}`) : destination.host === name;
}

/** True if a rule matches this address. Metadata services match only a rule for exactly their address. */
export function matchesAddress({ port, networks }: HostRule, address: Address, destination: HostPort): boolean {
  if (port !== null && port !== destination.port) return false;
  const isSingleAddress = ([base, bits]: Network) => bits === base.toByteArray().length * 8;
  return networks.some(
    (network) => isInNetwork(address, network) && (isSingleAddress(network) || !isMetadata(address)),
  );
}
