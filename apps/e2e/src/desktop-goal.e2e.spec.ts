import { randomBytes } from 'node:crypto';
import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import type { Reply } from '@pilothouse/testing/model-server/wire-protocol';
import { desktopGoals, type DesktopGoal } from './testing/desktop-goals.fixture.ts';
import { Stack } from './harness/stack.ts';

/*
 * Goals on a real desktop with real applications, through REST, gateway, worker, the SDK of a provider, and a scripted model that sees only
 * the prompt. Files show the effect. The compiled workflows have the same effect without a model.
 */
describe('a goal on a desktop', () => {
  const token = `pf_${randomBytes(24).toString('hex')}`;
  let stack: Stack;
  let models: ModelServer;
  /** Answers a request for the next turn. */
  let act: (prompt: ParsedPrompt) => Reply;

  beforeAll(async () => {
    models = await startModels();
    models.policy = ({ system, text }) => {
      if (system.includes('State what a click at the center')) return { text: '{"what":"A terminal","kind":"none"}' };
      if (system.includes('You verify the work')) return { text: '{"verdict":"failed","why":"Nothing was named"}' };
      return act(new ParsedPrompt(`${system}\n${text.trimEnd()}`));
    };
    stack = await Stack.start({
      workers: 0,
      api: {
        PILOTHOUSE_FLEETS: JSON.stringify([
          { name: 'desktops', surface: 'desktop', token, externalWorkers: true, slots: 1, maxWorkers: 2, idleSlots: 0 },
        ]),
        PILOTHOUSE_MODEL: 'gemini/policy',
        GEMINI_API_KEY: 'key-of-gemini',
        GEMINI_BASE_URL: models.url,
        PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify({ ollama: { baseUrl: `${models.url}/v1` } }),
        PILOTHOUSE_MODEL_OVERRIDES: JSON.stringify({ 'ollama/deskpilot': { dialect: 'deskpilot' } }),
      },
    });
    await stack.addWorker({
      ...stack.workerToken(token),
      ...{ PILOTHOUSE_SURFACE: 'desktop', PILOTHOUSE_SLOTS: '1' },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await models?.close();
  });
  beforeEach(() => void models.requests.splice(0));

  const useModel = (name: string) =>
    stack.client.json('/v1/projects/current', { method: 'PATCH', body: { models: { default: { use: [name] } } } });
  const run = async (steps: readonly object[], output: string) => {
    const definition = { name: 'desktop-goal', surface: 'desktop', steps, output };
    const { id } = await stack.client.submit({ definition, capture: { screenshots: 'none' } });
    return stack.client.waitForEnd(id);
  };
  const goal = (text: string, fields: object = {}) => ({ action: 'goal', id: 'goal', goal: text, ...fields });
  const calls = (...turn: ModelCall[]): Reply => ({ text: 'As the policy says', calls: turn });
  /** Reads a file with an application that did not write it. */
  const readWith = (app: string, file: string) => [
    { action: 'openApp', app, args: [file] },
    { action: 'press', key: 'Control+A' },
    { action: 'press', key: 'Control+C' },
    { action: 'readClipboard', id: 'text' },
  ];
  const numbersIn = (pattern: RegExp, page: string) =>
    (pattern.exec(page)?.slice(1) ?? []).map(Number) as [number, number, number, number];
  const thousandths = (pixels: number, size: number) => Math.round((pixels / size) * 1000);
  test('a text editor of Qt, in the dialect of DeskPilot', async () => {
    await useModel('ollama/deskpilot');
    act = ({ page }) => {
      if (page.includes('no window is active')) return { text: 'OPEN_APP("FeatherPad")' };
      if (page.includes('letter.txt -') || page.includes('letter.txt"')) return { text: 'DONE("saved")' };
      if (/^Save/.test(page)) return { text: 'PRESS_KEY("ctrl+a");TYPE("letter.txt");PRESS_KEY("enter")' };
      return page.includes('Dear') ? { text: 'PRESS_KEY("ctrl+s")' } : { text: 'TYPE("Dear Ms Öztürk, 10 € — ok")' };
    };
    const ended = await run(
      [
        goal('Save “Dear Ms Öztürk, 10 € — ok” as letter.txt', { expect: { title: 'letter.txt' } }),
        ...readWith('org.xfce.mousepad', 'letter.txt'),
      ],
      '{{steps.text.value}}',
    );
    expect(ended).toMatchObject({ status: 'completed', output: 'Dear Ms Öztürk, 10 € — ok\n' });
    expect(models.requests[0]?.system).toContain('OPEN_APP("app")');
    expect(models.requests.every(({ tools }) => tools.length === 0)).toBe(true);
  });

  test('a terminal, by points with the computer-use tool of a provider', async () => {
    await useModel('gemini/gemini-3.5-flash');
    const command = String.raw`printf 'from the terminal' > out.txt; printf '\033]0;finished\007'`;
    act = ({ page, text: prompt }) => {
      if (page.includes('finished'))
        return calls({ name: 'done', args: { answer: '', app_or_title: 'finished', indicators: [] } });
      if (prompt.includes('→ Click')) return calls({ name: 'type', args: { text: command, press_enter: true } });
      const [width, height, x, y] = numbersIn(/unseen: application[^,]*, (\d+)×(\d+) at (\d+),(\d+)/, page);
      return calls({
        name: 'click',
        args: { x: thousandths(x + width / 2, 1280), y: thousandths(y + height / 2, 800) },
      });
    };
    const ended = await run(
      [
        { action: 'openApp', app: 'xterm' },
        goal('Write a file with a command', { expect: { title: 'finished' } }),
        ...readWith('org.xfce.mousepad', 'out.txt'),
      ],
      '{{steps.text.value}}',
    );
    expect(ended).toMatchObject({ status: 'completed', output: 'from the terminal' });
    expect(models.requests[0]?.body).toMatchObject({
      tools: [{ computerUse: { environment: 'ENVIRONMENT_DESKTOP' } }, { functionDeclarations: expect.any(Array) }],
    });
    expect(models.requests[0]?.images).toHaveLength(1);
  });

  /** Text of the collected file of a run. */
  const collectedText = async (run: RunView) => {
    const files = (await stack.client.artifacts(run.id)).filter(({ kind }) => kind === 'download');
    expect(files).toHaveLength(1);
    return (await fetch(files[0]?.url ?? '')).text();
  };
  const expectEffect = async (id: string, { text, output }: Pick<DesktopGoal, 'text' | 'output'>) => {
    const run = await stack.client.waitForEnd(id);
    expect(run).toMatchObject({ error: null, status: 'completed', ...(output !== undefined && { output }) });
    expect(await collectedText(run)).toBe(text);
  };

  test.each(desktopGoals.map((each) => [each.title, each] as const))(
    '%s, and again as a workflow',
    async (_, desktopGoal) => {
      await useModel('gemini/policy');
      const { name, definition, policy, file, inputs = {}, secrets = {}, replay } = desktopGoal;
      act = (prompt) => calls(...policy(prompt));
      const steps = [...definition.steps, { action: 'collectFile', path: file }];
      const { id } = await stack.client.submit({
        definition: { ...definition, name, surface: 'desktop', steps },
        inputs: { ...inputs, ...secrets },
        capture: { screenshots: 'none' },
      });
      await expectEffect(id, desktopGoal);
      const { workflow } = (await stack.client.json(`/v1/runs/${id}/compile`, {
        ...{ method: 'POST', body: { name } },
      })) as CompileRunResult;
      expect(workflow.definition.steps.map(({ action }) => action)).not.toContain('goal');
      for (const value of Object.values(secrets))
        expect(JSON.stringify([workflow, await stack.client.events(id), models.requests])).not.toContain(value);
      models.requests.splice(0);
      const { id: replayId } = (await stack.client.json(`/v1/workflows/${name}/runs`, {
        method: 'POST',
        body: { version: 1, inputs: { ...inputs, ...secrets, ...replay?.inputs }, capture: { screenshots: 'none' } },
      })) as RunView;
      await expectEffect(replayId, replay ?? desktopGoal);
      expect(models.requests).toEqual([]);
    },
    180_000,
  );
});
