import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connection, type SavedConnection } from './saved-connection.ts';
import { writeJson } from './json-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'pilothouse-connection-'));
afterAll(() => rmSync(dir, { recursive: true }));
const PILOTHOUSE_INSTALL_DIR = dir;
const url = 'http://127.0.0.1:7100';
const apiKeyFile = join(dir, 'admin.key');

test('without an installation and without settings the error has the fix', () => {
  expect(() => connection({ PILOTHOUSE_INSTALL_DIR })).toThrow(/Start one with .\/scripts\/up, or set PILOTHOUSE_URL/);
});

describe('with a local installation', () => {
  beforeAll(() => {
    const saved: SavedConnection = { url, apiKeyFile };
    writeJson(join(dir, 'config.json'), saved);
    writeFileSync(apiKeyFile, 'ph_local\n');
  });

  test('a command needs no environment', () => {
    expect(connection({ PILOTHOUSE_INSTALL_DIR })).toEqual({ url, apiKey: 'ph_local' });
  });

  test('the environment overrides the saved connection', () => {
    const PILOTHOUSE_API_KEY = 'ph_other';
    expect(connection({ PILOTHOUSE_INSTALL_DIR, PILOTHOUSE_API_KEY })).toEqual({ url, apiKey: 'ph_other' });
    expect(connection({ PILOTHOUSE_INSTALL_DIR, PILOTHOUSE_API_KEY, PILOTHOUSE_URL: 'https://p.example/' })).toEqual({
      url: 'https://p.example',
      apiKey: 'ph_other',
    });
  });

  test('the key of this installation is not sent to another one', () => {
    expect(() => connection({ PILOTHOUSE_INSTALL_DIR, PILOTHOUSE_URL: 'https://p.example' })).toThrow(
      'PILOTHOUSE_URL is set and PILOTHOUSE_API_KEY is not: set it to an API key of https://p.example.',
    );
  });

  test('a missing key file is an error', () => {
    rmSync(apiKeyFile);
    expect(() => connection({ PILOTHOUSE_INSTALL_DIR })).toThrow(/API key missing .*run .\/scripts\/up/);
  });
});
