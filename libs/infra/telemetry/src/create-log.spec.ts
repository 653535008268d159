import { createLog, type LogOptions } from './create-log.ts';

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ name: 'api', level: 'debug', format: 'json', write: (line) => lines.push(line), ...options });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

test('a line is one JSON object with level, time, name, message and the fields', () => {
  const { log, lines, last } = logged();
  log.info({ run: 'r1', steps: 3 }, 'The run is done');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/\n$/);
  expect(last()).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    name: 'api',
    message: 'The run is done',
    run: 'r1',
    steps: 3,
  });
});

test('fields never replace level, time, name or message', () => {
  const { log, last } = logged();
  log.warn({ name: 'shot.png', message: 'theirs', level: 'info' }, 'ours');
  expect(last()).toMatchObject({
    name: 'api',
    message: 'ours',
    level: 'warn',
    fact_name: 'shot.png',
    fact_message: 'theirs',
  });
});

test('values of secret names are masked at any depth and in any spelling', () => {
  const { log, lines } = logged();
  const secret = 'anchor-1987';
  const names = [
    'password',
    'Password',
    'secret',
    'token',
    'fleetToken',
    'fleet_token',
    'Authorization',
    'apiKey',
    'api_key',
    'x-api-key',
    'cookie',
    'Set-Cookie',
    'S3_SECRET_KEY',
    'masterKey',
    'secrets',
    'credential',
  ];
  for (const name of names) {
    log.error(
      { [name]: secret, deep: { list: [{ [name]: secret }, { inside: { [name]: { value: secret } } }] } },
      name,
    );
  }
  expect(lines).toHaveLength(names.length);
  for (const line of lines) expect(line).not.toContain(secret);
});

test('a name that only resembles a secret is not masked', () => {
  const { log, last } = logged();
  log.info({ inputTokens: 5, key: 'runs/1', tokenized: 'x', password: null, token: '', hasSecret: true }, 'kept');
  expect(last()).toMatchObject({
    inputTokens: 5,
    key: 'runs/1',
    tokenized: 'x',
    password: null,
    token: '',
    hasSecret: true,
  });
});

test('secrets inside texts are masked, in fields and in the message', () => {
  const { log, lines } = logged();
  const token = `ph_${'a1B'.repeat(14)}z`;
  const texts = [
    'postgres://pilothouse:anchor-1987@db:5432/x',
    'redis://:anchor-1987@redis:6379',
    'GET /v1/objects/a/b?type=x&signature=anchor-1987&x=1',
    'https://s3/b/k?X-Amz-Signature=anchor-1987',
    'Authorization: Bearer anchor-1987',
    `the key ${token} is known`,
  ];
  for (const text of texts) log.info({ text, list: [text] }, text);
  const output = lines.join('');
  expect(output).not.toContain('anchor-1987');
  expect(output).not.toContain(token);
  expect(output).toContain('@db:5432/x');
  expect(output).toContain('signature=••••&x=1');
});

test('an error is logged with its type, message, code, stack and cause', () => {
  const { log, last } = logged();
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', password: 'anchor-1987' });
  log.error({ error: new TypeError('it broke', { cause }) }, 'It broke');
  expect(last().error).toMatchObject({
    type: 'TypeError',
    message: 'it broke',
    stack: expect.stringContaining('log.spec'),
    cause: { type: 'Error', message: 'refused', code: 'ECONNREFUSED', password: '••••' },
  });
});

test('fields of any shape are logged: cycles, bytes, dates, big numbers, maps', () => {
  const { log, last } = logged();
  const cycle: Record<string, unknown> = {
    n: 1n,
    bytes: Buffer.from('anchor'),
    at: new Date(0),
    map: new Map([['a', 1]]),
  };
  cycle.self = cycle;
  log.info({ cycle }, 'odd');
  expect(last().cycle).toEqual({
    n: '1',
    bytes: '[6 bytes]',
    at: '1970-01-01T00:00:00.000Z',
    map: { a: 1 },
    self: '[again]',
  });
});

test('lines below the level are not written', () => {
  const { log, lines } = logged({ level: 'warn' });
  log.debug({}, 'no');
  log.info({}, 'no');
  log.warn({}, 'yes');
  log.error({}, 'yes');
  expect(lines).toHaveLength(2);
  const silent = logged({ level: 'silent' });
  silent.log.error({}, 'no');
  expect(silent.lines).toEqual([]);
});

test('the pretty format is a readable line: time, level, name, message, fields', () => {
  const { log, lines } = logged({ format: 'pretty' });
  log.info({ run: 'r1', url: 'http://x/y', title: 'two words', list: [1, 2] }, 'Opened');
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} info {2}api {5}Opened run=r1 url=http:\/\/x\/y title="two words" list=\[ 1, 2 \]\n$/,
  );
  log.error({ error: new Error('it broke') }, 'Failed');
  expect(lines[1]).toMatch(/error api {5}Failed error="it broke"\n {4}Error: it broke\n {8}at /);
  expect(lines.join('')).not.toContain('\u001b');
});

test('the pretty format has colors if enabled', () => {
  const { log, lines } = logged({ format: 'pretty', color: true });
  log.warn({}, 'Careful');
  expect(lines[0]).toContain('\u001b[33mwarn ');
});
