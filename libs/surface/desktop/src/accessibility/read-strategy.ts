/** Toolkits that are read differently. `other`: Qt and all others. */
export type ToolkitKind = 'gtk3' | 'gtk4' | 'libreoffice' | 'web' | 'other';

/** How an application is read. */
export interface ReadStrategy {
  readonly toolkit: ToolkitKind;
  /** `matches`: one call returns all showing descendants; `walk`: from child to child. */
  readonly method: 'matches' | 'walk';
  /** State that objects in view have. GTK 4 does not set SHOWING below the frame. */
  readonly inView: 'showing' | 'visible';
}

/**
 * Chooses how an application is read.
 * @param toolkit `ToolkitName` of the application
 * @param appId WM_CLASS of its window, in lower case
 */
export function strategyOf(toolkit: string, version: string, appId: string): ReadStrategy {
  const name = toolkit.toLowerCase();
  // GetMatches on Calc does not end, and grows without limit. LibreOffice states the toolkit of its plug-in: `gtk` with libreoffice-gtk3, else `VCL`.
  if (appId === 'libreoffice-writer') return { toolkit: 'libreoffice', method: 'matches', inView: 'showing' };
  if (appId === 'soffice' || appId.startsWith('libreoffice'))
    return { toolkit: 'libreoffice', method: 'walk', inView: 'showing' };
  if (name === 'gtk' && version.startsWith('4')) return { toolkit: 'gtk4', method: 'walk', inView: 'visible' };
  if (name === 'gtk') return { toolkit: 'gtk3', method: 'matches', inView: 'showing' };
  if (name === 'gecko') return { toolkit: 'web', method: 'walk', inView: 'showing' };
  if (name === 'chromium') return { toolkit: 'web', method: 'matches', inView: 'showing' };
  return { toolkit: 'other', method: 'walk', inView: 'showing' };
}
