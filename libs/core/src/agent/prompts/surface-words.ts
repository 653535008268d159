import type { ModelRequest, PromptRef, SurfaceKind } from '@pilothouse/contract';

/* Prompts that differ between surfaces only in these words. A changed word needs a new version of all prompts that use it. */

/** Words for the surface in prompts. */
export interface SurfaceWords {
  /** What is operated: `a web browser`. */
  readonly machine: string;
  /** What is observed: `page`. */
  readonly view: string;
  /** What a picture shows: `a web page`. */
  readonly scene: string;
  /** Source of what is shown: `a site`, and without its article. */
  readonly source: string;
  readonly owner: string;
}

export const surfaceWords: Readonly<Record<SurfaceKind, SurfaceWords>> = {
  browser: { machine: 'a web browser', view: 'page', scene: 'a web page', source: 'a site', owner: 'site' },
  desktop: {
    machine: 'a Linux desktop',
    view: 'window',
    scene: 'a screen',
    source: 'an application',
    owner: 'application',
  },
  android: {
    machine: 'an Android device',
    view: 'screen',
    scene: 'a screen',
    source: 'an application',
    owner: 'application',
  },
};

/** Prompt for a surface. Each surface has its own name, because its text differs. */
export const promptOn = (surface: SurfaceKind, prompt: PromptRef): PromptRef =>
  surface === 'browser' ? prompt : { ...prompt, name: `${prompt.name}-${surface}` };

/** Surface of a request; a browser is the default and left out. */
export const requestSurface = (surface: SurfaceKind): Pick<ModelRequest, 'surface'> =>
  surface === 'browser' ? {} : { surface };
