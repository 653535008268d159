export { BrowserHost, type HostOptions } from './browser.host.ts';
export { chromiumPaths, findChromium } from './browser.executable.ts';
export type { LaunchOptions } from './browser.launch.ts';
