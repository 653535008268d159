/* The fields of Kubernetes objects that Pilothouse reads, in their JSON form. Timestamps are RFC 3339 strings. */

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  /** End of the grace period. Set once the deletion was requested. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface KubeList<Item> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly Item[];
}

export interface WatchLine<Item> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Item;
}

/** Response of the API server without an object, e.g. an error. */
export interface KubeStatus {
  readonly kind: 'Status';
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
}

/** A pod, with the fields that are read. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeName?: string;
    /** The first container is the worker. */
    readonly containers?: readonly { readonly name: string }[];
  };
  readonly status: PodStatus;
}

export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly PodCondition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: TerminatedState;
}

export interface TerminatedState {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** Drops unread fields. The informer caches up to thousands of pods. */
export function pickPodFields({ metadata, spec, status }: Pod): Pod {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    labels,
    annotations,
    ownerReferences,
  } = metadata;
  const fields = { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp };
  return {
    metadata: { ...fields, labels, annotations, ownerReferences },
    spec: { nodeName: spec.nodeName, containers: spec.containers?.slice(0, 1).map(({ name }) => ({ name })) },
    status: {
      phase: status.phase,
      reason: status.reason,
      message: status.message,
      conditions: status.conditions,
      initContainerStatuses: status.initContainerStatuses,
      containerStatuses: status.containerStatuses,
    },
  };
}

/** True if all containers have exited and will not restart. */
export const isFinished = ({ status: { phase } }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Returns a condition of a pod by its type. */
export const podCondition = ({ status }: Pod, type: string): PodCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type);
