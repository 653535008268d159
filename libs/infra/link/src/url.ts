/** Where the gateway is when the URL names no path. */
const GATEWAY_PATH = '/v1/gateway';

/**
 * The address of the gateway's socket: `http` becomes `ws`, and an address without a path gets the usual one.
 * @throws TypeError when it is no URL
 */
export function gatewayUrl(given: string): URL {
  const url = new URL(given);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.pathname === '/' || url.pathname === '') url.pathname = GATEWAY_PATH;
  return url;
}
