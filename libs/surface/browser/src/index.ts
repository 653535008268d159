export { BrowserHost, type HostOptions } from './browser.host.ts';
export { chromiumPaths, findChromium } from './process/executable.ts';
export { prepareLaunch, type LaunchOptions } from './process/launch.ts';
export { trustingHome } from './process/trust.ts';
export { ElementList } from './elements/list.ts';
export type { Point, SeenPage } from './elements/seen.ts';
