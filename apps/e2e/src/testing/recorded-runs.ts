import type { TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import { call, ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import type { ModelServerRequest, Reply } from '@pilothouse/testing/model-server/wire-protocol';
import type { Stack } from '../harness/stack.ts';
import { LearningClient } from '../learning/learning-client.ts';

/** Model of the runs, and model that scores their steps. */
export const RECORDED_MODEL = 'forge/pilot';

/** Environment of an API and job runner that use a model server. */
export const recordedRunsApi = (modelUrl: string) => ({
  PILOTHOUSE_MODEL: RECORDED_MODEL,
  PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify({
    forge: { protocol: 'openai', baseUrl: `${modelUrl}/v1` },
    judge: { protocol: 'openai', baseUrl: `${modelUrl}/v1` },
  }),
});

/** Answers of both models: the run fills two fields of the login page, and the judge doubts the first. */
export function answerAtLogin({ model, system, text }: ModelServerRequest): Reply {
  if (model === 'judge') {
    const isDoubtful = text.includes('"text":"ada@example.com"') && !text.includes('"text":"guess"');
    const [quality, reason] = isDoubtful ? ['unknown', 'Not sure about the address.'] : ['good', 'It moves on.'];
    return { text: JSON.stringify({ quality, reason }) };
  }
  // The page showed everything before the first action, but the typed address.
  if (system.includes('You verify the work')) return { text: '{"verdict":"success","why":"It is entered"}' };
  const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
  const isFilled = (value: string) => prompt.page.includes(`= "${value}"`);
  const [, heading = ''] = /heading "?([^"\n]+)/.exec(prompt.page) ?? [];
  if (!isFilled('ada@example.com'))
    return {
      text: 'The form asks for an address.',
      calls: [call('type', { element: prompt.element(/textbox "E-mail"/), text: 'ada@example.com' })],
    };
  return { text: 'The address is entered.', calls: [call('done', { answer: heading, indicators: ['E-mail'] })] };
}

/** Records all turns of the project, and scores them with the second model. */
export const recordAllTurns = ({ client }: Stack) =>
  client.json('/v1/projects/current', {
    method: 'PATCH',
    body: {
      models: { score: { use: ['judge/judge'] } },
      learning: { record: { turns: 'all' }, shareTraces: false },
    },
  });

/** Runs the goal on the login page until its trace is scored. */
export async function recordRun({ client, site }: Stack, name = 'enter-address'): Promise<TraceDetail> {
  const steps = [
    { action: 'navigate', url: `${site.url}/login` },
    { action: 'goal', goal: 'Enter the address ada@example.com.' },
  ];
  const { id } = await client.submit({ definition: { name, steps } });
  await client.waitForEnd(id);
  return new LearningClient(() => client).scoredTrace(id);
}
