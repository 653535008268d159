import type { SiteLimitWait, Politeness, Site, SiteLimit } from '@pilothouse/contract';
import { parseAddress } from '../egress/address.ts';
import { matchesAddress, matchesHost, parseHost, parseHostRule } from '../egress/pattern.ts';

/** A limit, and who set it. */
export interface EffectiveLimit extends SiteLimit {
  readonly by: SiteLimitWait['by'];
}

/** What project and workflow say together. */
export interface Said {
  readonly project: Politeness | null;
  readonly workflow: Politeness | null | undefined;
}

/** All limits, those of the project first. */
export const effectiveLimits = ({ project, workflow }: Said): EffectiveLimit[] => [
  ...(project?.limits ?? []).map((limit) => ({ ...limit, by: 'project' as const })),
  ...(workflow?.limits ?? []).map((limit) => ({ ...limit, by: 'workflow' as const })),
];

/** Whether robots.txt is looked at: where anything is said of politeness, unless one of both says not to. */
export function checksRobotsTxt({ project, workflow }: Said): boolean {
  if (!project && !workflow) return false;
  return project?.robots !== 'ignore' && workflow?.robots !== 'ignore';
}

/** The site that an address belongs to; null for what is not on the web, such as about:blank. */
export function siteOf(url: string, base?: string): Site | null {
  const read = URL.parse(url, base);
  if (!read || !/^https?:$/.test(read.protocol)) return null;
  const host = parseHost(read.host.replace(/:\d+$/, ''));
  const port = read.port === '' ? (read.protocol === 'https:' ? 443 : 80) : Number(read.port);
  return host === null ? null : { host, port };
}

/** Whether a limit is one of this site. */
export function limitAppliesTo({ domain }: Pick<SiteLimit, 'domain'>, site: Site): boolean {
  const rule = parseHostRule(domain);
  if (!rule) return false;
  const address = parseAddress(site.host);
  return address ? matchesAddress(rule, address, site) : matchesHost(rule, site);
}
