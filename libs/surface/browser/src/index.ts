export { BrowserHost, type HostOptions } from './browser.host.ts';
export { chromiumPaths, findChromium, prepareLaunch, type LaunchOptions } from './process/launch-browser.ts';
export { createTrustingHome } from './process/trusted-certificates.ts';
export { BrowserObserver } from './browser.observation.ts';
export type { Point, ObservedPage } from './observation/observed-page.ts';
