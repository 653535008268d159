import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';

/** Parts of a blocked connection that decide on its remedy. */
export type RemedyBlock = Pick<EgressBlock, 'host' | 'rule' | 'address'>;

/** Setting that allows a blocked connection. */
export function blockRemedy({ host, rule, address }: RemedyBlock): string {
  switch (rule) {
    case 'project':
    case 'workflow':
    case 'run':
      return `Add ${host} to the egress list of the ${rule}.`;
    case 'private-address':
      return `Add ${address ?? host} to PILOTHOUSE_EGRESS_ALLOW_PRIVATE of the worker (Kubernetes: egress.allowPrivate of the fleet). Egress lists cannot allow it.`;
    case 'worker':
      return 'Use another address: runs cannot reach the ports of the worker.';
  }
}

const rules: ReadonlySet<unknown> = new Set<EgressBlock['rule']>([
  'project',
  'workflow',
  'run',
  'private-address',
  'worker',
]);

/** The blocked connection in the details of an error; null: the value is none. */
export function remedyBlockOf(value: unknown): RemedyBlock | null {
  if (typeof value !== 'object' || value === null) return null;
  const { host, rule, address } = value as Readonly<Record<string, unknown>>;
  if (typeof host !== 'string' || !rules.has(rule)) return null;
  return { host, rule: rule as EgressBlock['rule'], address: typeof address === 'string' ? address : null };
}
