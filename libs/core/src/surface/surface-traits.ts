import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';

/** Words for a surface in prompts. A changed word needs a new version of all prompts that use it. */
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

/** Functions and parameters of agents that have another name on each surface. */
interface ToolNames {
  /** Function that reads all text of the view, with its documentation. */
  readonly read: string;
  readonly readUsage: string;
  /** Function that switches to a screenshot. */
  readonly see: string;
  /** Parameter for the title, URL or application that a turn or a goal leads to. */
  readonly anchor: string;
}

/** How a kind of surface differs from others. What it supports is in `surfaceSupport` of libs/contract. */
interface SurfaceTraits {
  /** Label of the kind for people. */
  readonly label: string;
  /** The kind within a sentence. */
  readonly noun: string;
  /** The shown page or screen within a sentence, and its preposition: a person clicks `in` the `page`. */
  readonly viewName: string;
  readonly viewPreposition: string;
  /** Title of the stage that opens the surface. */
  readonly startTitle: string;
  readonly prompt: PromptTerms;
  readonly tools: ToolNames;
  /** True if it shows web pages in tabs, with a console and network traffic; false: windows of applications. */
  readonly isPaged: boolean;
  /** True if typing and keys without a target go to the focus, which may be no listed element. */
  readonly typesAtFocus: boolean;
  /** True if another worker can restore its state after a loss. */
  readonly isRestorable: boolean;
  /** True if its workers need system packages that a machine may lack. */
  readonly needsSystemPackages: boolean;
}

/** The surface of workflows and requests that name none. */
export const DEFAULT_SURFACE: SurfaceKind = 'browser';

export const surfaceTraits = {
  browser: {
    label: 'Browser',
    noun: 'browser',
    viewName: 'page',
    viewPreposition: 'in',
    startTitle: 'Start the browser',
    prompt: {
      surfaceName: 'a web browser',
      viewName: 'page',
      screenshotSubject: 'a web page',
      contentSource: 'a website',
      contentSourceNoun: 'site',
    },
    tools: { read: 'read_page', readUsage: 'text of the whole page', see: 'see_page', anchor: 'title_or_url' },
    isPaged: true,
    typesAtFocus: false,
    isRestorable: true,
    needsSystemPackages: false,
  },
  desktop: {
    label: 'Desktop',
    noun: 'desktop',
    viewName: 'screen',
    viewPreposition: 'on',
    startTitle: 'Start the desktop',
    prompt: {
      surfaceName: 'a Linux desktop',
      viewName: 'window',
      screenshotSubject: 'a screen',
      contentSource: 'an application',
      contentSourceNoun: 'application',
    },
    tools: { read: 'read_window', readUsage: 'all text of the window', see: 'see_screen', anchor: 'app_or_title' },
    isPaged: false,
    typesAtFocus: true,
    isRestorable: false,
    needsSystemPackages: true,
  },
} satisfies Readonly<Record<SurfaceKind, SurfaceTraits>>;
