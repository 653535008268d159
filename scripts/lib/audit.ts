/**
 * Compares the packages that run with the advisories of the npm registry: `node scripts/lib/audit.ts`. A registry that offers none, or
 * cannot be reached, is skipped, so that the check works offline. Accepted advisories and their reasons are in `audit-allowed.json`.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** Timeout of the registry in milliseconds. */
const MAX_MS = 20_000;

/** Severities that fail the check. */
const failing: ReadonlySet<unknown> = new Set(['high', 'critical']);

interface Advisory {
  readonly name?: string;
  readonly severity?: string;
  readonly title?: string;
  /** Address of the advisory; key of the accepted entries. */
  readonly url?: string;
}

/** Result of an audit. */
export type Verdict =
  | { readonly kind: 'skipped' }
  | { readonly kind: 'clean'; readonly unused: readonly string[] }
  | { readonly kind: 'found'; readonly lines: readonly string[] };

/**
 * Evaluates the output of `npm audit --json`.
 * @param allowed reasons by the address of an advisory
 */
export function evaluateAudit(printed: string, allowed: Readonly<Record<string, string>>): Verdict {
  let report: { auditReportVersion?: unknown; vulnerabilities?: Record<string, { via?: unknown[] }> };
  try {
    report = JSON.parse(printed) as typeof report;
  } catch {
    return { kind: 'skipped' };
  }
  if (report.auditReportVersion !== 2) return { kind: 'skipped' };
  const advisories = Object.values(report.vulnerabilities ?? {}).flatMap(({ via = [] }) =>
    via.filter((cause): cause is Advisory => typeof cause === 'object' && cause !== null),
  );
  const severe = advisories.filter(({ severity, url = '' }) => failing.has(severity) && !Object.hasOwn(allowed, url));
  if (severe.length > 0) {
    const lines = severe.map(({ name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`);
    return { kind: 'found', lines: [...new Set(lines)] };
  }
  const knownUrls = new Set(advisories.map(({ url }) => url));
  return { kind: 'clean', unused: Object.keys(allowed).filter((url) => !knownUrls.has(url)) };
}

async function audit(): Promise<string> {
  const command = 'source scripts/lib/common.sh; source scripts/lib/install-node.sh; run_npm audit --json --omit=dev';
  const options = { cwd: root, timeout: MAX_MS, maxBuffer: 64 * 1024 * 1024 };
  // npm fails both with advisories and without a response; its output distinguishes them.
  return promisify(execFile)('bash', ['-c', command], options).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout?: string }) => stdout ?? '',
  );
}

if (import.meta.main) {
  const allowed = JSON.parse(readFileSync(join(import.meta.dirname, 'audit-allowed.json'), 'utf8')) as Record<
    string,
    string
  >;
  const verdict = evaluateAudit(await audit(), allowed);
  if (verdict.kind === 'skipped') console.log('audit skipped: the registry does not offer advisories');
  if (verdict.kind === 'clean')
    for (const url of verdict.unused)
      console.log(`audit: ${url} concerns no package any more: remove it from audit-allowed.json`);
  if (verdict.kind === 'found') {
    for (const line of verdict.lines) console.log(line);
    console.log('Update these packages, or add the address and a reason to scripts/lib/audit-allowed.json.');
    process.exitCode = 1;
  }
}
