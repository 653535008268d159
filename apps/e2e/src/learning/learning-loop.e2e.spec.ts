import type { ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { CorrectedAction, TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { createPool, type Pool } from '@pilothouse/infra-db';
import { call, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import type { ModelServerRequest, Reply } from '@pilothouse/testing/model-server/wire-protocol';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { startTuningServer, type TuningServer } from '@pilothouse/testing/tuning-server/tuning-server';
import { findSecret } from '../harness/event-sequence.ts';
import { serverOfS3 } from '../harness/servers.fixture.ts';
import { Stack } from '../harness/stack.ts';
import { LearningClient } from './learning-client.ts';

/*
 * The whole loop with the shipped processes: runs, scores, a correction by a person, dataset, export, training, canary
 * and rollback. A server with the API of Together trains and serves the models. All answers are scripted at the wire.
 */

const BASE = 'base-vl';
const TUNED = 'team/base-vl-rope';
const HEADING_RUNS = 10;
const CORRECTION = 'The goal names a mooring rope, so I search for it.';

/** Logs in, searches for `text`, and answers with the first product. */
const finder =
  (text: (prompt: ParsedPrompt) => string): ScriptedPolicy =>
  (prompt) => {
    const password = prompt.maybe(/textbox "Password"/);
    if (password !== undefined)
      return [
        call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
        call('type', { element: password, text: '{{inputs.password}}' }),
        call('click', { element: prompt.element(/button "Log in"/) }),
      ];
    const [, heading] = /heading (.+)/.exec(prompt.page) ?? [];
    const search = prompt.maybe(/combobox "Search products"/);
    if (search === undefined) return [call('done', { answer: heading ?? '', indicators: [heading ?? ''] })];
    const [, sku] = /row (\S+) \| (?:\[\d+\] link ")?Mooring rope/.exec(prompt.page) ?? [];
    if (/for “mooring rope”/.test(prompt.page) && sku)
      return [call('done', { answer: { sku }, title_or_url: 'Catalogue', indicators: ['for “mooring rope”'] })];
    return /"Search products" = "?mooring rope/.test(prompt.page)
      ? [call('press', { key: 'Enter', element: search })]
      : [call('type', { element: search, text: text(prompt) })];
  };

/** Fails with a button as a list, then enters the wrong word, then the right one. */
const basePolicy: ScriptedPolicy = (prompt) => {
  const button = prompt.maybe(/button "Search"/);
  if (button !== undefined && !/select/i.test(prompt.text.split('<<<page')[0] ?? ''))
    return [call('select', { element: button, option: 'None' })];
  return finder(({ page }) => (/"Search products" = /.test(page) ? 'mooring rope' : 'anchor'))(prompt);
};

const tunedPolicy = finder(() => 'mooring rope');

describe('the learning loop', () => {
  let stack: Stack;
  let models: ModelServer;
  let tuner: TuningServer;
  let pool: Pool;
  let isTunedModelBroken = false;
  let trainingExport: ExportView;
  const learning = new LearningClient(() => stack.client);

  beforeAll(async () => {
    models = await startModels();
    models.policy = answer;
    tuner = await startTuningServer(models.url);
    const { endpoint, accessKey, secretKey } = serverOfS3();
    stack = await Stack.start({
      api: {
        PILOTHOUSE_MODEL: `forge/${BASE}`,
        PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify({
          forge: { protocol: 'openai', baseUrl: `${tuner.url}/together/v1` },
          judge: { protocol: 'openai', baseUrl: `${models.url}/v1` },
        }),
        FORGE_API_KEY: 'key-of-forge',
        S3_ENDPOINT: endpoint,
        S3_ACCESS_KEY: accessKey,
        S3_SECRET_KEY: secretKey,
        S3_BUCKET: `learning-${Date.now().toString(36)}`,
        PILOTHOUSE_OBJECT_STORE_WORKER_ENDPOINT: endpoint,
        PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT: endpoint,
      },
    });
    pool = createPool({ databaseUrl: stack.database.url, name: 'spec', log: memoryLog() });
    await stack.addJobRunner();
    const project = {
      models: { score: { use: ['judge/judge'] } },
      learning: { record: { turns: 'all' }, shareTraces: false },
    };
    await learning.send('PATCH', '/v1/projects/current', project);
  });
  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
    await tuner?.close();
    await models?.close();
  });

  function answer({ model, system, text, tools }: ModelServerRequest): Reply {
    if (model === 'judge') {
      const isWrong = text.includes('"text":"anchor"');
      const [quality, reason] = isWrong ? ['unknown', 'Not sure about the word.'] : ['good', 'It moves on.'];
      return { text: JSON.stringify({ quality, reason }) };
    }
    const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
    if (model === BASE) return { text: 'As the base does', calls: basePolicy(prompt) };
    const calls = isTunedModelBroken ? [call('fail', { text: 'It learned nothing' })] : tunedPolicy(prompt);
    if (tools.length > 0) return { text: 'As trained', calls };
    const actions = calls.map(({ name, args }) => (name === 'act' ? args : { action: name, ...(args as object) }));
    return { text: JSON.stringify({ thought: 'As trained', actions }) };
  }

  const findRope = async (): Promise<RunView> => {
    const { id } = await stack.client.submit({
      definition: {
        name: 'find-rope',
        inputs: { password: { type: 'string', secret: true } },
        steps: [
          { action: 'navigate', url: `${stack.site.url}/login` },
          {
            id: 'found',
            action: 'goal',
            goal: `Log in as ${DEMO_ACCOUNT.email} with {{inputs.password}} and find a mooring rope.`,
            outputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
          },
        ],
        output: '{{steps.found.value}}',
      },
      inputs: { password: DEMO_ACCOUNT.password },
    });
    return stack.client.waitForEnd(id);
  };
  const readHeadings = (count: number): Promise<RunView[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const url = `${stack.site.url}/public/widgets`;
        const { id } = await stack.client.submit({ goal: 'What is the heading of this page?', url });
        return stack.client.waitForEnd(id);
      }),
    );
  const calledModels = async (run: string) => {
    const events = await stack.client.events(run);
    return new Set(events.flatMap(({ type, data }) => (type === 'model.called' ? [data['model']] : [])));
  };
  /** Models of the calls at the wire since the last call of this function. */
  const modelsAtTheWire = () => new Set(models.requests.splice(0).map(({ model }) => model));

  /** A person corrects the step with the wrong word. */
  async function correct({ run, steps }: TraceDetail): Promise<void> {
    const wrong = steps.find(({ quality }) => quality === 'unknown');
    const [wrongAction] = wrong?.actions ?? [];
    if (wrongAction?.action?.action !== 'fill') throw new Error('The step fills no field');
    const correctedActions: CorrectedAction[] = [
      { kind: 'act', action: { ...wrongAction.action, text: 'mooring rope' } },
    ];
    const label = { quality: 'bad', reason: 'A wrong word', correctedThought: CORRECTION, correctedActions };
    await learning.send('PUT', `/v1/traces/${run}/steps/${wrong?.ordinal}/label`, label);
  }

  /** Records and screenshots of the turns of a run. */
  async function turnFiles(run: string): Promise<Record<string, string>> {
    const files = (await stack.client.artifacts(run)).filter(({ kind }) => kind === 'turn');
    const texts = files.map(async ({ name, url }) => [name, await (await fetch(url)).text()] as const);
    return Object.fromEntries(await Promise.all(texts));
  }

  const startTraining = (name: string) =>
    learning.startTuning({
      ...{ name, tuner: 'together', endpoint: 'forge', baseModel: BASE, role: 'act', dialect: 'aura' },
      training: { export: trainingExport.id },
    });

  test('corrected runs tune a model, which runs use until it is rolled back', async () => {
    // Runs of the base model.
    const headings = await readHeadings(HEADING_RUNS);
    const rope = await findRope();
    for (const run of [...headings, rope]) expect(run).toMatchObject({ status: 'completed', error: null });
    expect(rope.output).toEqual({ sku: expect.stringMatching(/^RL-\d+$/) });

    // Rules and the model of the role `score` rate each turn.
    const trace = await learning.scoredTrace(rope.id);
    expect(trace).toMatchObject({ quality: 'bad', needsReview: true, unknownCount: 1, model: `forge/${BASE}` });
    expect(trace.steps.map(({ source, quality }) => `${source} ${quality}`)).toEqual([
      'model good',
      'rule bad',
      'model unknown',
      'model good',
      'model good',
      'model good',
    ]);
    for (const { id } of headings) expect(await learning.scoredTrace(id)).toMatchObject({ quality: 'good' });

    // A person corrects the doubtful step.
    await correct(trace);
    const reviewed = await learning.scoredTrace(rope.id);
    expect(reviewed).toMatchObject({ needsReview: false, unknownCount: 0, badCount: 2 });
    expect(reviewed.steps[2]).toMatchObject({ source: 'person', quality: 'bad', correctedThought: CORRECTION });
    expect(reviewed.steps[2]?.labels.map(({ source }) => source)).toEqual(['model', 'person']);

    // The dataset and its export.
    const shares = { train: 1, validation: 0, test: 0 };
    const dataset = await learning.buildDataset({ name: 'rope', shares });
    expect(dataset).toMatchObject({ status: 'ready', error: null });
    expect(dataset.card?.counts).toMatchObject({ corrections: 1, traces: 2, duplicates: HEADING_RUNS - 1 });
    const options = { format: 'together', dialect: 'aura', splits: ['train'] };
    trainingExport = await learning.finishedExport(await learning.startExport(dataset.id, options));
    expect(trainingExport).toMatchObject({ status: 'ready', error: null });
    const examples = await learning.exportedFile(trainingExport, 'train.jsonl');
    const answers = examples
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { messages: object[] }).messages.at(-1));
    expect(JSON.stringify(answers)).toContain(CORRECTION);
    expect(JSON.stringify(answers)).toContain('mooring rope');
    expect(JSON.stringify(answers)).not.toContain('anchor');
    expect(examples).toContain('{{inputs.password}}');
    expect(findSecret(DEMO_ACCOUNT.password, { examples, ...(await turnFiles(rope.id)) })).toEqual([]);

    // The tuning job.
    tuner.onJob = (job) => void Object.assign(job, { status: 'succeeded', model: TUNED, loss: [{ step: 1, loss: 2 }] });
    const job = await learning.endedJob((await startTraining('rope-v1')).id);
    expect(job).toMatchObject({ status: 'completed', result: { registered: 'rope-v1', model: `forge/${TUNED}` } });
    expect([...tuner.files.values()].map(String)).toEqual([examples]);
    expect(new Set(tuner.requests.map(({ key }) => key))).toEqual(new Set(['key-of-forge']));
    expect(await learning.model('rope-v1')).toMatchObject({
      ...{ stage: 'registered', model: `forge/${TUNED}`, base: `forge/${BASE}`, dataset: dataset.id, job: job.id },
    });

    // The next run uses the tuned model.
    await learning.send('POST', '/v1/registry/models/rope-v1/promote');
    modelsAtTheWire();
    const improved = await findRope();
    expect(improved).toMatchObject({ status: 'completed', output: rope.output });
    expect(await calledModels(improved.id)).toEqual(new Set([TUNED]));
    expect(await learning.scoredTrace(improved.id)).toMatchObject({ quality: 'good', model: `forge/${TUNED}` });
    expect(modelsAtTheWire()).toEqual(new Set([TUNED, 'judge']));

    // Its runs fail, so the model is rolled back at the end of the fifth one.
    isTunedModelBroken = true;
    for (const run of await readHeadings(4)) expect(run).toMatchObject({ status: 'failed' });
    const rolledBack = await until('the model is rolled back', async () => {
      const model = await learning.model('rope-v1');
      return model.stage === 'rolled_back' && model;
    });
    expect(rolledBack.transitions.map(({ to, by }) => [to, by === null])).toEqual([
      ['rolled_back', true],
      ['active', false],
    ]);
    expect(rolledBack.transitions[0]?.reason).toContain('1 of the last 5 runs succeeded');
    const [afterwards] = await readHeadings(1);
    expect(afterwards).toMatchObject({ status: 'completed' });
    expect(await calledModels(afterwards?.id ?? '')).toEqual(new Set([BASE]));

    expect(findSecret(DEMO_ACCOUNT.password, await stack.dumpStoredData())).toEqual([]);
  }, 150_000);

  test('a killed job runner loses and doubles nothing of an export and of a tuning job', async () => {
    for (const jobRunner of stack.jobRunners) await jobRunner.stop();
    const repeated = await learning.startExport(trainingExport.dataset, trainingExport.options);
    const { id: training } = await startTraining('rope-v2');
    const [jobCount, uploadCount] = [tuner.jobs.length, tuner.files.size];

    // The job runner dies after the tuner created its job, and before the export is marked as ready.
    const blocker = await pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM dataset_export WHERE id = $1 FOR UPDATE', [repeated.id]);
    const created = Promise.withResolvers<null>();
    const killed = Promise.withResolvers<null>();
    tuner.onJob = async () => {
      created.resolve(null);
      await killed.promise;
    };
    const jobRunner = await stack.addJobRunner();
    await created.promise;
    await until('the export waits for its row', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return (rowCount ?? 0) > 0;
    });
    await jobRunner.kill();
    killed.resolve(null);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(await learning.get(`/v1/learning/jobs/${training}`)).toMatchObject({ status: 'running', attempts: 1 });

    // Another job runner continues both jobs when their leases have expired.
    Object.assign(tuner.jobs.at(-1) ?? {}, { status: 'succeeded', model: `${TUNED}-2` });
    await stack.addJobRunner();
    expect(await learning.endedJob(training, 90_000)).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await learning.finishedExport(repeated, 90_000)).toMatchObject({
      ...{ status: 'ready', report: trainingExport.report, files: trainingExport.files },
    });
    expect(await learning.exportedFile(repeated, 'train.jsonl')).toBe(
      await learning.exportedFile(trainingExport, 'train.jsonl'),
    );
    expect([tuner.jobs.length, tuner.files.size]).toEqual([jobCount + 1, uploadCount + 1]);
    expect(await learning.model('rope-v2')).toMatchObject({ job: training, model: `forge/${TUNED}-2` });
    const { rows } = await pool.query<{ kind: string; attempts: number[] }>(
      `SELECT kind, array_agg(attempts ORDER BY created_at)::int[] AS attempts FROM job
       WHERE kind IN ('export', 'tune') GROUP BY kind ORDER BY kind`,
    );
    expect(rows).toEqual([
      { kind: 'export', attempts: [1, 2] },
      { kind: 'tune', attempts: [1, 2] },
    ]);
  }, 150_000);
});
