import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { workerConfig } from './worker.config.ts';

const required = { PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway', PILOTHOUSE_FLEET_TOKEN_FILE: '/run/token' };

describe('the recycling of browsers', () => {
  test('has default limits', () =>
    expect(workerConfig(required).browser).toEqual({ maxRuns: 500, maxMegabytes: 3000 }));

  test('is configurable', () => {
    const set = { PILOTHOUSE_BROWSER_RECYCLE_RUNS: '1', PILOTHOUSE_BROWSER_RECYCLE_MB: '800' };
    expect(workerConfig({ ...required, ...set }).browser).toEqual({ maxRuns: 1, maxMegabytes: 800 });
  });

  test.each([
    ['PILOTHOUSE_BROWSER_RECYCLE_RUNS', '0', 'from 1 to'],
    ['PILOTHOUSE_BROWSER_RECYCLE_MB', 'much', 'from 100 to'],
  ])('%s cannot be %s', (name, value, expected) =>
    expect(() => workerConfig({ ...required, [name]: value })).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(`${name}.*${expected}`)] }),
    ),
  );
});

describe('commands of a desktop', () => {
  test('are none by default, and are lists of words by name', () => {
    expect(workerConfig(required).desktopCommands).toEqual({});
    const set = { PILOTHOUSE_DESKTOP_COMMANDS: '{"ledger":["python3","/opt/ledger.py"]}' };
    expect(workerConfig({ ...required, ...set }).desktopCommands).toEqual({ ledger: ['python3', '/opt/ledger.py'] });
  });

  test.each([
    ['no JSON', 'ledger', 'set it to valid JSON'],
    ['a command as one text', '{"ledger":"python3 /opt/ledger.py"}', 'array'],
    ['no program', '{"ledger":[]}', ''],
    ['a name with a blank', '{"the ledger":["python3"]}', ''],
  ])('%s is refused', (_, value, expected) =>
    expect(() => workerConfig({ ...required, PILOTHOUSE_DESKTOP_COMMANDS: value })).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(`PILOTHOUSE_DESKTOP_COMMANDS.*${expected}`)] }),
    ),
  );
});

describe('containers of desktop sessions', () => {
  const set = { ...required, PILOTHOUSE_DESKTOP_SLOTS: '/run/pilothouse' };

  test('are none by default', () => {
    expect(workerConfig(required).desktopSlots).toBeNull();
  });

  test('have a folder, a key and users', () => {
    const key = 'k'.repeat(20);
    expect(workerConfig({ ...set, PILOTHOUSE_SLOT_KEY: key, PILOTHOUSE_SLOT_UID: '10101' }).desktopSlots).toEqual({
      folder: '/run/pilothouse',
      key,
      firstUid: 10_101,
    });
  });

  test('need a key', () => {
    expect(() => workerConfig(set)).toThrow('PILOTHOUSE_SLOT_KEY is not set');
  });
});

describe('non-public addresses that pages may reach', () => {
  test('are empty by default', () => {
    expect(workerConfig(required).egressAllowPrivate).toEqual([]);
    expect(workerConfig({ ...required, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: '' }).egressAllowPrivate).toEqual([]);
    const set = ' 10.1.0.0/16, intranet.test:8080,private:7190,[fd00::]/8 ';
    expect(workerConfig({ ...required, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: set }).egressAllowPrivate).toEqual([
      '10.1.0.0/16',
      'intranet.test:8080',
      'private:7190',
      '[fd00::]/8',
    ]);
  });

  test.each(['10.0.0.0/99', '10.0.0.0/33', '10.0.0.300', '256.0.0.0/8', '[::]/129', '::/129', '[::::]/8'])(
    'do not include the invalid network %s',
    (network) =>
      expect(() => workerConfig({ ...required, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: `10.1.0.0/16,${network}` })).toThrow(
        expect.objectContaining({
          problems: [expect.stringMatching(/^PILOTHOUSE_EGRESS_ALLOW_PRIVATE: .*e\.g\. 10\.1\.0\.0\/16/)],
        }),
      ),
  );

  test('do not include URLs', () =>
    expect(() => workerConfig({ ...required, PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'http://intranet.test' })).toThrow(
      expect.objectContaining({ problems: [expect.stringContaining('hosts and networks separated by commas')] }),
    ));
});

describe('additional certificate authorities', () => {
  const set = (PILOTHOUSE_EXTRA_CA_CERTS: string) =>
    workerConfig({ ...required, PILOTHOUSE_EXTRA_CA_CERTS }).extraCaCerts;
  const certificates = rootCertificates.slice(0, 2);

  test('are empty, PEM certificates or a file', async () => {
    expect(workerConfig(required).extraCaCerts).toEqual([]);
    expect(set('')).toEqual([]);
    expect(set(`# two\n${certificates.join('\n')}\n`)).toEqual(certificates);
    const folder = await mkdtemp(join(tmpdir(), 'config-'));
    await writeFile(join(folder, 'ca.pem'), certificates.join('\n'));
    expect(set(join(folder, 'ca.pem'))).toEqual(certificates);
    await rm(folder, { recursive: true });
  });

  test.each([
    ['/nowhere/ca.pem', 'path of a PEM file'],
    ['-----BEGIN RSA PRIVATE KEY-----', 'PEM certificates'],
    [`${certificates[0]}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----`, 'certificate 2 is not'],
  ])('cannot be %j', (value, expected) =>
    expect(() => set(value)).toThrow(expect.objectContaining({ problems: [expect.stringContaining(expected)] })),
  );
});

describe('the sandbox of Chromium', () => {
  test('is automatic by default', () => {
    expect(workerConfig(required).sandbox).toBe('auto');
    expect(workerConfig({ ...required, PILOTHOUSE_CHROMIUM_SANDBOX: 'off' }).sandbox).toBe('off');
  });

  test('accepts no other value', () =>
    expect(() => workerConfig({ ...required, PILOTHOUSE_CHROMIUM_SANDBOX: 'no' })).toThrow(
      expect.objectContaining({ problems: [expect.stringContaining('set it to auto, on or off')] }),
    ));
});
