import { apiConfig } from './api.config.ts';
import { isModelVariable } from './models.config.ts';
import { cliConfig } from './cli.config.ts';
import { fleetControllerConfig } from './fleet.config.ts';
import { ConfigError } from './read-environment.ts';
import { upConfig } from './up.config.ts';
import { workerConfig } from './worker.config.ts';

const api = {
  DATABASE_URL: 'postgresql://u:hunter2@h/db',
  REDIS_URL: 'redis://:hunter2@h:1',
  OBJECT_STORE_DIR: '/data',
  PILOTHOUSE_MASTER_KEY_FILE: '/key',
};

const problems = (read: () => unknown): readonly string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
  }
  return [];
};

describe('settings', () => {
  it('of the API have defaults, except for addresses', () => {
    expect(apiConfig(api)).toMatchObject({
      port: 7100,
      host: '127.0.0.1',
      objectStore: { kind: 'folder', dir: '/data' },
      roles: new Set(['rest', 'gateway']),
      migrateOnStart: false,
      fleets: [],
      retention: { runsDays: null, eventsDays: null, artifactsDays: null },
      log: { level: 'info', format: 'json' },
    });
  });

  it('allow listed origins only, no wildcard', () => {
    const withOrigins = (PILOTHOUSE_CORS_ORIGINS: string) => apiConfig({ ...api, PILOTHOUSE_CORS_ORIGINS });
    expect(withOrigins('').corsOrigins).toEqual([]);
    expect(withOrigins('https://app.example.com, http://localhost:5173').corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ]);
    for (const wrong of [
      '*',
      'null',
      'https://*.example.com',
      'https://a.example/',
      'https://A.example',
      'https://a.example:443',
      'a.example',
    ])
      expect(problems(() => withOrigins(wrong))).toEqual([
        expect.stringMatching(/^PILOTHOUSE_CORS_ORIGINS: .*e\.g\. https:\/\/app\.example\.com/),
      ]);
  });

  it('set the number of trusted proxies, by default none', () => {
    const withProxyCount = (PILOTHOUSE_PROXY_COUNT: string) => () => apiConfig({ ...api, PILOTHOUSE_PROXY_COUNT });
    expect(apiConfig(api).proxyCount).toBe(0);
    expect(withProxyCount('2')().proxyCount).toBe(2);
    for (const wrong of ['all', '-1', '11']) {
      expect(problems(withProxyCount(wrong))).toEqual([expect.stringMatching(/^PILOTHOUSE_PROXY_COUNT: /)]);
    }
  });

  it('set the OpenID Connect provider and its allowed users', () => {
    const oidc = {
      PILOTHOUSE_OIDC_ISSUER: 'https://id.example.com/realms/harbour',
      PILOTHOUSE_OIDC_CLIENT_ID: 'pilothouse',
      PILOTHOUSE_OIDC_CLIENT_SECRET: 'hunter2',
    };
    const roles = [{ claim: 'groups', value: 'pilots', project: 'default', role: 'operator' }];
    expect(apiConfig(api).oidc).toBeUndefined();
    expect(apiConfig({ ...api, ...oidc }).oidc).toMatchObject({
      allowedEmailDomains: [],
      roleMappings: [],
      assumeEmailVerified: false,
    });
    const accessVariables = {
      PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS: 'Example.com, example.org',
      PILOTHOUSE_OIDC_ROLE_MAPPINGS: JSON.stringify(roles),
    };
    expect(apiConfig({ ...api, ...oidc, ...accessVariables }).oidc).toMatchObject({
      allowedEmailDomains: ['example.com', 'example.org'],
      roleMappings: roles,
    });
    const problemsOf = (variables: Record<string, string>) =>
      problems(() => apiConfig({ ...api, ...oidc, ...variables }));
    expect(problems(() => apiConfig({ ...api, PILOTHOUSE_OIDC_ISSUER: 'https://id.example.com' }))).toEqual([
      'PILOTHOUSE_OIDC_CLIENT_ID: set it, because PILOTHOUSE_OIDC_ISSUER is set.',
      'PILOTHOUSE_OIDC_CLIENT_SECRET: set it, because PILOTHOUSE_OIDC_ISSUER is set.',
    ]);
    expect(problemsOf({ PILOTHOUSE_OIDC_SCOPES: 'email' })).toEqual([expect.stringContaining('including openid')]);
    expect(problemsOf({ PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS: '@example.com' })).toEqual([
      expect.stringContaining('e.g. example.com'),
    ]);
    const boss = JSON.stringify([{ ...roles[0], role: 'boss' }]);
    expect(problemsOf({ PILOTHOUSE_OIDC_ROLE_MAPPINGS: boss })[0]).toMatch(/^PILOTHOUSE_OIDC_ROLE_MAPPINGS/);
  });

  it('set the retention of a new project', () => {
    const days = { PILOTHOUSE_RETENTION_RUNS_DAYS: '365', PILOTHOUSE_RETENTION_ARTIFACTS_DAYS: '30' };
    expect(apiConfig({ ...api, ...days }).retention).toEqual({ runsDays: 365, eventsDays: null, artifactsDays: 30 });
    expect(problems(() => apiConfig({ ...api, PILOTHOUSE_RETENTION_EVENTS_DAYS: '0' }))).toEqual([
      'PILOTHOUSE_RETENTION_EVENTS_DAYS: set it to a whole number from 1 to 36500.',
    ]);
  });

  it('set the screen parser', () => {
    expect(apiConfig(api).screenParser).toBeUndefined();
    const url = { PILOTHOUSE_SCREEN_PARSER_URL: 'http://omniparser:8000' };
    expect(apiConfig({ ...api, ...url }).screenParser).toEqual({
      url: 'http://omniparser:8000',
      timeoutMs: 10_000,
      ttlSeconds: 3_600,
    });
    expect(apiConfig({ ...api, ...url, PILOTHOUSE_SCREEN_PARSER_TTL_SECONDS: '60' }).screenParser?.ttlSeconds).toBe(60);
    expect(problems(() => apiConfig({ ...api, PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS: '90000' }))).toEqual([
      'PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS: set it to a whole number from 100 to 60000.',
    ]);
  });

  it('set the folders from which projects may train', () => {
    expect(apiConfig(api).tuningSources).toEqual([]);
    const folders = { PILOTHOUSE_TUNING_SOURCES: 'gs://harbour/examples/, s3://training/' };
    expect(apiConfig({ ...api, ...folders }).tuningSources).toEqual(['gs://harbour/examples/', 's3://training/']);
    for (const text of ['gs://harbour/examples', 'https://harbour/', 'gs:///'])
      expect(problems(() => apiConfig({ ...api, PILOTHOUSE_TUNING_SOURCES: text }))).toEqual([
        expect.stringContaining('PILOTHOUSE_TUNING_SOURCES: set it to folders separated by commas'),
      ]);
  });

  it('set the models and their endpoints', () => {
    expect(apiConfig(api).models).toEqual({ fallback: undefined, callsPerMinute: undefined, endpoints: {} });
    const models = {
      PILOTHOUSE_MODEL: 'gemini/gemini-2.5-flash, openai/meta/llama-4',
      PILOTHOUSE_MODEL_CALLS_PER_MINUTE: '60',
      GEMINI_API_KEY: 'one',
      OPENAI_BASE_URL: 'http://vllm:8000/v1/',
      OPENAI_HEADERS: '{"x-team":"harbour"}',
    };
    expect(apiConfig({ ...api, ...models }).models).toEqual({
      fallback: { use: ['gemini/gemini-2.5-flash', 'openai/meta/llama-4'] },
      callsPerMinute: 60,
      endpoints: {
        gemini: { apiKey: 'one' },
        openai: { apiKey: 'none', baseUrl: 'http://vllm:8000/v1', headers: { 'x-team': 'harbour' } },
      },
    });
  });

  it('name further endpoints with their own keys, and capabilities of unknown models', () => {
    const endpoints = {
      groq: { baseUrl: 'https://api.groq.com/openai/v1/', callsPerMinute: 30 },
      'my-vllm': { baseUrl: 'http://vllm:8000/v1', headers: { 'x-team': 'harbour' } },
      work: { protocol: 'anthropic' },
    };
    const entries = { 'my-vllm/*': { dialect: 'ui-tars', price: { input: 1, output: 2 } } };
    const { models } = apiConfig({
      ...api,
      PILOTHOUSE_MODEL: 'groq/meta/llama-4,work/claude-haiku-4-5,gemini/gemini-2.5-flash',
      PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify(endpoints),
      PILOTHOUSE_MODEL_OVERRIDES: JSON.stringify(entries),
      PILOTHOUSE_MODEL_STREAMING: 'true',
      GROQ_API_KEY: 'one',
      WORK_API_KEY: 'two',
      OPENAI_API_KEY: 'three',
    });
    const stream = true;
    expect(models.endpoints).toEqual({
      openai: { apiKey: 'three', stream },
      groq: {
        protocol: 'openai',
        apiKey: 'one',
        baseUrl: 'https://api.groq.com/openai/v1',
        callsPerMinute: 30,
        stream,
      },
      'my-vllm': { protocol: 'openai', apiKey: 'none', ...endpoints['my-vllm'], stream },
      work: { protocol: 'anthropic', apiKey: 'two', stream },
    });
    expect(models.overrides).toEqual(entries);
    const names = ['GROQ_API_KEY', 'PILOTHOUSE_MODEL_ENDPOINTS', 'DESTINATION_S3_SECRET_KEY', 'PATH'];
    expect(names.map(isModelVariable)).toEqual([true, true, true, false]);
  });

  it('accept a Google Cloud project instead of a key', () => {
    const vertex = {
      GEMINI_VERTEX_PROJECT: 'harbour',
      GEMINI_VERTEX_KEY_FILE: import.meta.filename,
      PILOTHOUSE_MODEL_STREAMING: 'true',
    };
    expect(apiConfig({ ...api, ...vertex }).models.endpoints.gemini).toEqual({
      apiKey: 'none',
      stream: true,
      vertex: { project: 'harbour', location: 'global', keyFile: import.meta.filename },
    });
  });

  it.each([
    [{ GEMINI_VERTEX_LOCATION: 'europe-west4' }, 'GEMINI_VERTEX_PROJECT: set it to the Google Cloud project'],
    [{ GEMINI_VERTEX_PROJECT: 'a', GEMINI_API_KEY: 'hunter2' }, 'GEMINI_API_KEY: unset it'],
    [{ GEMINI_VERTEX_PROJECT: 'a/b' }, 'GEMINI_VERTEX_PROJECT: set it to a Google Cloud name'],
    [
      { GEMINI_VERTEX_PROJECT: 'a', GEMINI_VERTEX_KEY_FILE: '/nowhere' },
      'GEMINI_VERTEX_KEY_FILE: set it to a file that this process can read.',
    ],
    [{ PILOTHOUSE_MODEL: 'gpt-5' }, 'PILOTHOUSE_MODEL: set it to at most five models separated by commas'],
    [
      { PILOTHOUSE_MODEL: 'groq/llama-4', PILOTHOUSE_MODEL_ENDPOINTS: '{"vllm": {"baseUrl": "http://vllm/v1"}}' },
      'PILOTHOUSE_MODEL: there is no endpoint for groq/llama-4: use gemini, openai, anthropic, vllm, or add it to',
    ],
    [{ PILOTHOUSE_MODEL_ENDPOINTS: '{"groq": {}}' }, 'PILOTHOUSE_MODEL_ENDPOINTS (groq.baseUrl): set it to the URL'],
    [
      { PILOTHOUSE_MODEL_ENDPOINTS: '{"openai": {"baseUrl": "http://a"}}' },
      'PILOTHOUSE_MODEL_ENDPOINTS (openai): gemini,',
    ],
    [
      { PILOTHOUSE_MODEL_ENDPOINTS: '{"Groq": {"baseUrl": "http://a"}}' },
      'PILOTHOUSE_MODEL_ENDPOINTS (Groq): Use 1 to 31 lower-case letters',
    ],
    [
      { PILOTHOUSE_MODEL_ENDPOINTS: '{"groq": {"baseUrl": "http://a"}}', GROQ_API_KEY: 'hunter2 and' },
      'GROQ_API_KEY: set it to a key',
    ],
    [
      { PILOTHOUSE_MODEL_OVERRIDES: '{"a/b": {"dialect": "telegram"}}' },
      'PILOTHOUSE_MODEL_OVERRIDES (a/b.dialect): Use calls, aura,',
    ],
    [{ GEMINI_API_KEY: 'hunter2 and more' }, 'GEMINI_API_KEY: set it to a key, without spaces or line breaks.'],
    [{ OPENAI_HEADERS: 'x: y' }, 'OPENAI_HEADERS: set it to valid JSON.'],
    [{ ANTHROPIC_BASE_URL: 'there' }, 'ANTHROPIC_BASE_URL: set it to a URL that starts with http:// or https://.'],
  ])('of models are validated: %j', (wrong, expected) => {
    const [problem = '', ...rest] = problems(() => apiConfig({ ...api, ...wrong }));
    expect([problem.startsWith(expected), rest]).toEqual([true, []]);
    expect(problem).not.toContain('hunter2');
  });

  it('select S3 when an endpoint is set', () => {
    const s3 = { S3_ENDPOINT: 'https://s3.example', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' };
    expect(apiConfig({ ...api, ...s3 }).objectStore).toEqual({
      kind: 's3',
      endpoint: 'https://s3.example',
      accessKey: 'a',
      secretKey: 'b',
      bucket: 'pilothouse',
      region: 'us-east-1',
    });
  });

  it.each([
    ['a missing variable', { ...api, DATABASE_URL: undefined }, 'DATABASE_URL is not set.'],
    ['an empty variable, as a missing one', { ...api, DATABASE_URL: '' }, 'DATABASE_URL is not set.'],
    ['a wrong port', { ...api, PILOTHOUSE_PORT: 'many' }, 'PILOTHOUSE_PORT: set it to a port, 0 to 65535.'],
    [
      'a wrong URL',
      { ...api, REDIS_URL: 'http://x' },
      'REDIS_URL: set it to a URL that starts with redis:// or rediss://.',
    ],
    [
      'no place for objects',
      { ...api, OBJECT_STORE_DIR: undefined },
      'OBJECT_STORE_DIR: set it to a folder for objects, or set S3_ENDPOINT.',
    ],
    [
      'S3 without keys',
      { ...api, S3_ENDPOINT: 'http://x', S3_SECRET_KEY: 'b' },
      'S3_ACCESS_KEY: set it, because S3_ENDPOINT is set.',
    ],
    [
      'a wrong part',
      { ...api, PILOTHOUSE_API_ROLES: 'rest,door' },
      'PILOTHOUSE_API_ROLES (1): set it to rest, gateway or rest,gateway.',
    ],
    ['fleets that are no JSON', { ...api, PILOTHOUSE_FLEETS: '[' }, 'PILOTHOUSE_FLEETS: set it to valid JSON.'],
    [
      'a fleet with min over max',
      { ...api, PILOTHOUSE_FLEETS: '[{"name":"a","minWorkers":3,"maxWorkers":1}]' },
      'PILOTHOUSE_FLEETS (0.minWorkers): `minWorkers` must not be greater than `maxWorkers`.',
    ],
    [
      'a renewal as slow as the lease',
      { ...api, PILOTHOUSE_RENEW_MS: '4000' },
      'PILOTHOUSE_RENEW_MS: set it to at most half of PILOTHOUSE_LEASE_MS.',
    ],
  ])('say what to set for %s', (_, environment, sentence) => {
    expect(problems(() => apiConfig(environment))).toEqual([sentence]);
  });

  it('report all problems at once, without secrets', () => {
    const messages = problems(() =>
      apiConfig({ ...api, REDIS_URL: 'hunter2', LOG_LEVEL: 'loud', PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: 'hunter2' }),
    );
    expect(messages).toHaveLength(3);
    expect(messages.join()).not.toContain('hunter2');
  });

  it('of the controller have a default lifetime of join tokens', () => {
    const fleet = {
      DATABASE_URL: api.DATABASE_URL,
      PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway',
      PILOTHOUSE_WORKER_COMMAND: '["node","worker.js"]',
      PILOTHOUSE_DATA_DIR: '/data',
    };
    expect(fleetControllerConfig(fleet)).toMatchObject({ driver: 'local', joinTokenTtlSeconds: 900 });
    const tooShort = { ...fleet, PILOTHOUSE_JOIN_TOKEN_TTL_SECONDS: '5' };
    expect(problems(() => fleetControllerConfig(tooShort))).toEqual([
      'PILOTHOUSE_JOIN_TOKEN_TTL_SECONDS: set it to a whole number from 30 to 86400.',
    ]);
  });

  it('of a worker give the browser a UTF-8 locale and no token', () => {
    const worker = {
      PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway',
      PILOTHOUSE_FLEET_TOKEN_FILE: '/run/token',
      PATH: '/bin',
    };
    expect(workerConfig(worker).childEnvironment).toEqual({ PATH: '/bin', LC_ALL: 'C.UTF-8' });
    expect(workerConfig({ ...worker, LC_ALL: 'de_DE.utf8' }).childEnvironment.LC_ALL).toBe('de_DE.utf8');
  });

  it('of a worker are a gateway and a token', () => {
    const worker = { PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway', PILOTHOUSE_FLEET_TOKEN_FILE: '/run/token' };
    expect(workerConfig(worker)).toMatchObject({
      slots: 2,
      surface: 'browser',
      headless: 'auto',
      drainGraceSeconds: 25,
    });
    expect(problems(() => workerConfig({ ...worker, PILOTHOUSE_SLOTS: '0' }))).toEqual([
      'PILOTHOUSE_SLOTS: set it to a whole number from 1 to 1000.',
    ]);
  });

  it('of a local installation have defaults for everything', () => {
    expect(upConfig({})).toMatchObject({
      databaseUrl: undefined,
      redisUrl: undefined,
      host: '127.0.0.1',
      port: 7100,
      fleets: undefined,
      slots: 2,
      workers: 2,
    });
    expect(problems(() => upConfig({ PILOTHOUSE_PORT: 'x', DATABASE_URL: 'mysql://hunter2' }))).toEqual([
      'DATABASE_URL: set it to a URL that starts with postgresql:// or postgres://.',
      'PILOTHOUSE_PORT: set it to a port, 0 to 65535.',
    ]);
    expect(problems(() => upConfig({ S3_ENDPOINT: 'http://x' }))).toEqual([
      'S3_ACCESS_KEY: set it, because S3_ENDPOINT is set.',
      'S3_SECRET_KEY: set it, because S3_ENDPOINT is set.',
    ]);
  });

  it('of the command are an address and a key', () => {
    expect(cliConfig({ PILOTHOUSE_URL: 'https://p.example/', PILOTHOUSE_API_KEY: 'ph_x' })).toEqual({
      url: 'https://p.example',
      apiKey: 'ph_x',
      installDir: undefined,
    });
    expect(problems(() => cliConfig({ PILOTHOUSE_URL: 'p.example', PILOTHOUSE_API_KEY: 'hunter2' }))).toEqual([
      'PILOTHOUSE_URL: set it to a URL that starts with http:// or https://.',
      'PILOTHOUSE_API_KEY: set it to an API key that starts with ph_.',
    ]);
  });
});
