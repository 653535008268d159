/** Entry point of the renderer bundle, which the console server imports. */
import { createRequestHandler, RouterContextProvider } from 'react-router';
import * as build from 'virtual:react-router/server-build';
import type { Render } from '../server/page-renderer.ts';
import { renderContext } from './api/request-context.server.ts';

const handle = createRequestHandler(build, 'production');

export const render: Render = (request, routerContext) => {
  const context = new RouterContextProvider();
  context.set(renderContext, routerContext);
  return handle(request, context);
};
