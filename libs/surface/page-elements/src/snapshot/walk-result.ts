/// <reference lib="dom" />
import type { OpaqueRegion } from '@pilothouse/contract/observation/observation.schema';
import type { FrameViewport } from './visibility.ts';

/** Candidate for the element list. */
export interface Candidate {
  readonly element: Element;
  readonly role: string;
  readonly viewport: FrameViewport;
  readonly rect: DOMRect;
  /** `sure`: accepts input. `likely`: only its cursor suggests it. `text`: readable content. */
  readonly kind: 'sure' | 'likely' | 'text';
  /** Element to click instead: the label of a control that is not visible. */
  readonly proxy: Element | null;
  /** Parts of the text. */
  readonly text: string[];
}

/** Frame whose document belongs to another process. */
interface OpaqueFrame {
  readonly element: Element;
  /** The candidate before it. */
  readonly previous: Candidate | null;
  readonly viewport: FrameViewport;
}

export interface WalkResult {
  readonly candidates: Candidate[];
  readonly opaque: OpaqueFrame[];
  readonly opaqueRegions: { kind: OpaqueRegion['kind']; element: Element; viewport: FrameViewport }[];
  /** Elements that may have a closed shadow root. */
  readonly hosts: Element[];
  /** Text of the whole page by block. */
  readonly texts: string[];
}
