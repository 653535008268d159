import type { SessionEgress } from './session-options.ts';

/**
 * Proxy settings that most programs honour: curl, wget, Python, Chromium, Firefox, LibreOffice, and GTK programs by GIO.
 * In a separate network, programs of the session may also reach each other by its loopback interface.
 */
export function egressEnvironment(egress: SessionEgress | null): Record<string, string> {
  if (!egress) return {};
  const proxy = `http://127.0.0.1:${egress.port}`;
  const direct = egress.socket === null ? '' : 'localhost,127.0.0.1,::1';
  return {
    ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: direct },
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct },
  };
}
