/*
 * What of Kubernetes objects this house looks at, as JSON has it: instants are RFC 3339 strings.
 */

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  /** When its grace ends; set: it was told to go. */
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

/** One line of a watch. */
export interface WatchLine<Item> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Item;
}

/** Answer of the API server where there is no object to answer with. */
export interface KubeStatus {
  readonly kind: 'Status';
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
}

/** A pod, as far as it is looked at. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly nodeName?: string };
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

/** A pod without what nobody looks at: a thousand of them are kept. */
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
  const kept = { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp };
  return {
    metadata: { ...kept, labels, annotations, ownerReferences },
    spec: { nodeName: spec.nodeName },
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

/** Whether its processes have ended for good. */
export const isFinished = ({ status: { phase } }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed';

/** A condition of a pod by its type. */
export const podCondition = ({ status }: Pod, type: string): PodCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type);
