export { BrowserHost, type HostOptions } from './browser.host.ts';
export { chromiumPaths, findChromium } from './process/executable.ts';
export { prepareLaunch, type LaunchOptions } from './process/launch.ts';
export { createTrustingHome } from './process/trust.ts';
export { BrowserObserver } from './elements/list.ts';
export type { Point, ObservedPage } from './elements/seen.ts';
