import { problemSchema, routeList } from '@pilothouse/contract';

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\*\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);
// Literal paths precede those with parameters, as in the router.
const known = routeList
  .map((route) => ({ route, pattern: patternOf(route.path) }))
  .sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length);

/**
 * Checks an answer against the table of routes: the route declares its status, its body matches the schema of the status, and
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
  const found = known.find(({ route, pattern }) => route.method === method && pattern.test(path));
  const what = `${method} ${path} answered ${status}`;
  const told = found?.route.responses[status];
  if (!told) {
    if (status < 400) throw new Error(`${what}, which its route does not tell of`);
    if (!type.startsWith('application/problem+json')) throw new Error(`${what} as ${type}, which is no problem`);
    const problem = problemSchema.strict().parse(JSON.parse(text));
    if (problem.status !== status) throw new Error(`${what}, and the problem says ${problem.status}`);
    return;
  }
  if (!told.schema || !type.startsWith('application/json')) return;
  const parsed = told.schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${what} with a body that its schema refuses: ${parsed.error.message}`);
}
