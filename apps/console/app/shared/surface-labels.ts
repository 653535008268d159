import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { DEFAULT_SURFACE, surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { createContext, useContext } from 'react';

/** Surface of the run that a part of the console shows. */
export const SurfaceContext = createContext<SurfaceKind>(DEFAULT_SURFACE);

/** Traits of the surface of the run that is shown. */
export const useSurfaceTraits = () => surfaceTraits[useContext(SurfaceContext)];

/** Label of a surface kind. */
export const surfaceLabel = (kind: SurfaceKind): string => surfaceTraits[kind].label;

export const isSurfaceKind = (text: string): text is SurfaceKind => Object.hasOwn(surfaceTraits, text);

/** Anchor for people: title and URL of a page, or application and window of a desktop. */
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
