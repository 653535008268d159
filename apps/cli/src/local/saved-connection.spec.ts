import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connection, type HouseConfig } from './saved-connection.ts';
import { writeJson } from './json-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'pilothouse-connection-'));
afterAll(() => rmSync(dir, { recursive: true }));
const PILOTHOUSE_DIR = dir;
const url = 'http://127.0.0.1:7100';
const apiKeyFile = join(dir, 'admin.key');

test('without a house and without settings it says what to do', () => {
  expect(() => connection({ PILOTHOUSE_DIR })).toThrow(/start one with .\/scripts\/up, or set PILOTHOUSE_URL/);
});

describe('with a house', () => {
  beforeAll(() => {
    const left: HouseConfig = { url, apiKeyFile };
    writeJson(join(dir, 'config.json'), left);
    writeFileSync(apiKeyFile, 'ph_ofthehouse\n');
  });

  test('nothing needs to be set', () => {
    expect(connection({ PILOTHOUSE_DIR })).toEqual({ url, apiKey: 'ph_ofthehouse' });
  });

  test('what is set wins', () => {
    const PILOTHOUSE_API_KEY = 'ph_other';
    expect(connection({ PILOTHOUSE_DIR, PILOTHOUSE_API_KEY })).toEqual({ url, apiKey: 'ph_other' });
    expect(connection({ PILOTHOUSE_DIR, PILOTHOUSE_API_KEY, PILOTHOUSE_URL: 'https://p.example/' })).toEqual({
      url: 'https://p.example',
      apiKey: 'ph_other',
    });
  });

  test('the key of this house goes to no other one', () => {
    expect(() => connection({ PILOTHOUSE_DIR, PILOTHOUSE_URL: 'https://p.example' })).toThrow(
      'PILOTHOUSE_URL is set and PILOTHOUSE_API_KEY is not: set it to an API key of https://p.example.',
    );
  });

  test('a key that is gone is said', () => {
    rmSync(apiKeyFile);
    expect(() => connection({ PILOTHOUSE_DIR })).toThrow(/is gone .*run .\/scripts\/up again/);
  });
});
