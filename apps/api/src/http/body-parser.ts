import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from './json-parser.ts';
import { routeOfRequest, type NamedRoute } from './route.decorator.ts';

/** Maximum size of a body. Files are uploaded to the object store instead. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Milliseconds for a client to send a body. */
const BODY_TIMEOUT_MS = 30_000;

/** Milliseconds for the rest of a body that nothing reads, after the response. Clients that send it first still get the response. */
const UNREAD_BODY_MS = 5_000;

/** A YAML body that is not parsed yet. */
export class YamlBody {
  constructor(readonly text: string) {}
}

/** Types of JSON. The second one is what drafts of A2UI 0.9 called its messages; the suffix `+json` came with 0.9.1. */
const JSON_TYPES = new Set(['application/json', 'application/json+a2ui']);

const YAML_TYPES = new Set(['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml']);

/** Sets the caller of a request. @throws PilothouseError UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED */
export type Authentication = (request: FastifyRequest, route: NamedRoute) => Promise<void>;

/**
 * Replaces the body parsers of Fastify by one that follows the route table. It authenticates a caller before it reads the body;
 * public routes read the body of everyone.
 */
export function registerBodyParser(instance: FastifyInstance, authenticate: Authentication): void {
  instance.addHook('onResponse', ({ raw }, _, done) => {
    endUnreadBody(raw);
    done();
  });
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const route = routeOfRequest(request);
    // Without a route the body is not needed; a stream is read by the handler.
    if (!route || route.body === 'stream') return undefined;
    if (route.role !== 'public') await authenticate(request, route);
    return parseBody(route, request, payload);
  });
}

/** Ends the connection if the body is still arriving some seconds after the response. */
export function endUnreadBody(request: IncomingMessage): void {
  if (request.complete) return;
  const end = () => {
    if (!request.complete) request.socket.destroy();
  };
  const timer = systemTimers.setTimeout(end, UNREAD_BODY_MS);
  request.socket.once('close', () => systemTimers.clearTimeout(timer));
}

async function parseBody(route: NamedRoute, request: FastifyRequest, payload: Readable): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isYaml = YAML_TYPES.has(type);
  const isJson = JSON_TYPES.has(type) || type.endsWith('+json');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const text = await readText(payload);
  // The content type of an empty body is ignored: some clients always send one, browsers send none.
  if (text === '') return undefined;
  if (request.headers['content-encoding']) throw unsupported('Send the body without `Content-Encoding`');
  if (isJson) return parseJson(text);
  if (isYaml && route.yaml) return new YamlBody(text);
  throw unsupported(`Send the body as ${typesOf(route)} with a matching \`Content-Type\``);
}

const typesOf = ({ yaml }: NamedRoute) => (yaml ? '`application/json` or `application/yaml`' : '`application/json`');

const unsupported = (detail: string) => new PilothouseError('UNSUPPORTED_MEDIA_TYPE', detail);

const tooLarge = () =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `The body can have ${MAX_BODY_BYTES} bytes. Send files with POST /v1/uploads and name them as inputs.`,
  );

/** Reads the body as text within the limits of time and size. */
async function readText(payload: Readable): Promise<string> {
  const timeout = new PilothouseError(
    'VALIDATION_FAILED',
    `The body did not arrive within ${BODY_TIMEOUT_MS / 1000} s`,
  );
  const timer = systemTimers.setTimeout(() => payload.destroy(timeout), BODY_TIMEOUT_MS);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of payload) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(bytes);
    }
    return decode(Buffer.concat(chunks));
  } finally {
    systemTimers.clearTimeout(timer);
  }
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new PilothouseError('VALIDATION_FAILED', 'The body is not UTF-8');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
