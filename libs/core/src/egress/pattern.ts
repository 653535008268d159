import {
  isInNetwork,
  isMetadata,
  PRIVATE_NETWORKS,
  parseAddress,
  parseNetwork,
  type Address,
  type Network,
} from './address.ts';

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
