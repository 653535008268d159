import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { workerConfig } from './worker.config.ts';

const least = { PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway', PILOTHOUSE_FLEET_TOKEN: 'ft_0123456789abcdefghij' };

describe('the life of a browser', () => {
  test('has default limits', () => expect(workerConfig(least).browser).toEqual({ maxRuns: 500, maxMegabytes: 3000 }));

  test('is configurable', () => {
    const set = { PILOTHOUSE_BROWSER_RECYCLE_RUNS: '1', PILOTHOUSE_BROWSER_RECYCLE_MB: '800' };
    expect(workerConfig({ ...least, ...set }).browser).toEqual({ maxRuns: 1, maxMegabytes: 800 });
  });

  test.each([
    ['PILOTHOUSE_BROWSER_RECYCLE_RUNS', '0', 'from 1 to'],
    ['PILOTHOUSE_BROWSER_RECYCLE_MB', 'much', 'from 100 to'],
  ])('%s cannot be %s', (name, value, hint) =>
    expect(() => workerConfig({ ...least, [name]: value })).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(`${name}.*${hint}`)] }),
    ),
  );
});

describe('what pages may reach that is not public', () => {
  test('is nothing by default', () => {
    expect(workerConfig(least).egressAllowPrivate).toEqual([]);
    expect(workerConfig({ ...least, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: '' }).egressAllowPrivate).toEqual([]);
    const set = ' 10.1.0.0/16, intranet.test:8080,private:7190,[fd00::]/8 ';
    expect(workerConfig({ ...least, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: set }).egressAllowPrivate).toEqual([
      '10.1.0.0/16',
      'intranet.test:8080',
      'private:7190',
      '[fd00::]/8',
    ]);
  });

  test('cannot be a URL', () =>
    expect(() => workerConfig({ ...least, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'http://intranet.test' })).toThrow(
      expect.objectContaining({ problems: [expect.stringContaining('hosts and networks with commas')] }),
    ));
});

describe('authorities of one’s own', () => {
  const set = (PILOTHOUSE_EXTRA_CA_CERTS: string) => workerConfig({ ...least, PILOTHOUSE_EXTRA_CA_CERTS }).extraCaCerts;
  const known = rootCertificates.slice(0, 2);

  test('are empty, PEM certificates or a file', async () => {
    expect(workerConfig(least).extraCaCerts).toEqual([]);
    expect(set('')).toEqual([]);
    expect(set(`# two\n${known.join('\n')}\n`)).toEqual(known);
    const folder = await mkdtemp(join(tmpdir(), 'config-'));
    await writeFile(join(folder, 'ca.pem'), known.join('\n'));
    expect(set(join(folder, 'ca.pem'))).toEqual(known);
    await rm(folder, { recursive: true });
  });

  test.each([
    ['/nowhere/ca.pem', 'path of a file'],
    ['-----BEGIN RSA PRIVATE KEY-----', 'certificates in PEM'],
    [`${known[0]}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----`, 'certificate 2 in it'],
  ])('cannot be %j', (value, hint) =>
    expect(() => set(value)).toThrow(expect.objectContaining({ problems: [expect.stringContaining(hint)] })),
  );
});

describe('the sandbox of Chromium', () => {
  test('is automatic by default', () => {
    expect(workerConfig(least).sandbox).toBe('auto');
    expect(workerConfig({ ...least, PILOTHOUSE_CHROMIUM_SANDBOX: 'off' }).sandbox).toBe('off');
  });

  test('accepts no other value', () =>
    expect(() => workerConfig({ ...least, PILOTHOUSE_CHROMIUM_SANDBOX: 'no' })).toThrow(
      expect.objectContaining({ problems: [expect.stringContaining('set it to auto, on or off')] }),
    ));
});
