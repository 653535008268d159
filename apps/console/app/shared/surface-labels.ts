import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { createContext, useContext } from 'react';

/** Words for a kind of surface. */
export interface SurfaceLabels {
  kind: SurfaceKind;
  /** Label of the kind. */
  label: string;
  /** The kind within a sentence. */
  noun: string;
  /** The shown page or screen within a sentence. */
  viewName: string;
}

/** Words for every kind of surface. */
export const surfaceLabels: Readonly<Record<SurfaceKind, SurfaceLabels>> = {
  browser: { kind: 'browser', label: 'Browser', noun: 'browser', viewName: 'page' },
  desktop: { kind: 'desktop', label: 'Desktop', noun: 'desktop', viewName: 'screen' },
};

/** Surface of the run that a part of the console shows. */
export const SurfaceContext = createContext<SurfaceKind>('browser');

/** Words for the surface of the run that is shown. */
export const useSurfaceLabels = (): SurfaceLabels => surfaceLabels[useContext(SurfaceContext)];

/** Label of a kind of surface. */
export const surfaceLabel = (kind: SurfaceKind): string => surfaceLabels[kind].label;

/** A place as people name it: title and URL of a page, or application and window of a desktop. */
export function placeLabel({ url, title }: { url: string; title: string }): string {
  if (url === 'about:desktop') return 'No window';
  const app = /^app:\/\/([^/]*)\//.exec(url)?.[1];
  if (app === undefined) return title === '' ? url : `${title} · ${url}`;
  const name = decodeText(app);
  return title === '' ? name : `${name} · ${title}`;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
