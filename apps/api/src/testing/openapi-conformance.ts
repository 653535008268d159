import { routeList } from '@pilothouse/contract/api/route-table';
import { problemSchema } from '@pilothouse/contract/errors/pilothouse-error';

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\*\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);
// Literal paths precede those with parameters, as in the router.
const routePatterns = routeList
  .map((route) => ({ route, pattern: patternOf(route.path) }))
  .sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length);

/**
 * Checks an answer against the table of routes. The route declares its status, its body matches the schema of the status, and
 * an error is a problem.
 */
export function expectOpenApiConformance(
  method: string,
  url: string,
  status: number,
  type: string,
  text: string,
): void {
  const path = url.split('?')[0] ?? '';
  const match = routePatterns.find(({ route, pattern }) => route.method === method && pattern.test(path));
  const context = `${method} ${path} answered ${status}`;
  const declared = match?.route.responses[status];
  if (!declared) {
    if (status < 400) throw new Error(`${context}, which its route does not declare`);
    if (!type.startsWith('application/problem+json'))
      throw new Error(`${context} as ${type}, which is not a problem document`);
    const problem = problemSchema.strict().parse(JSON.parse(text));
    if (problem.status !== status) throw new Error(`${context}, and the problem says ${problem.status}`);
    return;
  }
  if (!declared.schema || !type.startsWith('application/json')) return;
  const parsed = declared.schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${context} with a body that its schema rejects: ${parsed.error.message}`);
}
