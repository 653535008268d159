export interface RenderContext {
  /** URL of the API for the server. */
  readonly apiUrl: string;
  /** Origin of the object store for browsers, if they do not use the API. */
  readonly objectsEndpoint?: string | undefined;
  /** Nonce of the scripts in this response. The content security policy blocks other inline scripts. */
  readonly nonce: string;
}

/** Renders a page or its data. Implemented by `renderer.server.ts`, in a separate bundle. */
export type Render = (request: Request, context: RenderContext) => Promise<Response>;
