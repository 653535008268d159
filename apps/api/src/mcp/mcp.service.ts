import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { createClient, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProtectedResource } from '@pilothouse/contract/mcp/mcp-tools.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { createMcpServer } from '@pilothouse/mcp';
import { APP_CONTEXT, LOG } from '../common/injection-tokens.ts';
import { FORWARDER_TOKEN, PROCESS_TOKEN } from '../http/forwarder-token.ts';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller, HttpRequest } from '../http/route-request.ts';
import type { AppContext } from '../infrastructure/app-context.ts';

/** Milliseconds between two comments of a stream: below the idle timeout of common proxies. */
const KEEP_ALIVE_MS = 15_000;

const hostnameOf = (url: string) => new URL(url).hostname;

interface CallOptions {
  /** Parsed message; undefined: the request has no body. */
  readonly body?: Record<string, unknown>;
  readonly isReadOnly?: boolean;
}

/** Serves the Model Context Protocol. Each tool calls the REST API of this process with the key of the caller. */
export class McpService {
  private readonly handler: McpHttpHandler;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(APP_CONTEXT) private readonly context: Pick<AppContext, 'config' | 'publicUrl'>,
    @Inject(LOG) log: Log,
  ) {
    const onError = (thrown: unknown) =>
      log.error({ error: thrown instanceof Error ? thrown.stack : String(thrown) }, 'MCP request failed');
    this.handler = createMcpHandler(
      (request) => {
        const { client, isReadOnly } = (request.authInfo?.extra ?? {}) as { client: Client; isReadOnly: boolean };
        return createMcpServer({ client, isReadOnly, publicUrl: context.publicUrl(), onError }, request);
      },
      {
        keepAliveMs: KEEP_ALIVE_MS,
        onerror: (error) => log.warn({ error: error.message }, 'MCP request rejected'),
      },
    );
  }

  /** The OAuth 2.0 resource metadata. RFC 9728 forbids empty lists. @param origin origin of the request */
  resource(origin: string): ProtectedResource {
    const { publicUrl } = this.context.config;
    return {
      resource: `${publicUrl ?? origin}/mcp`,
      resource_name: 'Pilothouse',
      bearer_methods_supported: ['header'],
    };
  }

  /** Serves one message. @throws PilothouseError FORBIDDEN for a session, or a page of another site */
  async serve(
    caller: Caller,
    request: HttpRequest,
    signal: AbortSignal,
    { body, isReadOnly = false }: CallOptions = {},
  ): Promise<HttpResponse<Record<string, unknown>>> {
    const { authorization } = request.headers;
    // A session is a cookie, which a browser adds by itself: only a key proves that the client meant it.
    if (!caller.key || authorization === undefined)
      throw new PilothouseError('FORBIDDEN', 'MCP needs an API key: send `Authorization: Bearer ph_...`');
    if (!URL.canParse(request.url, request.origin))
      throw new PilothouseError('VALIDATION_FAILED', 'The header `Host` is not valid');
    this.requireKnownSite(request);
    const web = new Request(new URL(request.url, request.origin), {
      method: request.method,
      headers: webHeaders(request.headers),
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const client = this.clientOf(authorization, request);
    const authInfo = {
      token: '',
      clientId: caller.key.id,
      scopes: [caller.role],
      extra: { client, isReadOnly },
    };
    const response = await this.handler.fetch(web, { authInfo, ...(body !== undefined && { parsedBody: body }) });
    const stream = response.body && Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    return new HttpResponse<Record<string, unknown>>(response.status, stream, Object.fromEntries(response.headers));
  }

  /**
   * Refuses browsers that a site sent here, also by a name that resolves to this machine. They send `Origin` with every
   * message; other clients may use any name of the server.
   */
  private requireKnownSite({ headers }: HttpRequest): void {
    if (headers.origin === undefined) return;
    const { publicUrl, corsOrigins = [] } = this.context.config;
    const local = localhostAllowedHostnames();
    const own = hostnameOf(this.context.publicUrl());
    const origins = [own, ...local, ...corsOrigins.map(hostnameOf)];
    if (!validateOriginHeader(headers.origin, origins).ok)
      throw new PilothouseError('FORBIDDEN', 'Pages of this origin may not call MCP. Set PILOTHOUSE_CORS_ORIGINS.');
    // Only a server on the own machine knows all its names.
    const isLocal = local.includes(own) && publicUrl !== undefined;
    if (isLocal && !validateHostHeader(headers.host, [own, ...local]).ok)
      throw new PilothouseError('FORBIDDEN', 'The host name is not the one of PILOTHOUSE_PUBLIC_URL');
  }

  /** A client of this process with the credential of the caller, and the address of the caller for the audit log. */
  private clientOf(authorization: string, { address, origin }: HttpRequest): Client {
    const { protocol, host } = new URL(origin);
    return createClient({
      url: this.ownUrl(),
      headers: {
        authorization,
        [FORWARDER_TOKEN]: PROCESS_TOKEN,
        'x-forwarded-for': address,
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.replace(':', ''),
      },
    });
  }

  private ownUrl(): string {
    const { address, family, port } = (this.host.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    const name = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
    return `http://${family === 'IPv6' ? `[${name}]` : name}:${port}`;
  }
}

function webHeaders(headers: HttpRequest['headers']): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // The handler needs no credential, and computes the length itself.
    if (value === undefined || name === 'authorization' || name === 'cookie' || name === 'content-length') continue;
    result.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return result;
}
