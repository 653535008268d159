import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract';
import { systemTimers } from '@pilothouse/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from './json-parser.ts';
import { routeOfRequest, type NamedRoute } from './route.decorator.ts';

/** Largest body, in bytes. Files go their own way. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Milliseconds a client may take to send a body. */
const BODY_MS = 30_000;

/** A body in YAML, not yet read. */
export class YamlBody {
  constructor(readonly text: string) {}
}

const YAML = new Set(['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml']);

/** Replaces Fastify's readers of bodies by one that asks the route what it takes. */
export function registerBodyParser(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) => bodyOf(request, payload));
}

async function bodyOf(request: FastifyRequest, payload: Readable): Promise<unknown> {
  const route = routeOfRequest(request);
  // Nobody is there to take it, or the handler reads it by itself.
  if (!route || route.body === 'stream') return undefined;
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isYaml = YAML.has(type);
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const text = await readText(payload);
  // A client that always names a type, and a browser that names none: without a body both mean nothing.
  if (text === '') return undefined;
  if (request.headers['content-encoding']) throw unsupported('Send the body without `Content-Encoding`');
  if (isJson) return parseJson(text);
  if (isYaml && route.yaml) return new YamlBody(text);
  throw unsupported(`Send the body as ${typesOf(route)}, and say so in \`Content-Type\``);
}

const typesOf = ({ yaml }: NamedRoute) => (yaml ? '`application/json` or `application/yaml`' : '`application/json`');

const unsupported = (detail: string) => new PilothouseError('UNSUPPORTED_MEDIA_TYPE', detail);

const tooLarge = () =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `A body has at most ${MAX_BODY_BYTES} bytes; send files with POST /v1/uploads and name them as inputs`,
  );

/** The whole body as text, within the time and the size that are allowed. */
async function readText(payload: Readable): Promise<string> {
  const late = new PilothouseError('VALIDATION_FAILED', `The body did not arrive within ${BODY_MS / 1000} s`);
  const timer = systemTimers.setTimeout(() => payload.destroy(late), BODY_MS);
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
