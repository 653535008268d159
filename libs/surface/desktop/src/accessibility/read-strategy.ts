/** Toolkits that are read differently. `other`: Qt and all others. */
export type ToolkitKind = 'gtk2' | 'gtk3' | 'gtk4' | 'libreoffice' | 'web' | 'other';

/** Strategy for reading an application. */
export interface ReadStrategy {
  readonly toolkit: ToolkitKind;
  /** `collection`: one call returns all showing descendants; `traversal`: from child to child. */
  readonly method: 'collection' | 'traversal';
  /** State that objects in view have. GTK 4 does not set SHOWING below the frame. */
  readonly visibleState: 'showing' | 'visible';
}

/**
 * Chooses how an application is read.
 * @param toolkit `ToolkitName` of the application
 * @param appId WM_CLASS of its window, in lower case
 */
export function strategyOf(toolkit: string, version: string, appId: string): ReadStrategy {
  const name = toolkit.toLowerCase();
  // GetMatches on Calc does not end, and grows without limit. LibreOffice states the toolkit of its plug-in: `gtk` with libreoffice-gtk3, else `VCL`.
  if (appId === 'libreoffice-writer') return { toolkit: 'libreoffice', method: 'collection', visibleState: 'showing' };
  if (appId === 'soffice' || appId.startsWith('libreoffice'))
    return { toolkit: 'libreoffice', method: 'traversal', visibleState: 'showing' };
  if (name === 'gail') return { toolkit: 'gtk2', method: 'traversal', visibleState: 'showing' };
  if (name === 'gtk' && version.startsWith('4'))
    return { toolkit: 'gtk4', method: 'traversal', visibleState: 'visible' };
  if (name === 'gtk') return { toolkit: 'gtk3', method: 'collection', visibleState: 'showing' };
  if (name === 'gecko') return { toolkit: 'web', method: 'traversal', visibleState: 'showing' };
  if (name === 'chromium') return { toolkit: 'web', method: 'collection', visibleState: 'showing' };
  return { toolkit: 'other', method: 'traversal', visibleState: 'showing' };
}
