import type { Bounds, ElementView, OpaqueRegion } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';

/** Element with its id, in CSS pixels of the outermost document that the script can reach. */
export interface SnapshotElement extends Omit<ElementView, 'index'> {
  readonly id: number;
  readonly point: { readonly x: number; readonly y: number };
  /** Input goes to its label, because the control is not visible. */
  readonly isBehindLabel?: true;
  /** It is or was a password field, also while it is empty. */
  readonly isPasswordField?: true;
}

/** Frame whose elements are read in its own process. */
export interface SnapshotFrame {
  readonly id: number;
  /** Index of the element before which the elements of the frame belong. */
  readonly insertIndex: number;
  readonly name: string;
  readonly bounds: Bounds;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Visible part of the frame in its own pixels. */
  readonly view: { left: number; top: number; right: number; bottom: number };
}

/** Result of one snapshot. */
export interface Snapshot {
  readonly url: string;
  readonly title: string;
  readonly loading: boolean;
  readonly busy: boolean;
  readonly viewport: { width: number; height: number };
  readonly scroll: { above: number; below: number };
  readonly elements: SnapshotElement[];
  /** Focused element. Null: none; `frame`: inside a frame of another process; omitted: in the list. */
  readonly focus?: SnapshotElement | 'frame' | null;
  readonly frames: SnapshotFrame[];
  readonly opaqueRegions: OpaqueRegion[];
  /** Ids of elements that may have a closed shadow root and were not checked yet. */
  readonly hosts: number[];
  readonly texts: string[];
}

export interface SnapshotOptions {
  readonly level: ObservationLevel;
  /** Visible part of the document if it is in a frame. */
  readonly view: { left: number; top: number; right: number; bottom: number } | null;
}
