import type { ModelRequest, PromptRef } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';

/* Prompts that differ between surfaces only in these words. A changed word needs a new version of all prompts that use it. */

/** Words for the surface in prompts. */
export interface PromptTerms {
  /** The surface: `a web browser`. */
  readonly surfaceName: string;
  /** One observed view of it: `page`. */
  readonly viewName: string;
  /** Subject of a screenshot: `a web page`. */
  readonly screenshotSubject: string;
  /** Source of the content, with and without an article: `a website`, `site`. */
  readonly contentSource: string;
  readonly contentSourceNoun: string;
}

export const promptTerms: Readonly<Record<SurfaceKind, PromptTerms>> = {
  browser: {
    surfaceName: 'a web browser',
    viewName: 'page',
    screenshotSubject: 'a web page',
    contentSource: 'a website',
    contentSourceNoun: 'site',
  },
  desktop: {
    surfaceName: 'a Linux desktop',
    viewName: 'window',
    screenshotSubject: 'a screen',
    contentSource: 'an application',
    contentSourceNoun: 'application',
  },
};

/** Prompt for a surface. Each surface has its own name, because its text differs. */
export const promptForSurface = (surface: SurfaceKind, prompt: PromptRef): PromptRef =>
  surface === 'browser' ? prompt : { ...prompt, name: `${prompt.name}-${surface}` };

/** Surface of a request; missing for a browser, the default. */
export const surfaceField = (surface: SurfaceKind): Pick<ModelRequest, 'surface'> =>
  surface === 'browser' ? {} : { surface };
