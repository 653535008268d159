import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { HttpResponse } from '../http/http-response.ts';

/** Files of the page, from the installed Swagger UI or our own. */
const installed: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const STYLE = `body { margin: 0 }
.swagger-ui .topbar, .swagger-ui .info .link { display: none }
.swagger-ui .info { margin: 24px 0 }
.swagger-ui .scheme-container { box-shadow: none; padding: 0 0 16px }
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  tagsSorter: undefined,
  validatorUrl: null,
});
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Pilothouse API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/docs.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/docs.js"></script>
  </body>
</html>
`;

// Allows only own resources, no inline code except the styles of Swagger UI, and no framing.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const shared = { 'cache-control': 'private, max-age=3600' };

export const swaggerPage = (): HttpResponse<undefined> =>
  new HttpResponse<undefined>(200, PAGE, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
  });

/** Returns a file of the page. @throws PilothouseError NOT_FOUND */
export async function swaggerAsset(name: string): Promise<HttpResponse<undefined>> {
  if (name === 'docs.css') return asset(STYLE, 'text/css; charset=utf-8');
  if (name === 'docs.js') return asset(START, 'text/javascript; charset=utf-8');
  const type = Object.hasOwn(installed, name) ? installed[name] : undefined;
  if (type === undefined) throw new PilothouseError('NOT_FOUND', `The page has no file ${name}.`);
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return asset(await readFile(join(folder, name)), type);
}

const asset = (body: string | Buffer, type: string) =>
  new HttpResponse<undefined>(200, body, { ...shared, 'content-type': type });
