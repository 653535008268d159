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
