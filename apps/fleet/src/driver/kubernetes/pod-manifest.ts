import type { KubeLease, Pod } from '@pilothouse/infra-kube';
import type { NamedTemplate } from './pod-template-folder.ts';

/** Labels of all worker pods. The informer selects by them. */
export const WORKER_LABELS = {
  'app.kubernetes.io/name': 'pilothouse',
  'app.kubernetes.io/component': 'worker',
} as const;

const FLEET_LABEL = 'pilothouse.dev/fleet';
const TEMPLATE_LABEL = 'pilothouse.dev/template';

const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** Keep autoscalers from removing the node of a worker. */
const evictionProtectionOn = { [SAFE_TO_EVICT]: 'false', [DO_NOT_DISRUPT]: 'true' } as const;

/**
 * Allow autoscalers to remove the node. The cluster autoscaler needs the explicit `true`. By default it keeps a node for pods with
 * local volumes or an unknown owner (its FAQ: "What types of pods can prevent CA from removing a node?").
 */
const evictionProtectionOff = { [SAFE_TO_EVICT]: 'true', [DO_NOT_DISRUPT]: null } as const;

/** Key of the join token in the Secret of a pod. */
export const JOIN_TOKEN_KEY = 'token';

const TOKEN_VOLUME = 'join-token';
const TOKEN_FOLDER = '/run/pilothouse/join';

/** Variables that a template cannot set. */
const workerVariables = ['PILOTHOUSE_WORKER_NAME', 'PILOTHOUSE_FLEET_TOKEN_FILE'];

/** Builds the pod of a worker: its fleet's template plus name, labels, owner, join token and eviction protection. */
export function podManifest({ template, hash }: NamedTemplate, fleet: string, name: string, owner: KubeLease): object {
  const { metadata, spec } = template;
  const [worker, ...otherContainers] = spec.containers;
  const env = (worker?.env ?? []).filter((variable) => !workerVariables.includes(variable.name));
  const variables = [
    { name: 'PILOTHOUSE_WORKER_NAME', value: name },
    { name: 'PILOTHOUSE_FLEET_TOKEN_FILE', value: `${TOKEN_FOLDER}/${JOIN_TOKEN_KEY}` },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata?.labels, ...WORKER_LABELS, [FLEET_LABEL]: fleet, [TEMPLATE_LABEL]: hash },
      annotations: { ...metadata?.annotations, ...evictionProtectionOn },
      // Pods are garbage-collected with the Lease, so that an uninstall leaves none. `controller: true` lets `kubectl drain` evict them.
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
      // The controller decides whether an exited worker is replaced.
      restartPolicy: 'Never',
      containers: [
        {
          ...worker,
          env: [...env, ...variables],
          // Only this container has the token.
          volumeMounts: [
            ...(worker?.volumeMounts ?? []),
            { name: TOKEN_VOLUME, mountPath: TOKEN_FOLDER, readOnly: true },
          ],
        },
        ...otherContainers,
      ],
      // The Secret has the name of the pod. It is created after the pod, which owns it; the kubelet waits for it.
      volumes: [...(spec.volumes ?? []), { name: TOKEN_VOLUME, secret: { secretName: name, defaultMode: 0o400 } }],
    },
  };
}

/** True if the Lease of this controller owns the pod. */
export const isOwnedByLease = ({ metadata }: Pod, lease: string): boolean =>
  metadata.labels?.[FLEET_LABEL] !== undefined &&
  (metadata.ownerReferences ?? []).some((owner) => owner.kind === 'Lease' && owner.name === lease);

export const podFleet = ({ metadata }: Pod): string => metadata.labels?.[FLEET_LABEL] ?? '';
export const podTemplateName = ({ metadata }: Pod): string | undefined => metadata.labels?.[TEMPLATE_LABEL];

/** True if autoscalers may not remove the node of the pod. */
export const isEvictionProtected = ({ metadata }: Pod): boolean =>
  Object.entries(evictionProtectionOn).every(([name, value]) => metadata.annotations?.[name] === value);

/** Annotations that turn the eviction protection on or off. Null removes an annotation. */
export const evictionAnnotations = (isProtected: boolean): Record<string, string | null> =>
  isProtected ? evictionProtectionOn : evictionProtectionOff;
