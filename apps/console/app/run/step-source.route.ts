import { unwrapData, type Client } from '@pilothouse/client';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../api/api-client.server.ts';
import { allSteps, readOutline } from '../workflow-document/workflow-outline.ts';
import { isWithin, pathOfRunStep } from '../workflow-document/yaml-path.ts';
import { readVersion } from '../workflows/workflow-files.server.ts';
import { sourceTextOf, yamlOf } from '../workflows/workflow-yaml.server.ts';

/** YAML lines of a step. Empty: the definition has no such step. */
export interface StepSource {
  /** Path of the run step. */
  path: string;
  /** Number of the first line, from 1. */
  firstLine: number;
  lines: string[];
}

/** Source of a step in the version that the run executed. */
export const loader = (args: LoaderFunctionArgs): Promise<ApiResult<StepSource>> =>
  tryApi(args, async (client) => {
    const path = new URL(args.request.url).searchParams.get('path') ?? '';
    return { path, ...linesOf(await textOf(client, args.params.run ?? ''), path) };
  });

/** Text of the workflow version. A run without a stored workflow has only a definition. */
async function textOf(client: Client, run: string): Promise<string> {
  const params = { path: { run } };
  const { workflow } = await unwrapData(client.api.GET('/v1/runs/{run}', { params }));
  if (workflow?.id && workflow.version !== null)
    return sourceTextOf(await readVersion(client, workflow.name, workflow.version));
  return yamlOf(await unwrapData(client.api.GET('/v1/runs/{run}/definition', { params })));
}

function linesOf(text: string, path: string): Omit<StepSource, 'path'> {
  const outline = readOutline(text, () => false);
  const steps = outline ? allSteps(outline.steps) : [];
  const stepPath = pathOfRunStep(path, steps);
  const step = steps.findLast((candidate) => stepPath.length > 0 && isWithin(stepPath, candidate.path));
  if (!step) return { firstLine: 1, lines: [] };
  const { first, last } = step.lines;
  const lines = text.split('\n').slice(first - 1, last);
  while (lines.at(-1)?.trim() === '') lines.pop();
  return { firstLine: first, lines };
}
