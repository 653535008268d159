import type { KubeLease, Pod } from '@pilothouse/infra-kube';
import type { NamedTemplate } from './pod-template-folder.ts';

/** Labels that all worker pods carry: what is watched. */
export const WORKER_LABELS = {
  'app.kubernetes.io/name': 'pilothouse',
  'app.kubernetes.io/component': 'worker',
} as const;

const FLEET = 'pilothouse.dev/fleet';
const TEMPLATE = 'pilothouse.dev/template';

const EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const DISRUPT = 'karpenter.sh/do-not-disrupt';

/** What keeps autoscalers from taking a node away under a worker. */
const guards = { [EVICT]: 'false', [DISRUPT]: 'true' } as const;

/**
 * What lets them. The cluster autoscaler has to be told: without a word it keeps a node for a pod with local volumes, and for one that belongs to
 * nothing it knows, and a worker is both (its FAQ: "What types of pods can prevent CA from removing a node?").
 */
const open = { [EVICT]: 'true', [DISRUPT]: null } as const;

/** A worker as a pod: the template, and what only the controller knows. */
export function podManifest({ template, hash }: NamedTemplate, fleet: string, name: string, owner: KubeLease): object {
  const { metadata, spec } = template;
  const [worker, ...others] = spec.containers;
  const env = (worker?.env ?? []).filter((variable) => variable.name !== 'PILOTHOUSE_WORKER_NAME');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata?.labels, ...WORKER_LABELS, [FLEET]: fleet, [TEMPLATE]: hash },
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
export const isOwnedByLease = ({ metadata }: Pod, lease: string): boolean =>
  metadata.labels?.[FLEET] !== undefined &&
  (metadata.ownerReferences ?? []).some((owner) => owner.kind === 'Lease' && owner.name === lease);

export const podFleet = ({ metadata }: Pod): string => metadata.labels?.[FLEET] ?? '';
export const podTemplateName = ({ metadata }: Pod): string | undefined => metadata.labels?.[TEMPLATE];

/** Whether autoscalers leave its node alone. */
export const isEvictionProtected = ({ metadata }: Pod): boolean =>
  Object.entries(guards).every(([name, value]) => metadata.annotations?.[name] === value);

/** Annotations that guard a pod, or no longer do; null: it goes. */
export const evictionAnnotations = (guarded: boolean): Record<string, string | null> => (guarded ? guards : open);
