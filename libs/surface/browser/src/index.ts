export { BrowserHost, type HostOptions } from './browser.host.ts';
export { chromiumPaths, findChromium } from './browser.executable.ts';
export { prepareLaunch, type LaunchOptions } from './browser.launch.ts';
export { trustingHome } from './browser.trust.ts';
export { ElementList } from './elements/list.ts';
export type { Point, SeenPage } from './elements/seen.ts';
