export { openApiDocument } from './openapi/openapi-document.ts';
