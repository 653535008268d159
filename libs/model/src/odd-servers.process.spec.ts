import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { parseAnswer } from '@pilothouse/core/agent/dialects/read-answer';
import type { ModelContext } from '@pilothouse/core/ports/model.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { oddCases, startOddServer, type OddServer } from '@pilothouse/testing/model-server/odd-server';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { ConfiguredModels } from './configured-models.ts';

const act = {
  name: 'act',
  description: 'One action',
  parameters: { type: 'object', properties: { action: { type: 'string' }, element: { type: 'integer' } } },
};

const aRequest = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: 'You operate a browser.',
  messages: [{ role: 'user', parts: [{ text: 'Press Count three times. [5] button "Count"' }] }],
  tools: [act],
  maxTokens: 2000,
  temperature: 0,
  ...fields,
});

const verdictRequest = (): ModelRequest => {
  const { tools: _, ...others } = aRequest();
  return { ...others, schema: { type: 'object', properties: { verdict: { type: 'string' } }, required: ['verdict'] } };
};

const image = { contentType: 'image/jpeg' as const, data: '/9j/4AAQ' };

/** Result of a call: the actions that are read, or an error. */
type End =
  | { readonly reads: 'click 5 × 3' | 'click 5 × 2, click 5 × 1' | 'click, then done' | 'done' | 'nothing' }
  | { readonly code: string; readonly says: RegExp };

interface Expected {
  readonly end: End;
  /** Calls that reached the server. */
  readonly calls: number;
  /** The model estimates the usage. */
  readonly estimated?: true;
}

const reads = (text: Extract<End, { reads: string }>['reads'], calls = 1): Expected => ({
  end: { reads: text },
  calls,
});
const clicks = (calls = 1): Expected => reads('click 5 × 3', calls);
const fails = (code: string, says: RegExp, calls = 1): Expected => ({ end: { code, says }, calls });

/** Each fault, with the end of one call with its retries. */
const expectedEnds: Readonly<Record<string, Expected>> = {
  good: clicks(),
  r429: clicks(3),
  r429date: clicks(2),
  r429long: fails('MODEL_UNAVAILABLE', /HTTP 429: .*slow down/),
  e500: clicks(4),
  e500html: fails('MODEL_UNAVAILABLE', /HTTP 502/, 4),
  e400ctx: fails('MODEL_REFUSED', /available context size \(4096 tokens\).*contextTokens: 4096/, 2),
  loading: clicks(5),
  loadinglong: fails('MODEL_UNAVAILABLE', /Loading model.*within 2 s.*timeoutSeconds.*PILOTHOUSE_MODEL_ENDPOINTS/, NaN),
  reset: clicks(3),
  resetalways: fails('MODEL_UNAVAILABLE', /could not be reached/, 4),
  halfbody: clicks(2),
  notjson: fails('MODEL_INVALID', /violates its protocol/),
  emptybody: fails('MODEL_INVALID', /empty, which violates/),
  nullbody: fails('MODEL_INVALID', /empty, which violates/),
  nochoices: fails('MODEL_INVALID', /no choices/),
  nochoicesalways: fails('MODEL_INVALID', /no choices/),
  errorin200: clicks(2),
  notools400: clicks(2),
  nojinja500: clicks(2),
  noschema400: clicks(),
  temp400: clicks(2),
  noimage500: reads('nothing'),
  slowfirst: clicks(),
  never: fails('MODEL_UNAVAILABLE', /did not answer within 2 s.*timeoutSeconds/),
  drip: fails('MODEL_UNAVAILABLE', /did not answer within 2 s.*timeoutSeconds/),
  length: reads('nothing'),
  lengthalways: reads('nothing'),
  badargs: fails('MODEL_INVALID', /arguments of a call are not a JSON object: "element=5, action=click"/),
  badargsalways: fails('MODEL_INVALID', /arguments of a call are not a JSON object: "element=5, action=click"/),
  fencedargs: clicks(),
  objectargs: clicks(),
  doubleargs: clicks(),
  stringelement: clicks(),
  twocalls: reads('click 5 × 2, click 5 × 1'),
  actanddone: reads('click, then done'),
  doneonly: reads('done'),
  doneliar: reads('done'),
  reasoning: clicks(),
  reasoningonly: reads('nothing'),
  thinktags: clicks(),
  nousage: { ...clicks(), estimated: true },
  nullusage: { ...clicks(), estimated: true },
  stringusage: { ...clicks(), estimated: true },
  arraycontent: clicks(),
  fencedtext: clicks(),
  textcall: clicks(),
  plaintextcall: clicks(),
  prose: reads('nothing'),
  unknownfn: reads('nothing'),
  emptyall: reads('nothing'),
  nofinish: clicks(),
  wrongfinish: clicks(),
  refusal: reads('nothing'),
  s_trunc: clicks(2),
  s_reset: clicks(2),
  s_nodone: clicks(),
  s_hangafter: clicks(),
  s_split: clicks(),
  s_noindex: { ...clicks(), estimated: true },
  s_error: clicks(2),
  s_json: clicks(),
  s_silent: fails('MODEL_UNAVAILABLE', /sent no data for 2 s.*timeoutSeconds/, NaN),
  s_slowprompt: clicks(),
  s_comments: clicks(),

  // Calls and messages.
  noids: reads('click 5 × 2, click 5 × 1'),
  sameids: reads('click 5 × 2, click 5 × 1'),
  functioncall: clicks(),
  nullcalls: clicks(),
  callsobject: fails('MODEL_INVALID', /violates the protocol/),
  trailingcomma: clicks(),
  pythonargs: clicks(),
  barenames: clicks(),
  rawlinebreak: clicks(),
  cutargs: fails('MODEL_INVALID', /arguments of a call are not a JSON object/),
  gluedargs: fails('MODEL_INVALID', /arguments of a call are not a JSON object/),
  nulcharacter: clicks(),
  xmlcall: clicks(),
  xmlcut: reads('nothing'),
  llamacall: clicks(),
  invokecall: clicks(),
  mistralcall: clicks(),
  mistralargs: clicks(),
  nestedcall: clicks(),
  functionnull: fails('MODEL_INVALID', /violates the protocol/),
  pythontext: clicks(),
  hiddenthink: clicks(),
  thinkdraft: reads('nothing'),
  // Reasoning is no decision.
  reasoningcall: reads('nothing'),
  choiceerror: clicks(2),
  rate200: clicks(3),
  refused200: fails('MODEL_INVALID', /Insufficient credits/),
  r429bare: clicks(3),
  r429text: clicks(2),
  s_emptyfinish: clicks(),
  s_sameindex: reads('click 5 × 2, click 5 × 1'),
  s_repeatname: clicks(),
  s_nullargs: clicks(),
  s_message: clicks(),
  s_nullchoices: clicks(),

  // Transports.
  gzip: clicks(),
  gziplie: clicks(2),
  gzipbomb: fails('MODEL_INVALID', /longer than 32 MB/),
  hugebody: fails('MODEL_INVALID', /longer than 32 MB/),
  bom: clicks(),
  textplain: clicks(),
  html200: fails('MODEL_INVALID', /not JSON but "<!doctype html>.*baseUrl/),
  utf8split: clicks(),
  redirect302: fails('MODEL_NOT_CONFIGURED', /^(?!.*secret).*redirects to https:\/\/other.example\/v1\..*baseUrl/),
  redirect308: fails('MODEL_NOT_CONFIGURED', /redirects to http:\/\/127.0.0.1:\d+\/v2\/chat/),
  ollamaform: fails('MODEL_INVALID', /no choices.*another protocol.*\/v1/),
  s_crlf: clicks(),
  s_bom: clicks(),
  s_nospace: clicks(),
  s_multiline: clicks(),
  s_utf8split: clicks(),
  s_html: fails('MODEL_INVALID', /not JSON but "<!doctype html>/),
  s_pings: fails('MODEL_UNAVAILABLE', /sent no data for 2 s.*timeoutSeconds/, NaN),
  s_endless: fails('MODEL_INVALID', /longer than 32 MB/),
  s_doneafter: clicks(),
  s_usageeach: clicks(),
};

describe('odd OpenAI-compatible servers', () => {
  let server: OddServer;
  beforeEach(async () => {
    server = await startOddServer();
  });
  afterEach(() => server.close());

  const context = (): ModelContext => ({
    signal: new AbortController().signal,
    deadline: systemClock.monotonic() + 60_000,
    log: memoryLog(),
  });

  /** @param timeoutSeconds of the endpoint. Calls that never end have a short one. */
  const modelOf = (name: string, stream: boolean, timeoutSeconds?: number) =>
    new ConfiguredModels({
      endpoints: {
        odd: {
          protocol: 'openai',
          apiKey: 'none',
          baseUrl: server.url,
          stream,
          ...(timeoutSeconds !== undefined && { timeoutSeconds }),
        },
      },
      clock: systemClock,
      random: () => 0,
      // The delays of the table are waits for a server, not for a condition.
      retries: { maxAttempts: 4, baseMs: 1, maxMs: 1, wait: (ms, signal) => systemTimers.delay(ms / 100, signal) },
    }).get(`odd/${name}`);

  test('the table has every case', () => {
    expect(Object.keys(expectedEnds).toSorted()).toEqual(Object.keys(oddCases).toSorted());
    expect(Object.keys(expectedEnds)).toHaveLength(121);
  });

  test.each(Object.entries(expectedEnds))(
    '%s',
    async (name, { end, calls, estimated }) => {
      const isEndless = ['loadinglong', 'never', 'drip', 's_silent', 's_pings'].includes(name);
      const { model } = modelOf(name, name.startsWith('s_'), isEndless ? 2 : undefined);
      const result = model.generate(aRequest(), context()).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      );
      if (name === 'slowfirst' || name === 's_slowprompt')
        await until('the answer is held', () => server.release() === 1);
      const outcome = await result;
      if ('code' in end) {
        expect(outcome).toMatchObject({ error: { code: end.code, message: expect.stringMatching(end.says) } });
      } else {
        if ('error' in outcome) throw outcome.error;
        const { answer } = outcome;
        expect(describeRead(answer)).toBe(end.reads);
        expect(answer.usage.inputTokens).toBeGreaterThan(0);
        expect(answer.usage.estimated).toBe(estimated);
      }
      if (!Number.isNaN(calls)) expect(server.requests).toHaveLength(calls);
      // A silent stream is called four times.
    },
    30_000,
  );

  test('an endpoint without schemas gets the schema in the prompt', async () => {
    const answer = await modelOf('noschema400', false).model.generate(verdictRequest(), context());
    expect(answer).toMatchObject({ schemaMode: 'prompt' });
    expect(JSON.parse(answer.text)).toMatchObject({ verdict: 'success' });
  });

  test('a server error that names images is read as "takes no images", for an hour', async () => {
    const { model } = modelOf('noimage500', false);
    const request = aRequest({ messages: [{ role: 'user', parts: [{ text: 'What is there?' }, { image }] }] });
    const expected = { code: 'MODEL_NOT_CONFIGURED', message: expect.stringContaining('acceptsImages') };
    await expect(model.generate(request, context())).rejects.toMatchObject(expected);
    await expect(model.generate(request, context())).rejects.toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  test('a refused temperature is left out of the next calls', async () => {
    const { model } = modelOf('temp400', false);
    await model.generate(aRequest(), context());
    await model.generate(aRequest(), context());
    expect(server.requests.map((request) => 'temperature' in request)).toEqual([true, false, false]);
  });

  test('a model that spends its output on reasoning gets more for the next call', async () => {
    const { model, prepare } = modelOf('lengthalways', false);
    const { request } = prepare(aRequest(), undefined);
    await model.generate(request, context());
    expect(prepare(aRequest(), undefined).request.maxTokens).toBe(4000);
    // The limit of a user holds.
    expect(prepare(aRequest(), 3000).request.maxTokens).toBe(3000);
  });

  test('a model that never calls a function is asked for JSON with a schema after two answers', async () => {
    const { model } = modelOf('prose', false);
    for (let call = 0; call < 3; call += 1) await model.generate(aRequest(), context());
    expect(server.requests.map(({ tools }) => tools !== undefined)).toEqual([true, true, false]);
    expect(JSON.stringify(server.requests[2]?.response_format)).toContain('"enum":["act"]');
  });

  test('a prompt is shortened after a server named its context window', async () => {
    const { model } = modelOf('e400ctx', false);
    const history = Array.from({ length: 400 }, (_, index) => `${index}. pressed a button with a long name`).join('\n');
    const text = `Goal: press Count\n\n<<<history 42\n${history}\n>>>history 42\n\n<<<page 42\n[5] button\n>>>page 42`;
    const request = aRequest({ messages: [{ role: 'user', parts: [{ text }] }] });
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_REFUSED' });
    const [full = '', shorter = ''] = server.requests.map((each) => JSON.stringify(each.messages));
    expect(shorter.length).toBeLessThan(full.length * 0.8);
    expect(shorter).toContain('Goal: press Count');
    expect(shorter).toContain('399. pressed');
    expect(shorter).toContain('lines left out');
  });

  function describeRead(answer: Awaited<ReturnType<ReturnType<typeof modelOf>['model']['generate']>>): string {
    if (answer.finish === 'length' || answer.finish === 'safety') return 'nothing';
    const parsed = parseAnswer(answer, { surface: 'browser', focused: null, image: null, secrets: [] });
    const actions = parsed.actions.map((planned) => {
      if (planned.kind !== 'act' || planned.action.action !== 'click') return planned.kind;
      const { target, count } = planned.action;
      const index = 'elementIndex' in target ? target.elementIndex : NaN;
      return index === undefined || index > 100 ? 'unknown element' : `click ${index} × ${count ?? 1}`;
    });
    if (actions[0] === 'unknown element' || actions.length === 0) return 'nothing';
    return actions.join(', ') === 'click 5 × 3, done' ? 'click, then done' : actions.join(', ');
  }
});
