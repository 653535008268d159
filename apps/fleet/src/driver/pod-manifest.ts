import type { Lease, Pod } from '@pilothouse/infra-kube';
import type { NamedTemplate } from './pod-templates.ts';

/** Labels that all worker pods carry: what is watched. */
export const workerLabels = {
  'app.kubernetes.io/name': 'pilothouse',
  'app.kubernetes.io/component': 'worker',
} as const;

const FLEET = 'pilothouse.dev/fleet';
const TEMPLATE = 'pilothouse.dev/template';

/** What keeps autoscalers from taking a node away under a worker. */
const guards = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
} as const;

/** A worker as a pod: the template, and what only the controller knows. */
export function podManifest({ template, hash }: NamedTemplate, fleet: string, name: string, owner: Lease): object {
  const { metadata, spec } = template;
  const [worker, ...others] = spec.containers;
  const env = (worker?.env ?? []).filter((variable) => variable.name !== 'PILOTHOUSE_WORKER_NAME');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata?.labels, ...workerLabels, [FLEET]: fleet, [TEMPLATE]: hash },
      annotations: { ...metadata?.annotations, ...guards },
      // Goes with the Lease: an uninstall leaves no pod, even where no controller runs any more. As a controller, so that a node can be
      // drained without force.
      ownerReferences: [
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          name: owner.metadata.name,
          uid: owner.metadata.uid,
          controller: true,
        },
      ],
    },
    spec: {
      ...spec,
      // Whether a worker that ended has a successor is decided, not restarted.
      restartPolicy: 'Never',
      containers: [{ ...worker, env: [...env, { name: 'PILOTHOUSE_WORKER_NAME', value: name }] }, ...others],
    },
  };
}

/** Whether a pod belongs to the controller of this Lease. */
export const belongsTo = ({ metadata }: Pod, lease: string): boolean =>
  metadata.labels?.[FLEET] !== undefined &&
  (metadata.ownerReferences ?? []).some((owner) => owner.kind === 'Lease' && owner.name === lease);

export const fleetOf = ({ metadata }: Pod): string => metadata.labels?.[FLEET] ?? '';
export const templateOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[TEMPLATE];

/** Whether autoscalers leave its node alone. */
export const isGuarded = ({ metadata }: Pod): boolean =>
  Object.entries(guards).every(([name, value]) => metadata.annotations?.[name] === value);

/** Annotations that guard a pod, or, as null, no longer do. */
export const guardAnnotations = (guarded: boolean): Record<string, string | null> =>
  guarded ? guards : Object.fromEntries(Object.keys(guards).map((name) => [name, null]));
