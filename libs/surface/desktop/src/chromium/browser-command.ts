import { basename } from 'node:path';
import type { AppCommand } from '../process/desktop-entry.ts';
import type { SessionEgress } from '../process/session-options.ts';

/** Programs that are builds of Chromium. */
const CHROMIUM = new Set(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']);

/** Options of Chromium: publish every page over AT-SPI, open the debugging pipe, and show no questions at the first start. */
const CHROMIUM_OPTIONS = [
  '--force-renderer-accessibility',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--password-store=basic',
];

/** True for a build of Chromium. It gets a debugging pipe. */
export const isChromium = ({ command }: Pick<AppCommand, 'command'>): boolean => CHROMIUM.has(basename(command));

/**
 * Adds the options that a Chromium in a session needs. Other commands stay as they are.
 * @param egress proxy for all connections; null: no proxy. Chromium ignores the proxy variables for loopback addresses, so
 *   options set the proxy.
 * @param isRoot true if it runs as root, where its sandbox refuses to start; `--test-type` hides the warning about that
 */
export function withBrowserOptions(command: AppCommand, egress: SessionEgress | null, isRoot: boolean): AppCommand {
  if (!isChromium(command)) return command;
  const rootOptions = isRoot ? ['--no-sandbox', '--test-type'] : [];
  return { ...command, args: [...CHROMIUM_OPTIONS, ...proxyOptions(egress), ...rootOptions, ...command.args] };
}

/** A session in the worker's network also uses the proxy for loopback addresses. */
function proxyOptions(egress: SessionEgress | null): string[] {
  if (!egress) return [];
  return [
    `--proxy-server=http://127.0.0.1:${egress.port}`,
    ...(egress.socket === null ? ['--proxy-bypass-list=<-loopback>'] : []),
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // Requests of Chromium itself would be refused, and fill the events of the run.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
}
