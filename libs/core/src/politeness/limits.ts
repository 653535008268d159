import type { Blocked, Politeness, Site, SiteLimit } from '@pilothouse/contract';
import { readAddress } from '../egress/address.ts';
import { holdsAddress, namesHost, readHost, readPattern } from '../egress/pattern.ts';

/** A limit, and who set it. */
export interface HeldLimit extends SiteLimit {
  readonly by: Blocked['by'];
}

/** What project and workflow say together. */
export interface Said {
  readonly project: Politeness | null;
  readonly workflow: Politeness | null | undefined;
}

/** All limits, those of the project first. */
export const limitsOf = ({ project, workflow }: Said): HeldLimit[] => [
  ...(project?.limits ?? []).map((limit) => ({ ...limit, by: 'project' as const })),
  ...(workflow?.limits ?? []).map((limit) => ({ ...limit, by: 'workflow' as const })),
];

/** Whether robots.txt is looked at: where anything is said of politeness, unless one of both says not to. */
export function notesRobots({ project, workflow }: Said): boolean {
  if (!project && !workflow) return false;
  return project?.robots !== 'ignore' && workflow?.robots !== 'ignore';
}

/** The site that an address belongs to; null for what is not on the web, such as about:blank. */
export function siteOf(url: string, base?: string): Site | null {
  const read = URL.parse(url, base);
  if (!read || !/^https?:$/.test(read.protocol)) return null;
  const host = readHost(read.host.replace(/:\d+$/, ''));
  const port = read.port === '' ? (read.protocol === 'https:' ? 443 : 80) : Number(read.port);
  return host === null ? null : { host, port };
}

/** Whether a limit is one of this site. */
export function limits({ domain }: Pick<SiteLimit, 'domain'>, site: Site): boolean {
  const rule = readPattern(domain);
  if (!rule) return false;
  const address = readAddress(site.host);
  return address ? holdsAddress(rule, address, site) : namesHost(rule, site);
}
