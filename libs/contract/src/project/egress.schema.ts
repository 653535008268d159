import { z } from 'zod';

/*
 * Allowed hosts of a run. Project, workflow and run may each have a list; a host must be on every list. Private addresses that a worker
 * may reach are a setting of the worker.
 */

/** A port behind a host, an address or a network. */
const PORT = String.raw`(:\d{1,5})?`;
const LABEL = '[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?';
const NAME = String.raw`(\*\.)?(${LABEL}\.)*${LABEL}`;
const BYTE = '(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';
const V4 = String.raw`${BYTE}(\.${BYTE}){3}(/(3[0-2]|[12]?[0-9]))?`;
const V6 = String.raw`\[[0-9a-fA-F:.]{2,45}\](/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?`;
/** Digits and dots are an address, never a name: `10.0.0.300` is a mistake. */
const NOT_NUMERIC = String.raw`(?![\d.]+(:\d+)?$)`;
const error =
  'Use a host, `*.host` for its subdomains, an address or a network, e.g. `10.1.0.0/16` or `[fd00::]/8`, optionally with `:port`. Write IPv6 in brackets. A prefix is at most 32 for IPv4 and 128 for IPv6';

const hasValidIpv6 = (pattern: string) => {
  const [, address] = /^\[([^\]]*)\]/.exec(pattern) ?? [];
  return address === undefined || z.ipv6().safeParse(address).success;
};

export const hostPatternSchema = z
  .string()
  .max(300)
  .regex(new RegExp(`^(${NOT_NUMERIC}${NAME}|${V4}|${V6})${PORT}$`), { error })
  .refine(hasValidIpv6, { error })
  .describe(
    'Host, subdomains or network, optionally with `:port`: `shop.example.com`, `*.example.com` (without example.com itself), `10.1.0.0/16`, `[2001:db8::]/32`',
  )
  .meta({ id: 'HostPattern' });

/** Hosts that may be reached. */
export const allowedHostsSchema = z
  .array(hostPatternSchema)
  .max(500)
  .describe('Hosts that may be reached. An empty list allows none');

/** Egress settings of a workflow. */
export const workflowEgressSchema = z
  .strictObject({ allow: allowedHostsSchema.optional() })
  .meta({ id: 'WorkflowEgress' });

/** Proxy of a run, without its password. */
export const upstreamProxySchema = z
  .strictObject({
    server: z
      .string()
      .max(300)
      .regex(/^(?:https?|socks5):\/\/[^\s/@?#]+$/, {
        error: 'Use http://host:port, https://host:port or socks5://host:port, without a path',
      })
      .describe('`http://host:port`, `https://host:port` or `socks5://host:port`'),
    username: z.string().min(1).max(500).optional(),
  })
  .meta({ id: 'UpstreamProxy' });
export type UpstreamProxy = z.infer<typeof upstreamProxySchema>;

/** Egress settings of a run, as stored and shown. */
export const runEgressSchema = workflowEgressSchema
  .extend({ proxy: upstreamProxySchema.optional().describe('Proxy for all connections of the run') })
  .meta({ id: 'RunEgress' });
export type RunEgress = z.infer<typeof runEgressSchema>;

const isSocks = (server: string) => server.startsWith('socks5:');
const isShort = (...texts: string[]) => texts.every((text) => new TextEncoder().encode(text).length <= 255);

/** Egress settings of a run, as submitted. */
export const submitEgressSchema = workflowEgressSchema
  .extend({
    proxy: upstreamProxySchema
      .extend({
        password: z
          .string()
          .min(1)
          .max(2000)
          .optional()
          .describe('Encrypted at rest, never shown again, and masked in all stored data'),
      })
      .refine(({ username, password }) => password === undefined || username !== undefined, {
        error: 'A password needs a `username`: add it, or remove the password',
        path: ['username'],
      })
      .refine(({ server, username = '', password = '' }) => !isSocks(server) || isShort(username, password), {
        error: 'SOCKS5 supports user names and passwords of at most 255 bytes: use shorter ones',
        path: ['password'],
      })
      .optional()
      .describe('Proxy for all connections of the run'),
  })
  .meta({ id: 'SubmitEgress' });
export type SubmitEgress = z.infer<typeof submitEgressSchema>;

/** Name of the proxy password among the secrets of a run. An input cannot have this name. */
export const PROXY_PASSWORD = 'egress.proxy.password';

/** Egress settings of project and run, for the worker. */
export const assignmentEgressSchema = z.object({
  project: allowedHostsSchema.nullable().describe('Allowed hosts of the project; null: no list'),
  run: runEgressSchema.nullable(),
});
export type AssignedEgress = z.infer<typeof assignmentEgressSchema>;

/** Reasons for refusing a connection. */
export const egressBlockReasons = ['project', 'workflow', 'run', 'private-address', 'worker'] as const;

/** A refused connection, without path and query, which may contain secrets. */
export const egressBlockSchema = z.object({
  host: z.string().max(300).describe('Host of the connection'),
  port: z.int().min(0).max(65_535).describe('Port of the connection'),
  rule: z
    .enum(egressBlockReasons)
    .describe(
      '`project`, `workflow`, `run`: not in the allowed hosts; `private-address`: not a public address; `worker`: a port of the worker',
    ),
  address: z.string().max(100).nullable().describe('Address of the host; null: not resolved'),
});
export type EgressBlock = z.infer<typeof egressBlockSchema>;
