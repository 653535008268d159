import type { WindowFacts } from '../x/window-manager.ts';

/** Selects a window by its application, a part of its title, or both. */
export interface WindowScope {
  readonly app?: string | undefined;
  readonly window?: string | undefined;
}

/** True if a window belongs to an application. LibreOffice and others name their windows after the document type: `libreoffice-calc`. */
export const isOfApp = (
  { appId, instance, openedAs = [] }: Pick<WindowFacts, 'appId' | 'instance' | 'openedAs'>,
  app: string,
): boolean => {
  const name = app.toLowerCase();
  return appId === name || instance.toLowerCase() === name || name.endsWith(`.${appId}`) || openedAs.includes(name);
};

/** The topmost window of a scope. @param windows the topmost last */
export const findScopedWindow = (
  windows: readonly WindowFacts[],
  { app, window }: WindowScope,
): WindowFacts | undefined =>
  windows.findLast(
    (each) =>
      (app === undefined || isOfApp(each, app)) &&
      (window === undefined || each.title.toLowerCase().includes(window.toLowerCase())),
  );

/** Describes a scope in messages. */
export const describeScope = ({ app, window }: WindowScope): string =>
  [window === undefined ? '' : JSON.stringify(window), app === undefined ? '' : `of ${app}`].filter(Boolean).join(' ');
