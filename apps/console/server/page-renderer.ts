/** What the renderer is told besides the request. */
export interface RenderContext {
  /** Where this server reaches the API. */
  readonly apiUrl: string;
  /** Where browsers fetch objects, when not from the API. */
  readonly objectsEndpoint?: string | undefined;
  /** Of this answer's scripts: the policy of the page lets no other inline script run. */
  readonly nonce: string;
}

/** Answers a request with a page, or with the data of one. Made by `renderer.server.ts`, in a bundle of its own. */
export type Render = (request: Request, context: RenderContext) => Promise<Response>;
