import { newToken } from '@pilothouse/infra-vault';

/** Header with the secret that authenticates a forwarder of requests: the console, or this process. */
export const FORWARDER_TOKEN = 'pilothouse-console-token';

/** Authenticates requests that this process sends to itself. It never leaves the process. */
export const PROCESS_TOKEN = newToken('');
